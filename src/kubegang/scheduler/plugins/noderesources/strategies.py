"""How NodeResourcesFit turns free room into a score: three strategies, in exact integers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kubegang.scheduler.framework.interface import MAX_NODE_SCORE
from kubegang.scheduler.framework.nodetable import IntArray
from kubegang.scheduler.framework.utilization import (
    MAX_UTILIZATION,
    UtilizationShapePoint,
    score_by_utilization,
)
from kubegang.scheduler.plugins.noderesources.allocation import (
    Allocation,
    Strategy,
    weighted_mean,
)

_SHAPE: Final = "arguments of plugin NodeResourcesFit: requestedToCapacityRatio.shape"


def least_allocated(parts: Sequence[Allocation], count: int) -> IntArray:
    """Return more for nodes with more room left."""
    return weighted_mean(parts, count, of=_free_share)


def most_allocated(parts: Sequence[Allocation], count: int) -> IntArray:
    """Return more for nodes with less room left."""
    return weighted_mean(parts, count, of=_taken_share)


def _free_share(taken: IntArray, has: IntArray) -> IntArray:
    free: IntArray = np.maximum(has - taken, 0)
    return free * MAX_NODE_SCORE // has


def _taken_share(taken: IntArray, has: IntArray) -> IntArray:
    used: IntArray = np.minimum(taken, has)
    return used * MAX_NODE_SCORE // has


def requested_to_capacity_ratio(points: Sequence[UtilizationShapePoint]) -> Strategy:
    """Return the strategy that follows a line through points.

    Raises:
        PluginConfigError: there is no point, or the points are out of range or order.
    """
    table = np.array(score_by_utilization(points, where=_SHAPE), np.int64)

    def strategy(parts: Sequence[Allocation], count: int) -> IntArray:
        total = np.zeros(count, dtype=np.int64)
        weights = np.zeros(count, dtype=np.int64)
        for part in parts:
            has = np.maximum(part.allocatable, 1)
            taken = part.allocated + part.wanted
            used = np.where(taken > has, MAX_UTILIZATION, taken * MAX_UTILIZATION // has)
            score = np.where(part.allocatable > 0, table[np.minimum(used, MAX_UTILIZATION)], 0)
            # Upstream leaves resources that score nothing out of the mean.
            total += score * part.weight
            weights += np.where(score > 0, part.weight, 0)
        return _rounded_mean(total, weights)

    return strategy


def _rounded_mean(total: IntArray, weights: IntArray) -> IntArray:
    ratio = total.astype(np.float64) / np.maximum(weights, 1)
    # Halves go away from zero, as Go rounds; scores are not negative.
    rounded = np.floor(ratio + 0.5).astype(np.int64)
    return np.where(weights > 0, rounded, 0)
