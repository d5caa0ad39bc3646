"""The search for one pod's node on a snapshot.

Used for ordinary pods on the whole cluster, and for members of a group on one placement,
where each sees its siblings as already placed. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.cycle.handle import CycleHandle
from kubegang.scheduler.cycle.sampling import Sample, nodes_to_find, select_host, take_sample
from kubegang.scheduler.framework.cluster import Placement
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.fiterror import (
    NO_NODES,
    count_reasons,
    fit_error,
    refused_before_nodes,
)
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.nodetable import ALL_ROWS, BoolArray, RowArray
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import Code, Status, unresolvable
from kubegang.scheduler.runtime.filtering import (
    PreFilterOutcome,
    go_list,
    run_pre_filter_plugins,
)
from kubegang.scheduler.runtime.scoring import run_pre_score_plugins, run_score_plugins


class FoundNode(msgspec.Struct, frozen=True):
    """The node that was chosen."""

    row: int
    node: NodeName


class NoNode(msgspec.Struct, frozen=True):
    """Why no node was chosen.

    Attributes:
        status: a refusal, or an error.
        message: what kube-scheduler says about it, without what post filters add.
        nodes: how many nodes there were to look at.
        refusals: why each of them was refused.
        plugins: whose refusals they are, sorted.
    """

    status: Status
    message: str
    nodes: int = 0
    refusals: tuple[Refusal, ...] = ()
    plugins: tuple[str, ...] = ()


class NodeSearch:
    """Searches for nodes during one cycle.

    Attributes:
        scan_start: where the next search begins; moves on with every search.
    """

    def __init__(self, handle: CycleHandle, profile: SchedulerProfile) -> None:
        self.scan_start = handle.cluster.scan_start
        self._handle = handle
        self._snapshot = handle.cluster
        self._framework = handle.framework
        self._percentage = profile.percentage_of_nodes_to_score

    def find(self, state: CycleState, pod: PodInfo, *, placement: Placement) -> FoundNode | NoNode:
        """Return a node of the placement for the pod, or why there is none.

        Args:
            state: the notes of this pod's attempt.
            pod: counted nowhere yet.
            placement: the only nodes to look at.
        """
        order = self._nodes_of(placement)
        if not len(order):
            return NoNode(Status(Code.UNRESOLVABLE, cause=NO_NODES), NO_NODES)
        outcome = run_pre_filter_plugins(self._framework, state, pod=pod, cluster=self._snapshot)
        if not outcome.status.is_success:
            return _refused_whole(outcome, order)
        nominated = self._nominated(state, pod, order=order)
        if nominated is not None:
            return self._chosen(nominated)
        feasible = self._feasible(state, pod, placement=placement, outcome=outcome)
        if not len(feasible):
            return self._none_fits(state, pod, order=order, outcome=outcome)
        if len(feasible) == 1:
            return self._chosen(int(feasible[0]))
        return self._best(state, pod, rows=feasible)

    def _nodes_of(self, placement: Placement) -> RowArray:
        return self._snapshot.nodes.scan_order if placement.rows is None else placement.rows

    def _chosen(self, row: int) -> FoundNode:
        return FoundNode(row, self._snapshot.nodes.names[row])

    def _nominated(self, state: CycleState, pod: PodInfo, *, order: RowArray) -> int | None:
        """Return the node promised to the pod, if it is there and feasible: it is taken alone."""
        row = self._snapshot.nodes.row(pod.nominated_node_name)
        if row is None or row not in order:
            return None
        rows = np.array([row], dtype=np.intp)
        return row if self._handle.passing(state, pod, rows=rows)[0] else None

    def _feasible(
        self, state: CycleState, pod: PodInfo, *, placement: Placement, outcome: PreFilterOutcome
    ) -> RowArray:
        """Return feasible rows in the order in which they were found, enough of them."""
        order = self._nodes_of(placement)
        total = len(order)
        every_node = placement.rows is None and outcome.node_names is None
        if outcome.node_names is not None:
            order = order[self._named(outcome.node_names, order)]
            if not len(order):
                return order
        sample = self._sample_stretch(state, pod, order=order) if every_node else None
        if sample is None:
            # In the table's own order a view will do, which costs less than a gather.
            rows = ALL_ROWS if every_node else order
            passed = self._handle.passing(state, pod, rows=rows)
            sample = take_sample(
                np.flatnonzero(passed[order] if every_node else passed),
                nodes=len(order),
                start=self.scan_start % len(order),
                enough=self._enough(len(order)),
            )
        self.scan_start = (self.scan_start + sample.examined) % total
        feasible: RowArray = order[sample.positions]
        return feasible

    def _sample_stretch(self, state: CycleState, pod: PodInfo, *, order: RowArray) -> Sample | None:
        """Return a sample from the nodes that come first, if they have enough of feasible ones.

        In a large cluster with room that is so for most pods, and the answer is the same as if
        all nodes had been filtered.
        """
        enough = self._enough(len(order))
        if len(order) < 4 * enough:
            return None
        start = self.scan_start % len(order)
        stretch = order[start : start + 2 * enough]
        found = np.flatnonzero(self._handle.passing(state, pod, rows=stretch))
        if len(found) <= enough:
            return None
        return Sample(found[:enough] + start, int(found[enough]))

    def _enough(self, nodes: int) -> int:
        # Without scores any feasible node is as good as another.
        if not self._framework.scores:
            return 1
        return nodes_to_find(nodes, percentage=self._percentage)

    def _named(self, names: frozenset[NodeName], order: RowArray) -> BoolArray:
        rows = [row for row in map(self._snapshot.nodes.row, sorted(names)) if row is not None]
        named: BoolArray = np.isin(order, np.array(rows, dtype=np.intp))
        return named

    def _best(self, state: CycleState, pod: PodInfo, *, rows: RowArray) -> FoundNode | NoNode:
        status = run_pre_score_plugins(
            self._framework, state, pod=pod, cluster=self._snapshot, rows=rows
        )
        if not status.is_success:
            return NoNode(status, status.as_error)
        scores = run_score_plugins(
            self._framework, state, pod=pod, cluster=self._snapshot, rows=rows
        )
        return self._chosen(int(rows[select_host(scores, self._handle.rng)]))

    def _none_fits(
        self,
        state: CycleState,
        pod: PodInfo,
        *,
        order: RowArray,
        outcome: PreFilterOutcome,
    ) -> NoNode:
        refusals: list[Refusal] = []
        looked_at = order
        if outcome.node_names is not None:
            named = self._named(outcome.node_names, order)
            looked_at = order[named]
            refusals += _left_out(order[~named], outcome.narrowed_by)
        refusals += self._handle.refusals(state, pod, rows=looked_at)
        message = fit_error(len(order), count_reasons(refusals))
        plugins = _authors(refusals, outcome.narrowed_by)
        status = Status(Code.UNSCHEDULABLE)
        return NoNode(status, message, len(order), tuple(refusals), plugins)


def _refused_whole(outcome: PreFilterOutcome, order: RowArray) -> NoNode:
    status = outcome.status
    if not status.is_rejected:
        return NoNode(status, status.as_error)
    refusals = (Refusal(order, status),)
    return NoNode(
        Status(Code.UNSCHEDULABLE),
        refused_before_nodes(len(order), status.message),
        len(order),
        refusals,
        _authors(refusals, outcome.narrowed_by),
    )


def _left_out(rows: RowArray, narrowed_by: tuple[str, ...]) -> list[Refusal]:
    if not len(rows):
        return []
    text = f"node(s) didn't satisfy plugin(s) {go_list(narrowed_by)}"
    return [Refusal(rows, unresolvable(text))]


def _authors(refusals: Sequence[Refusal], narrowed_by: tuple[str, ...]) -> tuple[str, ...]:
    said = {refusal.status.plugin for refusal in refusals if refusal.status.plugin}
    return tuple(sorted(said.union(narrowed_by)))
