"""How many nodes are looked at for one pod, and which of the best is taken.

In a large cluster looking at all nodes for every pod takes longer than the result is worth:
the search stops once it has found enough, and the next one goes on where it stopped, so
that every node gets its turn (kube-scheduler's rule and numbers). Pure.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.framework.rng import Rng

_ENOUGH: Final = 100
"""Clusters smaller than this are looked at whole, and no search stops before so many."""
_LEAST_PERCENTAGE: Final = 5


def nodes_to_find(nodes: int, *, percentage: int) -> int:
    """Return how many feasible nodes end the search.

    Args:
        nodes: how many there are to look at.
        percentage: of them to find; 0 lets their number decide: from 50 down to 5.
    """
    if nodes < _ENOUGH:
        return nodes
    if not percentage:
        percentage = max(50 - nodes // 125, _LEAST_PERCENTAGE)
    return max(nodes * percentage // 100, _ENOUGH)


class Sample(NamedTuple):
    """What a search looked at.

    Attributes:
        positions: of the feasible nodes taken, in the order in which they were found.
        examined: how many nodes were looked at.
    """

    positions: RowArray
    examined: int


def take_sample(feasible: RowArray, *, nodes: int, start: int, enough: int) -> Sample:
    """Return the first feasible nodes after ``start``, going round once.

    Args:
        feasible: positions of all feasible nodes, rising.
        nodes: how many there are to look at.
        start: the position at which to begin.
        enough: how many to take.
    """
    if len(feasible) <= enough:
        return Sample(feasible, nodes)
    split = int(np.searchsorted(feasible, start))
    in_order = np.concatenate((feasible[split:], feasible[:split]))
    # The search notices that it has enough when it meets one more.
    examined = (int(in_order[enough]) - start) % nodes
    return Sample(in_order[:enough], examined)


def select_host(scores: IntArray, rng: Rng) -> int:
    """Return the index of a highest score; equal ones have equal chances."""
    best = np.flatnonzero(scores == scores.max())
    return int(best[0] if len(best) == 1 else best[rng.randrange(len(best))])
