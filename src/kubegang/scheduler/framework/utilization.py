"""Scores that follow a line through points, from how much of something is used. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import msgspec

from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE

MAX_UTILIZATION: Final = 100
_MAX_POINT_SCORE: Final = 10


class UtilizationShapePoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A point of the line.

    Attributes:
        utilization: 0 to 100.
        score: 0 to 10.
    """

    utilization: int
    score: int


def score_by_utilization(points: Sequence[UtilizationShapePoint], *, where: str) -> tuple[int, ...]:
    """Return a score for each utilization from 0 to 100.

    Args:
        points: the line bends here.
        where: the field, for messages.

    Raises:
        PluginConfigError: there is no point, or the points are out of range or order.
    """
    _require_line(points, where)
    at = [point.utilization for point in points]
    scores = [point.score * (MAX_NODE_SCORE // _MAX_POINT_SCORE) for point in points]
    return tuple(_on_line(at, scores, u) for u in range(MAX_UTILIZATION + 1))


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


def _require_line(points: Sequence[UtilizationShapePoint], where: str) -> None:
    if not points:
        raise PluginConfigError(f"{where}: at least one point must be specified")
    for point in points:
        if not 0 <= point.utilization <= MAX_UTILIZATION:
            raise PluginConfigError(f"{where}: utilization {point.utilization} is not in 0 to 100")
        if not 0 <= point.score <= _MAX_POINT_SCORE:
            raise PluginConfigError(f"{where}: score {point.score} is not in 0 to 10")
    for before, after in itertools.pairwise(points):
        if before.utilization >= after.utilization:
            raise PluginConfigError(f"{where}: utilization values must rise from point to point")
