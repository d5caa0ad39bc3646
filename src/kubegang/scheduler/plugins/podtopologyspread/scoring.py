"""How well nodes keep the soft constraints: the fewer matching pods around, the better.

Counts are weighed by the logarithm of the number of domains, so that a key with many small
domains is not drowned by one with few large ones. Floating point as upstream's. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from kubegang.scheduler.framework.domains import NO_DOMAIN
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE
from kubegang.scheduler.framework.nodetable import BoolArray, FloatArray, IntArray, RowArray
from kubegang.scheduler.plugins.podtopologyspread.counting import CountedConstraint

_HOSTNAME: Final = "kubernetes.io/hostname"
_IGNORED: Final = -1
"""The score of a node that lacks a label, before normalisation."""


class SoftConstraints(NamedTuple):
    """What scoring needs to know.

    Attributes:
        weights: of each constraint's counts.
        every_key: whether a node that lacks the label of any constraint is ignored.
    """

    counted: Sequence[CountedConstraint]
    weights: Sequence[float]
    every_key: bool


def weigh(
    counted: Sequence[CountedConstraint], *, rows: RowArray, every_key: bool
) -> SoftConstraints:
    """Return the constraints weighed by how many domains the feasible nodes have."""
    looked_at = rows[~_lacking(counted, rows)] if every_key else rows
    weights = [
        # A host is a domain whether or not its label says so.
        math.log((len(looked_at) if _is_host(entry) else _domain_count(entry, looked_at)) + 2)
        for entry in counted
    ]
    return SoftConstraints(counted, weights, every_key)


def crowdedness(soft: SoftConstraints, *, rows: RowArray) -> IntArray:
    """Return how crowded each node's domains are; below zero for ignored nodes."""
    total: FloatArray = np.zeros(len(rows), dtype=np.float64)
    for entry, weight in zip(soft.counted, soft.weights, strict=True):
        ids = entry.domains.ids[rows]
        pods = entry.pods.by_row()[rows] if _is_host(entry) else entry.pods.over(entry.domains)[ids]
        crowd = pods * weight + float(entry.constraint.max_skew - 1)
        total += np.where(ids != NO_DOMAIN, crowd, 0.0)
    rounded: IntArray = np.floor(total + 0.5).astype(np.int64)
    if soft.every_key:
        rounded[_lacking(soft.counted, rows)] = _IGNORED
    return rounded


def scale_to_emptiest(crowdedness: IntArray) -> IntArray:
    """Return the more the less crowded, 100 for the emptiest if it is empty; 0 for ignored."""
    ignored = crowdedness == _IGNORED
    if ignored.all():
        return np.zeros(len(crowdedness), dtype=np.int64)
    most, least = int(crowdedness.max()), int(crowdedness[~ignored].min())
    if most == 0:
        scores = np.full(len(crowdedness), MAX_NODE_SCORE, dtype=np.int64)
    else:
        scores = MAX_NODE_SCORE * (most + least - crowdedness) // most
    scores[ignored] = 0
    return scores


def _is_host(entry: CountedConstraint) -> bool:
    return entry.constraint.topology_key == _HOSTNAME


def _lacking(counted: Sequence[CountedConstraint], rows: RowArray) -> BoolArray:
    lacks = np.zeros(len(rows), dtype=np.bool_)
    for entry in counted:
        lacks |= entry.domains.ids[rows] == NO_DOMAIN
    return lacks


def _domain_count(entry: CountedConstraint, rows: RowArray) -> int:
    # Nodes without the label count as one domain.
    return int(np.count_nonzero(np.bincount(entry.domains.ids[rows] + 1)))
