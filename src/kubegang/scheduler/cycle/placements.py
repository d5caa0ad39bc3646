"""Choosing among a group's placements: try each, take back each, keep the best answer. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.placing import (
    GROUP_UNSCHEDULABLE,
    PlacementResult,
    place_members,
)
from kubegang.scheduler.cycle.sampling import select_host
from kubegang.scheduler.framework.cluster import Placement, PlacementAssignments
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.status import Code, Status, unschedulable
from kubegang.scheduler.runtime.placing import (
    run_placement_generate_plugins,
    run_placement_score_plugins,
)
from kubegang.scheduler.snapshot.trial import Trial

_WHOLE_CLUSTER = Placement("")


class GroupResult(msgspec.Struct, frozen=True):
    """What became of a group.

    Attributes:
        result: on the best placement; if none holds the group, on the first.
        tried: how many placements there were.
    """

    result: PlacementResult
    tried: int


def try_placements(
    cycle: Cycle,
    state: CycleState,
    *,
    group: PodGroupInfo,
    members: list[PodInfo],
    by_topology: bool,
) -> GroupResult:
    """Return the best placement that holds the group, or why none does.

    Nothing stays in the snapshot: every placement is tried on the same state.

    Args:
        cycle: the cycle's inputs.
        state: of the whole group cycle.
        group: as it is in the snapshot.
        members: to be tried.
        by_topology: the gate TopologyAwareWorkloadScheduling; without it the cluster is the
            only placement and is not mentioned in texts.
    """
    placements: Sequence[Placement] = (_WHOLE_CLUSTER,)
    if by_topology:
        status, placements = run_placement_generate_plugins(
            cycle.framework,
            state,
            group=group,
            cluster=cycle.snapshot,
            parent=_WHOLE_CLUSTER,
        )
        if not status.is_success:
            return GroupResult(PlacementResult(_WHOLE_CLUSTER, status), 0)
    results = _try_each(cycle, state, group=group, members=members, placements=placements)
    if results[-1].status.is_error:
        return GroupResult(results[-1], len(placements))
    feasible = [result for result in results if result.status.is_success]
    if feasible:
        best = _best(cycle, state, group=group, feasible=feasible)
        return GroupResult(best, len(placements))
    first = results[0]
    if by_topology:
        first = msgspec.structs.replace(first, status=_none_available(first, len(placements)))
    return GroupResult(first, len(placements))


def _try_each(
    cycle: Cycle,
    state: CycleState,
    *,
    group: PodGroupInfo,
    members: list[PodInfo],
    placements: Sequence[Placement],
) -> list[PlacementResult]:
    """Return a result per placement; an error ends the round."""
    results: list[PlacementResult] = []
    with Trial(cycle.snapshot) as trial:
        for placement in placements:
            start = trial.mark()
            result = place_members(
                cycle,
                trial,
                group=group,
                members=members,
                placement=placement,
                state=state,
            )
            trial.rollback(start)
            results.append(result)
            if result.status.is_error:
                break
    return results


def _best(
    cycle: Cycle, state: CycleState, *, group: PodGroupInfo, feasible: list[PlacementResult]
) -> PlacementResult:
    if len(feasible) == 1:
        return feasible[0]
    proposals = [PlacementAssignments(r.placement, r.assignments) for r in feasible]
    scores = run_placement_score_plugins(
        cycle.framework, state, group=group, cluster=cycle.snapshot, proposals=proposals
    )
    if not scores.status.is_success:
        return PlacementResult(_WHOLE_CLUSTER, scores.status)
    return feasible[select_host(np.array(scores.totals, dtype=np.int64), cycle.rng)]


def _none_available(first: PlacementResult, tried: int) -> Status:
    text = f"0/{tried} placements are available, first placement status: {first.status.as_error}"
    status = unschedulable(text)
    return Status(Code.UNSCHEDULABLE, status.reasons, cause=GROUP_UNSCHEDULABLE)
