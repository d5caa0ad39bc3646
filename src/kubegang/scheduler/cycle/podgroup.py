"""One pod group's cycle, as kube-scheduler 1.37 runs it: the group is decided about whole.

Every member is tried on each placement, beside its siblings, in a trial that is taken back.
A group that reaches its minimum binds what fits; what does not fit goes back to the queue.
A group that does not reach it binds nothing. Pure.
"""

from __future__ import annotations

from typing import Final

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import Decision, Diagnosis
from kubegang.scheduler.cycle.groupoutcome import (
    GroupOutcome,
    decide_outcome,
    decide_rule_broken,
    decide_vanished,
)
from kubegang.scheduler.cycle.placements import GroupResult, try_placements
from kubegang.scheduler.cycle.placing import GROUP_UNSCHEDULABLE
from kubegang.scheduler.cycle.prechecks import broken_rule
from kubegang.scheduler.cycle.skipping import divide_members
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedPodGroupInfo
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.postfilter import (
    GroupPlan,
    PlannedMember,
    PodGroupPostFilterResult,
)
from kubegang.scheduler.framework.status import Code, Status
from kubegang.scheduler.runtime.postfiltering import run_pod_group_post_filter_plugins

_POLICY_GATE: Final = "PodGroupPreemptionPolicy"
_TOPOLOGY_GATE: Final = "TopologyAwareWorkloadScheduling"


def decide_pod_group(cycle: Cycle, entity: QueuedPodGroupInfo) -> Decision:
    """Decide about one pod group and all its waiting members."""
    waiting = [member.pod for member in entity.members]
    # 1. The group as it is now; the queue may hold an older form of it.
    group = cycle.snapshot.pod_group(entity.group)
    if group is None:
        return decide_vanished(cycle, entity.group, waiting=waiting)
    # 2. The rules that all members must keep.
    problem = broken_rule(
        group,
        waiting,
        scheduled=cycle.snapshot.scheduled_members(group.key),
        group_has_policy=cycle.profile.gates.enabled_if_known(_POLICY_GATE),
    )
    if problem:
        return decide_rule_broken(cycle, group, waiting=waiting, problem=problem)
    # 3. The members that still need a node.
    members, dropped = divide_members(waiting, cycle.snapshot)
    if not members:
        return Decision(
            instructions=tuple(dropped),
            diagnosis=Diagnosis(
                outcome="waiting", message="no member waits for a node", group=group.key
            ),
            status="skipped",
            scan_start=cycle.search.scan_start,
        )
    # 4. The best placement, found by trying each.
    state = CycleState()
    tried = _try(cycle, state, group=group, members=members)
    status = _final_status(tried)
    # 5. Without one: can room be made?
    room = _make_room(cycle, state, group=group, members=members, status=status)
    # 6. What follows for the group and for each member.
    outcome = GroupOutcome(group=group, members=members, tried=tried, status=status, room=room)
    return decide_outcome(cycle, outcome, dropped=dropped)


def _try(
    cycle: Cycle, state: CycleState, *, group: PodGroupInfo, members: list[PodInfo]
) -> GroupResult:
    by_topology = cycle.profile.gates.enabled_if_known(_TOPOLOGY_GATE)
    return try_placements(cycle, state, group=group, members=members, by_topology=by_topology)


def _final_status(tried: GroupResult) -> Status:
    """Return the group's status; reaching a minimum without anybody new is no success."""
    status = tried.result.status
    if status.is_success and not tried.result.assignments:
        return Status(Code.UNSCHEDULABLE, cause=GROUP_UNSCHEDULABLE)
    return status


def _make_room(
    cycle: Cycle,
    state: CycleState,
    *,
    group: PodGroupInfo,
    members: list[PodInfo],
    status: Status,
) -> PodGroupPostFilterResult | None:
    if status.code is not Code.UNSCHEDULABLE:
        return None
    room = run_pod_group_post_filter_plugins(
        cycle.framework,
        state,
        group=group,
        members=members,
        handle=cycle.handle,
        schedule=lambda: _plan(cycle, group, members),
    )
    # Upstream reports the error in place of the reason; who speaks tells the reason.
    return None if room.status.is_error and cycle.profile.speaking else room


def _plan(cycle: Cycle, group: PodGroupInfo, members: list[PodInfo]) -> GroupPlan:
    """Try the group anew on the snapshot as a plugin's trial shows it."""
    tried = _try(cycle, CycleState(), group=group, members=members)
    return GroupPlan(
        _final_status(tried),
        tuple(
            PlannedMember(result.pod, result.row, result.state)
            for result in tried.result.members
            if result.state is not None
        ),
    )
