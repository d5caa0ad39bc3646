"""Placing the members of a group on a placement, one beside the other, within a trial. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.diagnosis import diagnose_pod, diagnose_twin
from kubegang.scheduler.cycle.findings import RefusedMember
from kubegang.scheduler.cycle.results import (
    MemberResult,
    PlacementResult,
    group_unschedulable,
)
from kubegang.scheduler.cycle.searchresult import FoundNode
from kubegang.scheduler.cycle.settling import ChosenNode, reserve_in_trial
from kubegang.scheduler.framework.cluster import Placement, PlacementProgress
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.fiterror import chosen_node_error, refused_by
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo, is_twin
from kubegang.scheduler.framework.status import SUCCESS, Code, Status, failure
from kubegang.scheduler.runtime.placing import run_placement_feasible_plugins
from kubegang.scheduler.snapshot.trial import Trial

PartT = TypeVar("PartT")


def try_in_turn(
    cycle: Cycle,
    state: CycleState,
    *,
    group: PodGroupInfo,
    parts: Sequence[PartT],
    scheduled: int,
    attempt: Callable[[PartT], Status],
) -> Status:
    """Try a group's parts in order until the minimum is out of reach; the others may help.

    The parts of a pod group are pods, those of a composite groups. Trying goes on once the
    minimum is reached: what fits as well is welcome.

    Args:
        cycle: the cycle's inputs.
        state: of the whole group cycle.
        group: as it is in the snapshot.
        parts: to be tried.
        scheduled: how many other parts have a place since earlier.
        attempt: tries one part; success counts, a refusal does not, an error ends it all.
    """
    progress = PlacementProgress(scheduled=scheduled, remaining=len(parts))
    status = _feasibility(cycle, state, group=group, progress=progress)
    if status.is_error:
        return status
    if status.code is Code.UNSCHEDULABLE:
        return group_unschedulable(*status.reasons)
    for part in parts:
        outcome = attempt(part)
        if not outcome.is_success and not outcome.is_rejected:
            return outcome
        progress = PlacementProgress(
            scheduled=progress.scheduled + outcome.is_success,
            remaining=progress.remaining - 1,
        )
        status = _feasibility(cycle, state, group=group, progress=progress)
        if status.is_error or status.code is Code.UNSCHEDULABLE:
            break
    return group_unschedulable(*status.reasons) if status.is_wait else status


def place_members(
    cycle: Cycle,
    trial: Trial,
    *,
    group: PodGroupInfo,
    members: Sequence[PodInfo],
    placement: Placement,
    state: CycleState,
) -> PlacementResult:
    """Try the pods of a pod group on a placement; the trial keeps the steps.

    Args:
        cycle: the cycle's inputs.
        trial: to be rolled back by the caller.
        group: as it is in the snapshot.
        members: to be tried.
        placement: where.
        state: of the whole group cycle.
    """
    results: list[MemberResult] = []

    def attempt(pod: PodInfo) -> Status:
        result = _place_member(
            cycle, trial, pod=pod, placement=placement, state=state, before=results
        )
        results.append(result)
        if result.status.is_success or result.status.is_rejected:
            return result.status
        return failure(f"failed to schedule other pod from a pod group: {result.message}")

    status = try_in_turn(
        cycle,
        state,
        group=group,
        parts=members,
        scheduled=cycle.snapshot.scheduled_count(group.key),
        attempt=attempt,
    )
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
    if (
        twin is not None
        and twin.diagnosis is not None
        and is_twin(twin.pod, pod)
        and cycle.search.leave_out()
    ):
        # Nothing has changed since its twin found no node, so it would find none either.
        diagnosis = diagnose_twin(pod, twin.diagnosis)
        return msgspec.structs.replace(twin, pod=pod, diagnosis=diagnosis)
    notes = CycleState(state)
    found = cycle.search.find(notes, pod, placement=placement)
    if isinstance(found, FoundNode):
        mark = trial.mark()
        trial.place(pod, found.node)
        status = reserve_in_trial(cycle, trial, ChosenNode(pod, found.node, notes))
        if status.is_success:
            return MemberResult(pod, SUCCESS, found.node, found.row, state=notes)
        trial.rollback(mark)
        return _not_reserved(pod, status)
    if cycle.findings is not None:
        cycle.findings.refused.append(RefusedMember(pod, placement, found))
    return MemberResult(
        pod,
        found.status,
        message=found.message,
        plugins=found.plugins,
        # Within the trial: a member competes with the siblings placed before it.
        diagnosis=diagnose_pod(cycle.snapshot.nodes, pod, found),
    )


def _not_reserved(pod: PodInfo, status: Status) -> MemberResult:
    said = status
    if status.is_rejected:
        said = Status(Code.UNSCHEDULABLE, status.reasons, status.plugin)
    return MemberResult(pod, said, message=chosen_node_error(status), plugins=refused_by(status))


def _feasibility(
    cycle: Cycle, state: CycleState, *, group: PodGroupInfo, progress: PlacementProgress
) -> Status:
    status = run_placement_feasible_plugins(cycle.framework, state, group=group, progress=progress)
    if status.is_error:
        return failure(f"failed to evaluate placement feasibility: {status.as_error}")
    return status
