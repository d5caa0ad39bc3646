"""Which node comes closest to fitting a pod, and what it lacks. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.nodetable import NodeTable, RowArray
from kubegang.scheduler.framework.pods import NodeName, PodInfo

_ROOM_PREFIX: Final = "Insufficient "
_ROOM_REASON: Final = "Too many pods"
_BINARY_UNITS: Final = (("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))
_IN_BYTES: Final = ("memory", "ephemeral-storage", "hugepages-")


class Lack(NamedTuple):
    """A resource of which a node has too little left.

    Attributes:
        free: what is left there, possibly below zero.
        capacity: what the node has in all.
    """

    resource: str
    wanted: int
    free: int
    capacity: int

    @property
    def missing(self) -> int:
        """How much more would have to be free."""
        return self.wanted - self.free


class NearMiss(NamedTuple):
    """The node that needs the least to fit, among those that only lack room."""

    node: NodeName
    lacks: tuple[Lack, ...]


def closest_node(table: NodeTable, pod: PodInfo, refusals: Sequence[Refusal]) -> NearMiss | None:
    """Return the node closest to fitting; ``None`` if no node is short of room only.

    Closest is the one whose largest shortage, as a share of what is asked for, is smallest;
    among equals the first in the order of the refusals.
    """
    rows = [refusal.rows for refusal in refusals if is_about_room(refusal)]
    if not rows:
        return None
    candidates = np.concatenate(rows)
    best = int(candidates[int(np.argmin(_shortage(table, pod, candidates)))])
    return NearMiss(table.names[best], lacks_on(table, pod, best))


def format_amount(resource: str, amount: int) -> str:
    """Return an amount as manifests write it: ``1500m``, ``2``, ``512Mi``."""
    if resource == "cpu":
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    if resource.startswith(_IN_BYTES):
        for unit, size in _BINARY_UNITS:
            if amount and amount % size == 0:
                return f"{amount // size}{unit}"
    return str(amount)


def is_about_room(refusal: Refusal) -> bool:
    """Return whether a refusal is about nothing but too little room."""
    reasons = refusal.status.reasons
    return bool(reasons) and all(
        reason == _ROOM_REASON or reason.startswith(_ROOM_PREFIX) for reason in reasons
    )


def _shortage(table: NodeTable, pod: PodInfo, rows: RowArray) -> np.ndarray:
    full = table.pod_count[rows] >= table.allowed_pods[rows]
    worst = full.astype(np.float64)
    for resource, wanted in pod.requests.items:
        free = table.allocatable(resource)[rows] - table.requested(resource)[rows]
        worst = np.maximum(worst, (wanted - free) / wanted)
    return worst


def lacks_on(table: NodeTable, pod: PodInfo, row: int) -> tuple[Lack, ...]:
    """Return of what a node has too little left for a pod, as it is in the table now."""
    count, allowed = int(table.pod_count[row]), int(table.allowed_pods[row])
    lacks = [Lack("pods", 1, allowed - count, allowed)] if count >= allowed else []
    for resource, wanted in pod.requests.items:
        capacity = int(table.allocatable(resource)[row])
        free = capacity - int(table.requested(resource)[row])
        if free < wanted:
            lacks.append(Lack(resource, wanted, free, capacity))
    return tuple(lacks)
