"""Small real plugins for tests of the runtime."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedEntity
from kubegang.scheduler.framework.interface import PreFilterResult, Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, RowArray, Rows
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, unschedulable


class Sort:
    """The one plugin that every profile needs."""

    NAME: ClassVar[str] = "Sort"

    def queue_sort(self, entity: QueuedEntity) -> tuple[float, ...]:
        return (entity.timestamp,)


class Narrow:
    """Says something about the pod before any node is looked at."""

    NAME: ClassVar[str] = "Narrow"

    def __init__(
        self, name: str, status: Status = SUCCESS, *nodes: str, narrows: bool = False
    ) -> None:
        self.NAME = name  # type: ignore[misc]  # two of a kind in one profile
        self._status = status
        self._nodes = frozenset(map(NodeName, nodes)) if nodes or narrows else None

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        return PreFilterResult(self._status, self._nodes)


class Forbid:
    """Refuses nodes by name; counts how often it was asked."""

    NAME: ClassVar[str] = "Forbid"

    def __init__(self, *names: str, key: Hashable = "always") -> None:
        self.asked = 0
        self._names = names
        self._key = key

    def filter_key(self, pod: PodInfo) -> Hashable:
        return self._key

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        self.asked += 1
        return np.array([name not in self._names for name in cluster.nodes.names], dtype=np.bool_)[
            rows
        ]

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        return (Refusal(rows, unschedulable("forbidden")),)


class NodeByNode:
    """Refuses nodes by name, one at a time; notes which it was asked about."""

    NAME: ClassVar[str] = "NodeByNode"

    def __init__(self, *names: str) -> None:
        self.asked: list[str] = []
        self._names = names

    def filter_node(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, row: int
    ) -> Status:
        name = cluster.nodes.names[row]
        self.asked.append(name)
        return unschedulable(f"not {name}") if name in self._names else SUCCESS


class ByPodCount:
    """Scores by the number of pods on a node; counts how many rows it scored."""

    NAME: ClassVar[str] = "ByPodCount"

    def __init__(self, factor: int = 1) -> None:
        self.rows_scored = 0
        self._factor = factor

    def score_key(self, pod: PodInfo) -> Hashable:
        return pod.requests

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        self.rows_scored += len(rows)
        scores: IntArray = cluster.nodes.pod_count[rows] * self._factor
        return scores
