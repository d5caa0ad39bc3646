"""One group's cycle, as kube-scheduler 1.37 runs it: the group is decided about whole.

Every member is tried on each placement, beside its siblings, in a trial that is taken back.
A group that reaches its minimum binds what fits; what does not fit goes back to the queue.
A group that does not reach it binds nothing. With composite pod groups the root is decided
about, and all below it in one go. Pure.
"""

from __future__ import annotations

from typing import Final

import msgspec

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import Decision
from kubegang.scheduler.cycle.groupoutcome import (
    GroupOutcome,
    decide_outcome,
    decide_rule_broken,
    decide_vanished,
)
from kubegang.scheduler.cycle.placements import try_placements
from kubegang.scheduler.cycle.prechecks import broken_rule
from kubegang.scheduler.cycle.results import GroupResult, group_unschedulable
from kubegang.scheduler.cycle.skipping import decide_nobody_waits, divide_members
from kubegang.scheduler.cycle.trees import PodsByGroup, in_tree_order, pods_by_group
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedPodGroupInfo
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.postfilter import (
    GroupPlan,
    PlannedMember,
    PodGroupPostFilterResult,
)
from kubegang.scheduler.framework.status import Code
from kubegang.scheduler.runtime.postfiltering import run_pod_group_post_filter_plugins

_POLICY_GATE: Final = "PodGroupPreemptionPolicy"
_TOPOLOGY_GATE: Final = "TopologyAwareWorkloadScheduling"


def decide_pod_group(cycle: Cycle, entity: QueuedPodGroupInfo) -> Decision:
    """Decide about one group and all its waiting pods: a pod group, or the root of a tree."""
    queued = [member.pod for member in entity.members]
    # 1. The group as it is now; the queue may hold an older form of it.
    group = cycle.snapshot.pod_group(entity.group)
    waiting = None if group is None else in_tree_order(cycle.snapshot, group, queued)
    if group is None or waiting is None:
        return decide_vanished(cycle, entity.group, waiting=queued)
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
        return decide_nobody_waits(cycle, group.key, dropped=dropped)
    # 4. The best placement, found by trying each.
    state = CycleState(now=cycle.now)
    by_group = pods_by_group(members)
    tried = _try(cycle, state, group=group, waiting=by_group)
    # 5. Without one: can room be made?
    room = _make_room(cycle, state, tried=tried, members=members, waiting=by_group)
    # 6. What follows for each group and each member.
    outcome = GroupOutcome.of(cycle.snapshot, tried, members=members, waiting=by_group, room=room)
    return decide_outcome(cycle, outcome, dropped=dropped)


def _try(
    cycle: Cycle, state: CycleState, *, group: PodGroupInfo, waiting: PodsByGroup
) -> GroupResult:
    by_topology = cycle.profile.gates.enabled_if_known(_TOPOLOGY_GATE)
    tried = try_placements(cycle, state, group=group, waiting=waiting, by_topology=by_topology)
    if tried.result.status.is_success and not tried.result.assignments:
        # Reaching a minimum without anybody new is no success.
        nobody = msgspec.structs.replace(tried.result, status=group_unschedulable())
        return msgspec.structs.replace(tried, result=nobody)
    return tried


def _make_room(
    cycle: Cycle,
    state: CycleState,
    *,
    tried: GroupResult,
    members: list[PodInfo],
    waiting: PodsByGroup,
) -> PodGroupPostFilterResult | None:
    if tried.result.status.code is not Code.UNSCHEDULABLE:
        return None
    room = run_pod_group_post_filter_plugins(
        cycle.framework,
        state,
        group=tried.group,
        members=members,
        handle=cycle.handle,
        schedule=lambda: _plan(cycle, tried.group, waiting),
    )
    # Upstream reports the error in place of the reason; who speaks tells the reason.
    return None if room.status.is_error and cycle.profile.speaking else room


def _plan(cycle: Cycle, group: PodGroupInfo, waiting: PodsByGroup) -> GroupPlan:
    """Try the group anew on the snapshot as a plugin's trial shows it.

    Upstream also makes room for the pods of child groups that fail for all that (measured on
    1.37.2), so that somebody is evicted for nothing; who speaks does not.
    """
    result = _try(cycle, CycleState(now=cycle.now), group=group, waiting=waiting).result
    planned = result.fitting() if cycle.profile.speaking else result.everyone()
    return GroupPlan(
        result.status,
        tuple(
            PlannedMember(member.pod, member.row, member.state)
            for member in planned
            if member.state is not None
        ),
    )
