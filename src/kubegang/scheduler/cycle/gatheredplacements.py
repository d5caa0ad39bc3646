"""Choosing among the placements of a gathered group: try each, keep the best answer (1.36).

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.findings import TriedPlacement
from kubegang.scheduler.cycle.gatheredplacing import GatheredPlacement, place_gathered
from kubegang.scheduler.cycle.results import none_available
from kubegang.scheduler.cycle.sampling import select_host
from kubegang.scheduler.framework.cluster import Placement, PlacementAssignments
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.status import unschedulable
from kubegang.scheduler.runtime.placing import (
    run_placement_generate_plugins,
    run_placement_score_plugins,
)
from kubegang.scheduler.snapshot.trial import Trial

_WHOLE_CLUSTER: Final = Placement("")
_TOPOLOGY_GATE: Final = "TopologyAwareWorkloadScheduling"


class GatheredResult(msgspec.Struct, frozen=True):
    """What became of a group.

    Attributes:
        best: its best placement; if none is feasible, the first, with the reason.
        tried: how many placements there were.
    """

    best: GatheredPlacement
    tried: int


def try_gathered(
    cycle: Cycle,
    state: CycleState,
    *,
    group: PodGroupInfo,
    members: list[PodInfo],
    make_room: bool,
) -> GatheredResult:
    """Return the best placement for the group, or why none is feasible.

    Nothing stays in the snapshot: every placement is tried on the same state.

    Args:
        cycle: the cycle's inputs.
        state: of the whole group cycle.
        group: as it is in the snapshot.
        members: to be tried.
        make_room: ask post filters about members that find no node.
    """
    if not cycle.profile.gates.enabled_if_known(_TOPOLOGY_GATE):
        (only,) = _try_each(
            cycle,
            state,
            group=group,
            members=members,
            placements=(_WHOLE_CLUSTER,),
            make_room=make_room,
        )
        return GatheredResult(only, 1)
    status, placements = run_placement_generate_plugins(
        cycle.framework, state, group=group, cluster=cycle.snapshot, parent=_WHOLE_CLUSTER
    )
    if not status.is_success:
        return GatheredResult(GatheredPlacement(_WHOLE_CLUSTER, status), 0)
    results = _try_each(
        cycle, state, group=group, members=members, placements=placements, make_room=make_room
    )
    return GatheredResult(_best(cycle, state, group=group, results=results), len(placements))


def _try_each(
    cycle: Cycle,
    state: CycleState,
    *,
    group: PodGroupInfo,
    members: list[PodInfo],
    placements: Sequence[Placement],
    make_room: bool,
) -> list[GatheredPlacement]:
    """Return a result per placement; an error ends the round."""
    results: list[GatheredPlacement] = []
    with Trial(cycle.snapshot) as trial:
        for placement in placements:
            start = trial.mark()
            result = place_gathered(
                cycle,
                trial,
                members=members,
                placement=placement,
                state=state,
                make_room=make_room,
            )
            trial.rollback(start)
            results.append(result)
            if cycle.findings is not None:
                cycle.findings.tried.append(
                    TriedPlacement(
                        group=group.key,
                        placement=placement,
                        holds=result.is_feasible,
                        placed=result.assignments,
                    )
                )
            if result.status.is_error:
                break
    return results


def _best(
    cycle: Cycle,
    state: CycleState,
    *,
    group: PodGroupInfo,
    results: list[GatheredPlacement],
) -> GatheredPlacement:
    if results[-1].status.is_error:
        return results[-1]
    feasible = [result for result in results if result.is_feasible]
    if not feasible:
        first = results[0]
        status = unschedulable(none_available(first.status, len(results)))
        return msgspec.structs.replace(first, status=status)
    if len(feasible) == 1:
        return feasible[0]
    proposals = [PlacementAssignments(r.placement, r.assignments) for r in feasible]
    scores = run_placement_score_plugins(
        cycle.framework, state, group=group, cluster=cycle.snapshot, proposals=proposals
    )
    if not scores.status.is_success:
        return GatheredPlacement(_WHOLE_CLUSTER, scores.status)
    return feasible[select_host(np.array(scores.totals, dtype=np.int64), cycle.rng)]
