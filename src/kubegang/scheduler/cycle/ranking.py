"""What a full search found, as batching takes it over. Pure."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.runtime.scoring import ScoreParts


class Ranking(NamedTuple):
    """The feasible nodes of a full search.

    Attributes:
        rows: of the nodes, at least two.
        position: where the chosen one stands.
        totals: scores, in the order of ``rows``.
        parts: of the scores.
    """

    rows: RowArray
    position: int
    totals: IntArray
    parts: ScoreParts


class KnownNodes(Protocol):
    """What the plugins say about nodes for one kind of pods."""

    def passes(self, row: int) -> bool:
        """Return whether such a pod may go to a node."""
        ...

    def scores_at(self, row: int) -> ScoreParts:
        """Return the scores of one node."""
        ...


def with_score(
    scores: IntArray | None, position: int, fresh: IntArray, *, size: int = 0
) -> IntArray:
    """Return a copy of scores in which one node has a fresh one.

    Args:
        scores: of all nodes; ``None``: the plugin had nothing to say about them.
        position: of the node.
        fresh: its score alone.
        size: how many nodes there are, if nothing is known of them.
    """
    changed = np.zeros(size, dtype=np.int64) if scores is None else scores.copy()
    changed[position] = fresh[0]
    return changed
