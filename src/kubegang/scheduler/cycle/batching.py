"""The next node from a ranking that was made for a pod just like this one (KEP-5598).

A hint is only a node to be looked at first: it is filtered like any other, and if it does
not pass, all nodes are looked at. So batching may change which of the fitting nodes a pod
gets, never whether it gets one. Order of the checks and names of the reasons are
kube-scheduler's (measured on 1.37.2 and 1.36.3). Pure.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import msgspec
import numpy as np

from kubegang.api.scheduling_rules import BatchingRules
from kubegang.scheduler.cycle.batch import (
    GONE,
    AttemptResult,
    Batch,
    BatchReport,
    FlushReason,
    RankedNodes,
)
from kubegang.scheduler.cycle.handle import CycleHandle
from kubegang.scheduler.cycle.ranking import KnownNodes, Ranking, with_score
from kubegang.scheduler.cycle.sampling import select_host
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.runtime.filtering import run_filter_plugins
from kubegang.scheduler.runtime.metering import BatchStep
from kubegang.scheduler.runtime.scoring import (
    ScoreParts,
    add_scores,
    run_pre_score_plugins,
    score_separately,
)
from kubegang.scheduler.runtime.signing import sign_pod

LONGEST_SECONDS: Final = 0.5
"""A ranking that is older is not used: too much may have changed."""

_NO_HINT: Final = NodeName("")


class Batcher:
    """Batching within one cycle.

    Attributes:
        batch: what is kept for the next pod; moves on with every search.
    """

    def __init__(
        self, handle: CycleHandle, rules: BatchingRules, *, batch: Batch, cycle: int, now: float
    ) -> None:
        """Begin a cycle.

        Args:
            handle: the cluster, the plugins and chance.
            rules: how the release reuses rankings.
            batch: what the last cycle of the profile left.
            cycle: counts what is taken out of the queue, over all profiles.
            now: the cycle's moment.
        """
        self.batch = batch
        self._handle = handle
        self._framework = handle.framework
        self._nodes = handle.cluster.nodes
        self._rules = rules
        self._cycle = cycle
        self._now = now
        self._attempts: dict[AttemptResult, int] = {}
        self._flushes: dict[FlushReason, int] = {}
        self._rescored = 0
        self._hinted = 0
        self._signed: PodInfo | None = None
        self._signature: Hashable = None

    @property
    def report(self) -> BatchReport:
        """How it went so far."""
        return BatchReport(self._attempts, self._flushes, self._rescored)

    @property
    def is_empty(self) -> bool:
        """Whether no ranking is kept, so that there is no hint for anybody."""
        return not self.batch.left

    def _sign(self, pod: PodInfo) -> Hashable:
        # Asked before and after a search.
        if pod is not self._signed:
            self._signed, self._signature = pod, sign_pod(self._framework, pod)
        return self._signature

    # --- before a search -----------------------------------------------------------------

    def hint(self, state: CycleState, pod: PodInfo, *, known: KnownNodes | None = None) -> NodeName:
        """Return the node to look at first, or an empty name; it is used up in any case.

        Args:
            state: of the pod's attempt; it has been pre-filtered.
            pod: counted nowhere yet.
            known: what the plugins say about nodes, if it has been worked out.
        """
        started = self._start()
        if self.is_empty or not self._is_usable(pod) or not self._refresh(state, pod, known):
            self._count("no_hint")
            self._took("no_hint", started)
            return _NO_HINT
        hint = self._take_best()
        self._took("hint", started)
        return hint

    def _count(self, result: AttemptResult, times: int = 1) -> None:
        self._attempts[result] = self._attempts.get(result, 0) + times

    def _start(self) -> float:
        meter = self._framework.meter
        return 0.0 if meter is None else meter.start()

    def _took(self, step: BatchStep, started: float) -> None:
        meter = self._framework.meter
        if meter is not None:
            meter.batched(step, started=started)

    def pass_over(self, pods: int = 1) -> None:
        """Count pods whose searches had no ranking to use, found nothing and were left out."""
        self._count("no_hint", pods)

    def _is_usable(self, pod: PodInfo) -> bool:
        batch = self.batch
        reason: FlushReason | None = None
        if not self._follows(batch.cycle):
            reason = "pod_skipped"
        elif self._rules.leaves_nominated and pod.nominated_node_name:
            reason = "pod_nominated"
        elif self._sign(pod) != batch.signature:
            reason = "pod_incompatible"
        elif self._now - batch.made > LONGEST_SECONDS:
            reason = "expired"
        return reason is None or self._flush(reason)

    def _follows(self, cycle: int) -> bool:
        return self._cycle == cycle + 1 or (self._rules.within_group and self._cycle == cycle)

    def _flush(self, reason: FlushReason) -> bool:
        self._flushes[reason] = self._flushes.get(reason, 0) + 1
        return False

    def _refresh(self, state: CycleState, pod: PodInfo, known: KnownNodes | None) -> bool:
        """See to the node that was taken last: it is full, or takes part again."""
        row = self._nodes.row(self.batch.node)
        if row is None:
            return self._flush("node_missing")
        if not self._passes(state, pod, row=row, known=known):
            return True
        if not self._rules.rescores:
            return self._flush("node_not_full")
        started = self._start()
        rescored = self._rescore(state, pod, row=row, known=known)
        self._took("rescored", started)
        return rescored

    def _passes(
        self, state: CycleState, pod: PodInfo, *, row: int, known: KnownNodes | None
    ) -> bool:
        if known is not None:
            return known.passes(row)
        rows, cluster = slice(row, row + 1), self._handle.cluster
        # Without the pods to which the node is promised: they did not matter last time either.
        passed = run_filter_plugins(self._framework, state, pod=pod, cluster=cluster, rows=rows)
        return bool(passed[0])

    def _rescore(
        self, state: CycleState, pod: PodInfo, *, row: int, known: KnownNodes | None
    ) -> bool:
        """Rank the node that was taken last among the others again; their scores are old."""
        ranked, batch = self.batch.ranked, self.batch
        if ranked is None:
            return False
        self._rescored += 1
        fresh = self._fresh_scores(state, pod, row=row) if known is None else known.scores_at(row)
        if fresh is None:
            return self._flush("prescore_error")
        position = batch.position
        parts = ScoreParts(
            with_score(ranked.plain, position, fresh.plain),
            {
                name: with_score(ranked.compared.get(name), position, raw, size=len(ranked.plain))
                for name, raw in fresh.compared.items()
            },
        )
        there = ranked.totals != GONE
        there[position] = True
        self.batch = msgspec.structs.replace(
            batch,
            ranked=msgspec.structs.replace(
                ranked,
                plain=parts.plain,
                compared=parts.compared,
                totals=self._totals(state, pod, parts=parts, there=there),
            ),
            left=int(np.count_nonzero(there)),
        )
        return True

    def _fresh_scores(self, state: CycleState, pod: PodInfo, *, row: int) -> ScoreParts | None:
        rows = np.array([row], dtype=np.intp)
        framework, cluster = self._framework, self._handle.cluster
        status = run_pre_score_plugins(framework, state, pod=pod, cluster=cluster, rows=rows)
        if not status.is_success:
            return None
        return score_separately(framework, state, pod=pod, cluster=cluster, rows=rows)

    def _totals(
        self, state: CycleState, pod: PodInfo, *, parts: ScoreParts, there: BoolArray
    ) -> IntArray:
        """Return total scores of the nodes that are there, compared with each other."""
        if there.all():
            return add_scores(self._framework, state, pod=pod, parts=parts)
        totals = np.full(len(there), GONE, dtype=np.int64)
        totals[there] = add_scores(
            self._framework,
            state,
            pod=pod,
            parts=ScoreParts(
                parts.plain[there], {name: raw[there] for name, raw in parts.compared.items()}
            ),
        )
        return totals

    def _take_best(self) -> NodeName:
        batch, ranked = self.batch, self.batch.ranked
        if ranked is None:
            return _NO_HINT
        self._hinted = position = select_host(ranked.totals, self._handle.rng)
        totals = ranked.totals.copy()
        totals[position] = GONE
        self.batch = msgspec.structs.replace(
            batch,
            ranked=msgspec.structs.replace(ranked, totals=totals),
            left=batch.left - 1,
        )
        return ranked.name_at(position)

    # --- after a search ------------------------------------------------------------------

    def found_one(self, node: NodeName, *, hint: NodeName = _NO_HINT) -> None:
        """Note that a pod got a node that was not compared with others.

        Args:
            node: if it is the one hinted at, the ranking stays.
            hint: what was hinted at, or empty.
        """
        started = self._start()
        if node == hint:
            self._count("hint_used")
            self.batch = msgspec.structs.replace(
                self.batch, cycle=self._cycle, node=hint, position=self._hinted
            )
        else:
            self._note_unused(hint)
            self._forget("empty_list")
        self._took("kept", started)

    def found_many(self, pod: PodInfo, ranking: Ranking, *, hint: NodeName) -> None:
        """Keep the ranking of a full search that found several nodes, if others may use it.

        Args:
            pod: whose search it was.
            ranking: the nodes that were found.
            hint: what was hinted at and not used, or empty.
        """
        started = self._start()
        self._note_unused(hint)
        signature = self._sign(pod)
        if signature is None:
            self._forget("pod_not_batchable")
        else:
            self._keep(ranking, signature)
        self._took("kept", started)

    def _keep(self, ranking: Ranking, signature: Hashable) -> None:
        totals = ranking.totals.copy()
        totals[ranking.position] = GONE
        table, rows = self._framework.node_names.of(self._nodes), ranking.rows
        self.batch = Batch(
            cycle=self._cycle,
            node=table[int(rows[ranking.position])],
            position=ranking.position,
            signature=signature,
            made=self._now,
            ranked=RankedNodes(table, rows, totals, ranking.parts.plain, ranking.parts.compared),
            left=len(rows) - 1,
        )

    def _forget(self, reason: FlushReason) -> None:
        """Forget what was kept: the search brought nothing that others could use."""
        self._flush(reason)
        if self.batch.ranked is not None:
            self.batch = Batch()

    def _note_unused(self, hint: NodeName) -> None:
        if hint:
            self._count("hint_not_used")
