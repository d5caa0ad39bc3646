"""One group's cycle as kube-scheduler 1.36 runs it: a popped member and all that it took along.

Every member goes an ordinary pod's whole way, beside its siblings, in a trial that is taken
back: filters, scores, post filters, reserve and permit. If a permit is granted all that have
a place are bound. If not, room may be made for the whole group. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import Decision
from kubegang.scheduler.cycle.gatheredoutcome import (
    GatheredOutcome,
    decide_all_broken,
    decide_gathered_outcome,
)
from kubegang.scheduler.cycle.gatheredplacements import GatheredResult, try_gathered
from kubegang.scheduler.cycle.skipping import decide_nobody_waits, divide_members
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedPodGroupInfo
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.postfilter import GroupPlan, PodGroupPostFilterResult
from kubegang.scheduler.framework.status import Code, Status, unschedulable

_GROUP_PREEMPTION_GATE: Final = "WorkloadAwarePreemption"
_NO_PLUGIN: Final = unschedulable(
    "default preemption plugin is not registered, workload aware preemption is disabled"
)
_ONE_DOMAIN: Final = unschedulable(
    "workload aware preemption is not supported for pod groups with scheduling constraints"
)


def decide_gathered(cycle: Cycle, entity: QueuedPodGroupInfo) -> Decision:
    """Decide about the gathered members of one group."""
    waiting = [member.pod for member in entity.members]
    problem = _other_scheduler(waiting)
    if problem:
        return decide_all_broken(cycle, waiting, problem=problem, group=entity.group)
    # 1. The members that still need a node.
    members, dropped = divide_members(waiting, cycle.snapshot)
    if not members:
        return decide_nobody_waits(cycle, entity.group, dropped=dropped)
    group = cycle.snapshot.pod_group(entity.group)
    if group is None:
        missing = f'podgroup.scheduling.k8s.io "{entity.group.name}" not found'
        return decide_all_broken(cycle, members, problem=missing, group=entity.group)
    # 2. The best placement, found by trying each.
    state = CycleState(now=cycle.now)
    tried = try_gathered(cycle, state, group=group, members=members, make_room=True)
    # 3. Without one: can room be made for the whole group?
    room = _make_room(cycle, group=group, members=members, tried=tried)
    # 4. What follows for the group and for each member.
    outcome = GatheredOutcome(
        group=group,
        members=members,
        tried=tried,
        status=_final_status(tried.best.status, room),
        room=room,
    )
    return decide_gathered_outcome(cycle, outcome, dropped=dropped)


def _other_scheduler(waiting: Sequence[PodInfo]) -> str:
    first = waiting[0].scheduler_name
    for pod in waiting:
        if pod.scheduler_name != first:
            return (
                "all pods in a single pod group should have the same .spec.schedulerName set, "
                f'got: "{pod.scheduler_name}" and "{first}"'
            )
    return ""


def _make_room(
    cycle: Cycle, *, group: PodGroupInfo, members: list[PodInfo], tried: GatheredResult
) -> PodGroupPostFilterResult | None:
    enabled = cycle.profile.gates.enabled_if_known(_GROUP_PREEMPTION_GATE)
    if not enabled or tried.best.status.code is not Code.UNSCHEDULABLE:
        return None
    plugins = cycle.framework.pod_group_post_filter_plugins
    if not plugins:
        return PodGroupPostFilterResult(_NO_PLUGIN)
    if group.topology_key:
        return PodGroupPostFilterResult(_ONE_DOMAIN)

    def schedule() -> GroupPlan:
        state = CycleState(now=cycle.now)
        anew = try_gathered(cycle, state, group=group, members=members, make_room=False)
        return GroupPlan(anew.best.status)

    # Only the first plugin is asked; preemption is the only one that there is.
    return plugins[0].pod_group_post_filter(
        CycleState(), group, members=members, handle=cycle.handle, schedule=schedule
    )


def _final_status(status: Status, room: PodGroupPostFilterResult | None) -> Status:
    """Return the group's status with what its preemption adds: an error takes its place."""
    if room is None or room.status.is_success:
        return status
    if room.status.is_error:
        return room.status
    return Status(status.code, (*status.reasons, room.status.message), cause=status.cause)
