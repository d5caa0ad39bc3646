"""Arithmetic that scoring plugins share. Pure."""

from __future__ import annotations

import numpy as np

from kubegang.scheduler.framework.interface import MAX_NODE_SCORE
from kubegang.scheduler.framework.nodetable import IntArray


def scale_to_best(scores: IntArray) -> IntArray:
    """Return scores as a share of the highest, 0 to 100; all 0 if the highest is."""
    highest = int(scores.max(initial=0))
    return scores * MAX_NODE_SCORE // highest if highest else scores


def scale_to_fewest(counts: IntArray) -> IntArray:
    """Return 100 for a count of nothing, 0 for the highest count; all 100 if that is 0."""
    highest = int(counts.max(initial=0))
    if not highest:
        return np.full(len(counts), MAX_NODE_SCORE, dtype=np.int64)
    return MAX_NODE_SCORE - counts * MAX_NODE_SCORE // highest
