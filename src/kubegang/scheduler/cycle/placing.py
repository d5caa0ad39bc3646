"""Placing the members of a group on a placement, one beside the other, within a trial. Pure."""

from __future__ import annotations

import msgspec

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import PodDiagnosis
from kubegang.scheduler.cycle.diagnosis import diagnose_pod, diagnose_twin
from kubegang.scheduler.cycle.nodesearch import FoundNode
from kubegang.scheduler.framework.cluster import Assignment, Placement, PlacementProgress
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo, is_twin
from kubegang.scheduler.framework.status import SUCCESS, Code, Status, failure
from kubegang.scheduler.runtime.placing import run_placement_feasible_plugins
from kubegang.scheduler.snapshot.trial import Trial

GROUP_UNSCHEDULABLE = "pod group is unschedulable"
"""The cause behind every status of a group that found no room."""


class MemberResult(msgspec.Struct, frozen=True):
    """What became of one member.

    Attributes:
        status: success: it has a place in this trial.
        node: that place, else empty.
        message: what kube-scheduler says if it has none.
        plugins: whose refusals they were.
        diagnosis: the same for people.
        state: the notes of its attempt, if it has a place.
    """

    pod: PodInfo
    status: Status
    node: NodeName = NodeName("")
    row: int = -1
    message: str = ""
    plugins: tuple[str, ...] = ()
    diagnosis: PodDiagnosis | None = None
    state: CycleState | None = None


class PlacementResult(msgspec.Struct, frozen=True):
    """What became of the group on one placement.

    Attributes:
        status: success: the minimum is reached.
        members: those that were tried, in order; with a status other than success there may
            be fewer than the group has.
    """

    placement: Placement
    status: Status
    members: tuple[MemberResult, ...] = ()

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """The members that have a place."""
        return tuple(Assignment(m.pod, m.row) for m in self.members if m.node)


def place_members(
    cycle: Cycle,
    trial: Trial,
    *,
    group: PodGroupInfo,
    members: list[PodInfo],
    placement: Placement,
    state: CycleState,
) -> PlacementResult:
    """Try the members in order until the minimum is out of reach; the trial keeps the steps.

    Args:
        cycle: the cycle's inputs.
        trial: to be rolled back by the caller.
        group: as it is in the snapshot.
        members: to be tried.
        placement: where.
        state: of the whole group cycle.
    """
    progress = PlacementProgress(
        scheduled=cycle.snapshot.scheduled_count(group.key), remaining=len(members)
    )
    status = _feasibility(cycle, state, group=group, progress=progress)
    if status.is_error:
        return PlacementResult(placement, status)
    if status.code is Code.UNSCHEDULABLE:
        return PlacementResult(placement, _unschedulable(status))
    results: list[MemberResult] = []
    for pod in members:
        result = _place_member(
            cycle, trial, pod=pod, placement=placement, state=state, before=results
        )
        results.append(result)
        if not result.status.is_success and not result.status.is_rejected:
            status = failure(f"failed to schedule other pod from a pod group: {result.message}")
            break
        progress = PlacementProgress(
            scheduled=progress.scheduled + result.status.is_success,
            remaining=progress.remaining - 1,
        )
        status = _feasibility(cycle, state, group=group, progress=progress)
        if status.is_error or status.code is Code.UNSCHEDULABLE:
            break
    if status.is_wait:
        status = _unschedulable(status)
    return PlacementResult(placement, status, tuple(results))


def _place_member(
    cycle: Cycle,
    trial: Trial,
    *,
    pod: PodInfo,
    placement: Placement,
    state: CycleState,
    before: list[MemberResult],
) -> MemberResult:
    twin = before[-1] if before else None
    if twin is not None and twin.diagnosis is not None and is_twin(twin.pod, pod):
        # Nothing has changed since its twin found no node, so it would find none either.
        diagnosis = diagnose_twin(pod, twin.diagnosis)
        return msgspec.structs.replace(twin, pod=pod, diagnosis=diagnosis)
    notes = CycleState(state)
    found = cycle.search.find(notes, pod, placement=placement)
    if isinstance(found, FoundNode):
        trial.place(pod, found.node)
        return MemberResult(pod, SUCCESS, found.node, found.row, state=notes)
    return MemberResult(
        pod,
        found.status,
        message=found.message,
        plugins=found.plugins,
        # Within the trial: a member competes with the siblings placed before it.
        diagnosis=diagnose_pod(cycle.snapshot.nodes, pod, found),
    )


def _feasibility(
    cycle: Cycle, state: CycleState, *, group: PodGroupInfo, progress: PlacementProgress
) -> Status:
    status = run_placement_feasible_plugins(cycle.framework, state, group=group, progress=progress)
    if status.is_error:
        return failure(f"failed to evaluate placement feasibility: {status.as_error}")
    return status


def _unschedulable(status: Status) -> Status:
    return Status(Code.UNSCHEDULABLE, status.reasons, cause=GROUP_UNSCHEDULABLE)
