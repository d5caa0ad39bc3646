"""Choosing among a group's placements, level by level: try each, keep the best answer.

A pod group is a tree of one. The placements of a child group lie within the one that its
parent is being tried on, beside the siblings that were placed before it; there is no way back
to those (KEP-6012; 1.37). Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.findings import TriedPlacement
from kubegang.scheduler.cycle.placing import place_members, try_in_turn
from kubegang.scheduler.cycle.results import (
    GroupResult,
    PlacementResult,
    group_unschedulable,
    none_available,
)
from kubegang.scheduler.cycle.sampling import select_host
from kubegang.scheduler.cycle.settling import ChosenNode, reserve_in_trial
from kubegang.scheduler.cycle.trees import PodsByGroup
from kubegang.scheduler.framework.cluster import Placement, PlacementAssignments
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import PodGroupInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, failure
from kubegang.scheduler.runtime.placing import (
    run_placement_generate_plugins,
    run_placement_score_plugins,
)
from kubegang.scheduler.snapshot.trial import Trial

_WHOLE_CLUSTER = Placement("")


def try_placements(
    cycle: Cycle,
    state: CycleState,
    *,
    group: PodGroupInfo,
    waiting: PodsByGroup,
    by_topology: bool,
) -> GroupResult:
    """Return the best placement that holds the group, or why none does.

    Nothing stays in the snapshot: every placement is tried on the same state.

    Args:
        cycle: the cycle's inputs.
        state: of the whole group cycle.
        group: the root, as it is in the snapshot.
        waiting: the pods to be tried.
        by_topology: the gate TopologyAwareWorkloadScheduling; without it the cluster is the
            only placement and is not mentioned in texts.
    """
    with Trial(cycle.snapshot) as trial:
        search = _PlacementSearch(
            cycle, state, trial=trial, waiting=waiting, by_topology=by_topology
        )
        return search.place(group, _WHOLE_CLUSTER, stays=False)


class _PlacementSearch:
    """The search for one tree, within one trial."""

    def __init__(
        self,
        cycle: Cycle,
        state: CycleState,
        *,
        trial: Trial,
        waiting: PodsByGroup,
        by_topology: bool,
    ) -> None:
        self._cycle = cycle
        self._state = state
        self._trial = trial
        self._waiting = waiting
        self._by_topology = by_topology

    def place(self, group: PodGroupInfo, parent: Placement, *, stays: bool) -> GroupResult:
        """Return the best placement within ``parent``, or why there is none.

        Args:
            group: to be placed.
            parent: the nodes that it may use.
            stays: whether the trial is to keep the places of a group that fits.
        """
        status, placements = self._candidates(group, parent)
        if not status.is_success:
            return GroupResult(group, PlacementResult(parent, status), 0)
        if self._by_topology and self._cycle.framework.meter is not None:
            self._cycle.framework.meter.placements_generated(len(placements))
        results = self._try_each(group, placements, keep=stays and len(placements) == 1)
        if results[-1].status.is_error:
            return GroupResult(group, results[-1], len(placements))
        feasible = [result for result in results if result.status.is_success]
        if not feasible:
            first = results[0]
            if self._by_topology:
                status = group_unschedulable(none_available(first.status, len(placements)))
                first = msgspec.structs.replace(first, status=status)
            return GroupResult(group, first, len(placements))
        best = self._best(group, feasible)
        if stays and len(placements) > 1 and best.status.is_success:
            self._repeat(best)
        return GroupResult(group, best, len(placements))

    def _candidates(
        self, group: PodGroupInfo, parent: Placement
    ) -> tuple[Status, Sequence[Placement]]:
        if not self._by_topology:
            return SUCCESS, (parent,)
        return run_placement_generate_plugins(
            self._cycle.framework,
            self._state,
            group=group,
            cluster=self._cycle.snapshot,
            parent=parent,
        )

    def _try_each(
        self, group: PodGroupInfo, placements: Sequence[Placement], *, keep: bool
    ) -> list[PlacementResult]:
        """Return a result per placement; an error ends the round."""
        results: list[PlacementResult] = []
        for placement in placements:
            start = self._trial.mark()
            result = self._measured_place_on(group, placement)
            results.append(result)
            self._note(group, result)
            if not keep or not result.status.is_success:
                self._trial.rollback(start)
            if result.status.is_error:
                break
        return results

    def _note(self, group: PodGroupInfo, result: PlacementResult) -> None:
        if self._cycle.findings is not None:
            self._cycle.findings.tried.append(
                TriedPlacement(
                    group=group.key,
                    placement=result.placement,
                    holds=result.status.is_success,
                    placed=result.assignments,
                )
            )

    def _measured_place_on(self, group: PodGroupInfo, placement: Placement) -> PlacementResult:
        meter = self._cycle.framework.meter
        if meter is None or not self._by_topology:
            return self._place_on(group, placement)
        started = meter.start()
        result = self._place_on(group, placement)
        meter.placement_tried(result.status, started=started)
        return result

    def _place_on(self, group: PodGroupInfo, placement: Placement) -> PlacementResult:
        if group.is_composite:
            return self._place_children(group, placement)
        return place_members(
            self._cycle,
            self._trial,
            group=group,
            members=self._waiting.get(group.key, ()),
            placement=placement,
            state=self._state,
        )

    def _place_children(self, group: PodGroupInfo, placement: Placement) -> PlacementResult:
        results: list[GroupResult] = []

        def attempt(child: PodGroupInfo) -> Status:
            tried = self.place(child, placement, stays=True)
            results.append(tried)
            status = tried.result.status
            if status.is_success or status.is_rejected:
                return status
            text = f"composite pod group evaluation failed due to child error: {status.as_error}"
            return failure(text)

        status = try_in_turn(
            self._cycle,
            self._state,
            group=group,
            parts=self._cycle.snapshot.child_groups(group.key),
            # A child that has all it needs since earlier is tried too, and found content.
            scheduled=0,
            attempt=attempt,
        )
        return PlacementResult(placement, status, children=tuple(results))

    def _best(self, group: PodGroupInfo, feasible: list[PlacementResult]) -> PlacementResult:
        if len(feasible) == 1:
            return feasible[0]
        proposals = [PlacementAssignments(r.placement, r.assignments) for r in feasible]
        scores = run_placement_score_plugins(
            self._cycle.framework,
            self._state,
            group=group,
            cluster=self._cycle.snapshot,
            proposals=proposals,
        )
        if not scores.status.is_success:
            return PlacementResult(_WHOLE_CLUSTER, scores.status)
        totals = np.array(scores.totals, dtype=np.int64)
        return feasible[select_host(totals, self._cycle.rng)]

    def _repeat(self, result: PlacementResult) -> None:
        """Place everybody once more as on the placement that was chosen."""
        for member in result.fitting():
            self._trial.place(member.pod, member.node)
            chosen = ChosenNode(member.pod, member.node, member.state or CycleState())
            reserve_in_trial(self._cycle, self._trial, chosen)
