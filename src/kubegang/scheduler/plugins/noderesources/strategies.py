"""How NodeResourcesFit turns free room into a score: three strategies, in exact integers. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE
from kubegang.scheduler.framework.nodetable import IntArray
from kubegang.scheduler.plugins.noderesources.allocation import (
    Allocation,
    Strategy,
    weighted_mean,
)

_MAX_UTILIZATION: Final = 100
_MAX_POINT_SCORE: Final = 10


class UtilizationShapePoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A point of the line that RequestedToCapacityRatio follows.

    Attributes:
        utilization: 0 to 100.
        score: 0 to 10.
    """

    utilization: int
    score: int


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
    _require_line(points)
    at = [point.utilization for point in points]
    scores = [point.score * (MAX_NODE_SCORE // _MAX_POINT_SCORE) for point in points]
    table = np.array([_on_line(at, scores, u) for u in range(_MAX_UTILIZATION + 1)], np.int64)

    def strategy(parts: Sequence[Allocation], count: int) -> IntArray:
        total = np.zeros(count, dtype=np.int64)
        weights = np.zeros(count, dtype=np.int64)
        for part in parts:
            has = np.maximum(part.allocatable, 1)
            taken = part.allocated + part.wanted
            used = np.where(taken > has, _MAX_UTILIZATION, taken * _MAX_UTILIZATION // has)
            score = np.where(part.allocatable > 0, table[np.minimum(used, _MAX_UTILIZATION)], 0)
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


def _on_line(at: Sequence[int], scores: Sequence[int], utilization: int) -> int:
    for index, position in enumerate(at):
        if utilization > position:
            continue
        if index == 0:
            return scores[0]
        rise = (scores[index] - scores[index - 1]) * (utilization - at[index - 1])
        run = position - at[index - 1]
        # Go divides towards zero, Python downwards: they differ on falling lines.
        return scores[index - 1] + (rise // run if rise >= 0 else -(-rise // run))
    return scores[-1]


def _require_line(points: Sequence[UtilizationShapePoint]) -> None:
    where = "arguments of plugin NodeResourcesFit: requestedToCapacityRatio.shape"
    if not points:
        raise PluginConfigError(f"{where}: at least one point must be specified")
    for point in points:
        if not 0 <= point.utilization <= _MAX_UTILIZATION:
            raise PluginConfigError(f"{where}: utilization {point.utilization} is not in 0 to 100")
        if not 0 <= point.score <= _MAX_POINT_SCORE:
            raise PluginConfigError(f"{where}: score {point.score} is not in 0 to 10")
    for before, after in itertools.pairwise(points):
        if before.utilization >= after.utilization:
            raise PluginConfigError(f"{where}: utilization values must rise from point to point")
