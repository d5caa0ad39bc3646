"""What nodes are worth to pods of one kind, beside any number of siblings of any kind.

Worked out with one array pass for many nodes, and kept for the cycle: trying a group on fifty
domains asks about the same nodes with the same siblings on them again and again. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from kubegang.scheduler.cycle.siblings import NO_SIBLINGS, Siblings, Standing, count_of
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, RowArray
from kubegang.scheduler.framework.pods import PodInfo, Requests
from kubegang.scheduler.runtime.additive import AdditiveParts, judge_by_sums
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.scoring import ScoreParts
from kubegang.scheduler.snapshot.snapshot import Snapshot

_NOTHING_PASSED: Final[BoolArray] = np.zeros(0, dtype=np.bool_)
_NO_SCORES: Final[IntArray] = np.zeros(0, dtype=np.int64)

_COST_OF_A_PASS: Final = 1000
"""A pass over few nodes costs about as much as that many nodes more (measured)."""


class PodKind(NamedTuple):
    """Pods that are alike.

    Attributes:
        pod: any of them.
        state: the notes of an attempt at it.
        parts: how nodes are judged for it.
        by_nodes: per row the scores that Node objects decide.
    """

    pod: PodInfo
    state: CycleState
    parts: AdditiveParts
    by_nodes: ScoreParts


class Judgements:
    """Per node whether a kind of pods may go there, and how good it is, not compared to others.

    A node's judgement holds for some siblings on it beyond the base, the state of the cluster
    from which counting starts. Which siblings stand where at this moment, ``standing`` tells.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        framework: Framework,
        *,
        kind: PodKind,
        kinds: Sequence[PodKind],
        standing: Standing,
    ) -> None:
        """Begin without any judgement.

        Args:
            snapshot: the cluster.
            framework: the plugins.
            kind: whose judgements these are.
            kinds: all there are, by number; grows.
            standing: members by node; changes.
        """
        self._snapshot = snapshot
        self._framework = framework
        self._kind = kind
        self._kinds = kinds
        self._standing = standing
        self._beside: dict[Siblings, _Known] = {}

    def fill(self, rows: RowArray, passed: BoolArray, scores: IntArray) -> None:
        """Put the judgements of nodes as they are now into arrays in the order of ``rows``."""
        crowded = self._standing.crowded[rows]
        missing = ~crowded
        for at in np.flatnonzero(crowded).tolist():
            found = self._recall(int(rows[at]))
            if found is None:
                missing[at] = True
            else:
                passed[at], scores[at] = found
        free = int(len(rows) - np.count_nonzero(crowded))
        base = self._base_for(free)
        if base is not None:
            at_once = ~crowded
            passed[at_once] = base.passed[rows[at_once]]
            scores[at_once] = base.scores[rows[at_once]]
            missing &= crowded
        alone = np.flatnonzero(missing & crowded).tolist()
        if base is not None:
            # The pass is made for these only, so they bear its cost.
            for at in alone:
                siblings = self._standing.on(int(rows[at]))
                if self._is_complete_now(siblings, _COST_OF_A_PASS // len(alone)):
                    passed[at], scores[at] = self.at(int(rows[at]))
                    missing[at] = False
        if missing.any():
            # All that nobody asked before, with whoever stands there now, in one pass.
            passed[missing], scores[missing] = self._judge(rows[missing])
            for at in alone:
                if missing[at]:
                    row = int(rows[at])
                    found = (bool(passed[at]), int(scores[at]))
                    self._known(self._standing.on(row)).few[row] = found

    def at(self, row: int) -> tuple[bool, int]:
        """Return the judgement of one node as it is now."""
        found = self._recall(row)
        if found is not None:
            return found
        siblings = self._standing.on(row)
        known = self._known(siblings)
        if self._is_complete_now(siblings, _COST_OF_A_PASS):
            return bool(known.passed[row]), int(known.scores[row])
        passed, scores = self._judge(np.array([row], dtype=np.intp))
        found = known.few[row] = (bool(passed[0]), int(scores[0]))
        return found

    def _recall(self, row: int) -> tuple[bool, int] | None:
        known = self._known(self._standing.on(row))
        if known.is_complete:
            return bool(known.passed[row]), int(known.scores[row])
        return known.few.get(row)

    def _base_for(self, rows: int) -> _Known | None:
        """Return all judgements of nodes without siblings, if they are worth having."""
        if rows and self._is_complete_now(NO_SIBLINGS, _COST_OF_A_PASS + rows):
            return self._known(NO_SIBLINGS)
        return None

    def _is_complete_now(self, siblings: Siblings, cost: int) -> bool:
        """Return whether all nodes are judged beside siblings; judge them if it is worth it.

        Args:
            siblings: who stands on each node.
            cost: of judging only what is asked.
        """
        known = self._known(siblings)
        if not known.is_complete:
            known.spent += cost
            if known.spent >= self._snapshot.nodes.size:
                # It costs no more than has been spent on some.
                self._complete(known, siblings)
        return known.is_complete

    def _known(self, siblings: Siblings) -> _Known:
        known = self._beside.get(siblings)
        if known is None:
            known = self._beside[siblings] = _Known()
        return known

    def _judge(self, rows: RowArray | None) -> tuple[BoolArray, IntArray]:
        kind = self._kind
        passed, scores = judge_by_sums(
            self._framework,
            kind.parts,
            kind.state,
            pod=kind.pod,
            cluster=self._snapshot,
            rows=rows,
        )
        if kind.parts.by_nodes:
            scores += kind.by_nodes.plain if rows is None else kind.by_nodes.plain[rows]
        return passed, scores

    def _complete(self, known: _Known, siblings: Siblings) -> None:
        """Judge all nodes at once, as if these siblings stood on each and no others."""
        size = self._snapshot.nodes.size
        additions: list[tuple[Requests, IntArray]] = []
        standing = self._standing.by_row
        for number, kind in enumerate(self._kinds):
            many = np.full(size, count_of(siblings, number), dtype=np.int64)
            counts = {row: count_of(there, number) for row, there in standing.items()}
            for row, count in counts.items():
                many[row] -= count
            if many.any():
                additions.append((kind.pod.requests, many))
        with self._snapshot.nodes.padded(additions):
            known.passed, known.scores = self._judge(None)
        known.is_complete = True
        known.few.clear()


class _Known:
    """Judgements for the same siblings on each node, as far as somebody asked."""

    __slots__ = ("few", "is_complete", "passed", "scores", "spent")

    def __init__(self) -> None:
        self.few: dict[int, tuple[bool, int]] = {}
        self.passed: BoolArray = _NOTHING_PASSED
        self.scores: IntArray = _NO_SCORES
        self.is_complete = False
        self.spent = 0
