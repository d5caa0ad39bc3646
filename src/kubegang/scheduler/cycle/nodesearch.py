"""The search for one pod's node on a snapshot.

Used for ordinary pods on the whole cluster, and for members of a group on one placement,
where each sees its siblings as already placed. Pure.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.cycle.batching import Batcher
from kubegang.scheduler.cycle.handle import CycleHandle
from kubegang.scheduler.cycle.outlook import Outlook
from kubegang.scheduler.cycle.ranking import Ranking
from kubegang.scheduler.cycle.sampling import (
    Sample,
    nodes_to_find,
    select_host,
    take_sample,
)
from kubegang.scheduler.cycle.searchresult import (
    NOWHERE_TO_LOOK,
    FoundNode,
    NoNode,
    none_fits,
    refused_whole,
)
from kubegang.scheduler.cycle.twins import Twins
from kubegang.scheduler.framework.cluster import Placement
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.errors import FilterFailedError, ScoreFailedError
from kubegang.scheduler.framework.nodetable import ALL_ROWS, RowArray
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import failure
from kubegang.scheduler.runtime.filtering import PreFilterOutcome, run_pre_filter_plugins
from kubegang.scheduler.runtime.scoring import (
    ScoreParts,
    add_scores,
    run_pre_score_plugins,
    score_feasible_nodes,
)

_NO_HINT: Final = NodeName("")


class NodeSearch:
    """Searches for nodes during one cycle.

    Attributes:
        scan_start: where the next search begins; moves on with every search.
    """

    def __init__(
        self, handle: CycleHandle, profile: SchedulerProfile, *, batcher: Batcher | None = None
    ) -> None:
        self.scan_start = handle.cluster.scan_start
        self._handle = handle
        self._snapshot = handle.cluster
        self._framework = handle.framework
        self._percentage = profile.percentage_of_nodes_to_score
        self._batcher = batcher
        self._asked_for_hint = False
        self._twins = Twins(handle)

    def find(self, state: CycleState, pod: PodInfo, *, placement: Placement) -> FoundNode | NoNode:
        """Return a node of the placement for the pod, or why there is none.

        Args:
            state: the notes of this pod's attempt.
            pod: counted nowhere yet.
            placement: the only nodes to look at.
        """
        order = self._nodes_of(placement)
        if not len(order):
            return NOWHERE_TO_LOOK
        self._asked_for_hint = False
        compares = self._handle.compares_members(in_domain=placement.rows is not None)
        outlook = self._twins.recognise(pod, order) if compares else None
        if outlook is not None:
            return self._look_again(state, pod, placement=placement, outlook=outlook)
        outcome = run_pre_filter_plugins(self._framework, state, pod=pod, cluster=self._snapshot)
        if not outcome.status.is_success:
            return refused_whole(outcome, order)
        try:
            found = self._look_at_all(state, pod, placement=placement, outcome=outcome)
        except (FilterFailedError, ScoreFailedError) as error:
            return NoNode(failure(str(error)), str(error))
        if compares and isinstance(found, FoundNode):
            named = outcome.node_names is not None
            self._twins.note(pod, state, row=found.row, rows=order, narrowed=named)
        return found

    def leave_out(self) -> bool:
        """Leave out the search for a pod just like the last one, which found no node.

        Returns:
            Whether it may be left out: not while there is a ranking that it would use up.
        """
        if self._batcher is None:
            return True
        if not self._batcher.is_empty:
            return False
        if self._asked_for_hint:
            self._batcher.pass_over()
        return True

    def _hint(self, state: CycleState, pod: PodInfo, *, known: Outlook | None = None) -> NodeName:
        if self._batcher is None:
            return _NO_HINT
        self._asked_for_hint = True
        return self._batcher.hint(state, pod, known=known)

    def _look_at_all(
        self, state: CycleState, pod: PodInfo, *, placement: Placement, outcome: PreFilterOutcome
    ) -> FoundNode | NoNode:
        """Ask the plugins about all nodes of the placement."""
        hint = self._hint(state, pod)
        first = self._first(state, pod, name=pod.nominated_node_name or hint, placement=placement)
        if first is not None:
            return self._only(first, hint)
        feasible = self._feasible(state, pod, placement=placement, outcome=outcome)
        if not len(feasible):
            return none_fits(
                self._handle, state, pod=pod, order=self._nodes_of(placement), outcome=outcome
            )
        if len(feasible) == 1:
            return self._only(int(feasible[0]), hint)
        return self._best(state, pod, rows=feasible, hint=hint)

    def _look_again(
        self, state: CycleState, pod: PodInfo, *, placement: Placement, outlook: Outlook
    ) -> FoundNode | NoNode:
        """Find the same as by looking at all nodes, from what is known of a pod like this one."""
        state.adopt(outlook.kind.state)
        found = self._among_known(state, pod, outlook=outlook)
        if found is None:
            outcome = run_pre_filter_plugins(
                self._framework, state, pod=pod, cluster=self._snapshot
            )
            self._feasible(state, pod, placement=placement, outcome=outcome)
            return none_fits(self._handle, state, pod=pod, order=outlook.rows, outcome=outcome)
        self._twins.expect(pod, found.row)
        return found

    def _among_known(
        self, state: CycleState, pod: PodInfo, *, outlook: Outlook
    ) -> FoundNode | None:
        order = outlook.rows
        hint = self._hint(state, pod, known=outlook)
        first = self._snapshot.nodes.row(hint) if hint else None
        if first is not None and outlook.contains(first) and outlook.passes(first):
            return self._only(first, hint)
        sample = outlook.sample(start=self.scan_start, enough=self._enough(len(order)))
        if not len(sample.positions):
            return None
        self.scan_start = (self.scan_start + sample.examined) % len(order)
        rows = order[sample.positions]
        if len(rows) == 1:
            return self._only(int(rows[0]), hint)
        parts = outlook.scores(rows, sample.positions)
        return self._best_of(state, pod, rows=rows, parts=parts, hint=hint)

    def _nodes_of(self, placement: Placement) -> RowArray:
        return self._snapshot.nodes.scan_order if placement.rows is None else placement.rows

    def _chosen(self, row: int) -> FoundNode:
        return FoundNode(row, self._snapshot.nodes.names[row])

    def _only(self, row: int, hint: NodeName) -> FoundNode:
        """Return the one node that was found."""
        found = self._chosen(row)
        if self._batcher is not None:
            self._batcher.found_one(found.node, hint=hint)
        return found

    def _first(
        self, state: CycleState, pod: PodInfo, *, name: NodeName, placement: Placement
    ) -> int | None:
        """Return the node promised or hinted at, if it is there and feasible: it is taken alone."""
        row = self._snapshot.nodes.row(name) if name else None
        if row is None or (placement.rows is not None and row not in placement.rows):
            return None
        # A view of one row costs less than gathering it.
        passed = self._handle.passing(state, pod, rows=slice(row, row + 1))
        return row if passed[0] else None

    def _feasible(
        self, state: CycleState, pod: PodInfo, *, placement: Placement, outcome: PreFilterOutcome
    ) -> RowArray:
        """Return feasible rows in the order in which they were found, enough of them."""
        order = self._nodes_of(placement)
        total = len(order)
        every_node = placement.rows is None and outcome.node_names is None
        if outcome.node_names is not None:
            order = order[outcome.left(order, self._snapshot.nodes)]
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

    def _best(
        self, state: CycleState, pod: PodInfo, *, rows: RowArray, hint: NodeName
    ) -> FoundNode | NoNode:
        framework, cluster = self._framework, self._snapshot
        status = run_pre_score_plugins(framework, state, pod=pod, cluster=cluster, rows=rows)
        if not status.is_success:
            return NoNode(status, status.as_error)
        parts = score_feasible_nodes(framework, state, pod=pod, cluster=cluster, rows=rows)
        return self._best_of(state, pod, rows=rows, parts=parts, hint=hint)

    def _best_of(
        self,
        state: CycleState,
        pod: PodInfo,
        *,
        rows: RowArray,
        parts: ScoreParts,
        hint: NodeName,
    ) -> FoundNode:
        totals = add_scores(self._framework, state, pod=pod, parts=parts)
        position = select_host(totals, self._handle.rng)
        if self._batcher is not None:
            ranking = Ranking(rows, position, totals, parts)
            self._batcher.found_many(pod, ranking, hint=hint)
        return self._chosen(int(rows[position]))
