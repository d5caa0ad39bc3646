"""How the nodes of one placement look to one kind of pods, kept while members are placed. Pure."""

from __future__ import annotations

import numpy as np

from kubegang.scheduler.cycle.judgements import Judgements, PodKind
from kubegang.scheduler.cycle.sampling import Sample, take_sample
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, RowArray
from kubegang.scheduler.runtime.scoring import ScoreParts


class Outlook:
    """Which nodes are feasible and how good they are; judged again only where members came.

    A *place* is a position among the nodes of the placement.

    Attributes:
        kind: the pods.
        rows: the nodes, in order.
        steps: how many members had been placed when this was brought up to date last.
    """

    __slots__ = (
        "_changed",
        "_feasible",
        "_is_whole",
        "_judgements",
        "_passed",
        "_places",
        "_scores",
        "_stale",
        "kind",
        "rows",
        "steps",
    )

    def __init__(
        self, rows: RowArray, *, size: int, kind: PodKind, judgements: Judgements, steps: int
    ) -> None:
        """Begin without having looked at any node.

        Args:
            rows: the nodes, in order.
            size: how many nodes the cluster has.
            kind: the pods.
            judgements: what they make of nodes.
            steps: how many members have been placed.
        """
        self.kind = kind
        self.rows = rows
        self.steps = steps
        self._judgements = judgements
        self._passed: BoolArray = np.zeros(len(rows), dtype=np.bool_)
        self._scores: IntArray = np.zeros(len(rows), dtype=np.int64)
        self._stale: BoolArray = np.ones(len(rows), dtype=np.bool_)
        self._is_whole = False
        self._changed: list[int] = []
        self._feasible: RowArray | None = None
        self._places = np.full(size, -1, dtype=np.intp)
        self._places[rows] = np.arange(len(rows), dtype=np.intp)

    # --- asking --------------------------------------------------------------------------

    def contains(self, row: int) -> bool:
        """Return whether a node belongs to the placement."""
        return bool(self._places[row] >= 0)

    def passes(self, row: int) -> bool:
        """Return whether such a pod may go to a node, be it in the placement or not."""
        return self._judgements.at(row)[0]

    def scores_at(self, row: int) -> ScoreParts:
        """Return the scores of one node, be it in the placement or not."""
        compared = self.kind.by_nodes.compared
        return ScoreParts(
            np.array([self._judgements.at(row)[1]], dtype=np.int64),
            {name: raw[row : row + 1] for name, raw in compared.items()},
        )

    def scores(self, rows: RowArray, places: RowArray) -> ScoreParts:
        """Return the scores of nodes that a sample contains; ``rows`` are those of ``places``."""
        compared = self.kind.by_nodes.compared
        return ScoreParts(self._scores[places], {name: raw[rows] for name, raw in compared.items()})

    def sample(self, *, start: int, enough: int) -> Sample:
        """Return feasible places in the order in which they are found.

        Args:
            start: the place at which to begin; may lie beyond the last one.
            enough: how many to find.
        """
        total = len(self.rows)
        start %= total
        if total >= 4 * enough:
            # Mostly a little more than enough will do.
            for length in (enough + enough // 8 + 1, 2 * enough):
                found = self._feasible_from(start, length)
                if len(found) > enough:
                    return Sample((found[:enough] + start) % total, int(found[enough]))
        self._refresh()
        if self._feasible is None:
            self._feasible = np.flatnonzero(self._passed)
        return take_sample(self._feasible, nodes=total, start=start, enough=enough)

    def _feasible_from(self, start: int, length: int) -> RowArray:
        """Return feasible places of a part that may go round, counted from its start."""
        total = len(self.rows)
        part = slice(start, min(start + length, total))
        self._refresh_part(part)
        found = np.flatnonzero(self._passed[part])
        if start + length <= total:
            return found
        rest = slice(0, start + length - total)
        self._refresh_part(rest)
        return np.concatenate((found, np.flatnonzero(self._passed[rest]) + (total - start)))

    # --- keeping up ----------------------------------------------------------------------

    def note_change(self, row: int) -> None:
        """Note that a node is to be judged again, if it belongs to the placement."""
        place = int(self._places[row])
        if place < 0:
            return
        if self._is_whole:
            self._changed.append(place)
        else:
            self._stale[place] = True

    def _refresh_part(self, part: slice) -> None:
        if self._is_whole:
            self._refresh()
            return
        stale = np.flatnonzero(self._stale[part])
        if not len(stale):
            return
        stale += part.start
        passed, scores = self._passed[stale], self._scores[stale]
        self._judgements.fill(self.rows[stale], passed, scores)
        self._passed[stale], self._scores[stale] = passed, scores
        self._stale[stale] = False

    def _refresh(self) -> None:
        if not self._is_whole:
            self._refresh_part(slice(0, len(self.rows)))
            self._is_whole = True
            return
        for place in self._changed:
            passed, self._scores[place] = self._judgements.at(int(self.rows[place]))
            if passed != self._passed[place]:
                self._passed[place] = passed
                self._feasible = None
        self._changed.clear()
