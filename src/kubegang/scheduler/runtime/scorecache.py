"""Scores that depend on one node and the pods on it, kept until that node changes. Pure.

Between two pods of one shape only a few nodes change. Scoring those few again and reading
the rest from memory pays off where many nodes are scored per pod; for a few hundred it
costs as much as it saves, so it is used for large numbers only.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import LocalScorePlugin
from kubegang.scheduler.framework.nodetable import IntArray, NodeTable, RowArray
from kubegang.scheduler.framework.pods import PodInfo

WORTHWHILE_ROWS: Final = 1024
"""Fewer nodes are scored directly (measured: 500 rows take as long either way)."""

_KEPT: Final = 512
_WORTHWHILE_SHARE: Final = 4
"""Once more than a quarter of all nodes changed, everything is scored again."""


class _Kept:
    __slots__ = ("changes", "scores")

    def __init__(self, scores: IntArray, changes: int) -> None:
        self.scores = scores
        self.changes = changes


class ScoreCache:
    """Remembers raw scores for one node table at one version."""

    def __init__(self) -> None:
        self._table: NodeTable | None = None
        self._version = -1
        self._kept: dict[tuple[str, Hashable], _Kept] = {}

    def scores(
        self,
        plugin: LocalScorePlugin,
        state: CycleState,
        *,
        pod: PodInfo,
        cluster: ClusterView,
        rows: RowArray,
    ) -> IntArray:
        """Return the plugin's raw scores of ``rows``."""
        table = cluster.nodes
        self._forget_if_stale(table)
        key = (plugin.NAME, plugin.score_key(pod))
        kept = self._kept.get(key)
        dirty = table.changed_rows(kept.changes) if kept is not None else None
        if kept is None or dirty is None or len(dirty) * _WORTHWHILE_SHARE > table.size:
            every_row = np.arange(table.size, dtype=np.intp)
            kept = _Kept(plugin.score(state, pod, cluster=cluster, rows=every_row), table.changes)
            self._kept[key] = kept
        elif len(dirty):
            kept.scores[dirty] = plugin.score(state, pod, cluster=cluster, rows=dirty)
            kept.changes = table.changes
        return kept.scores[rows]

    def _forget_if_stale(self, table: NodeTable) -> None:
        full = len(self._kept) >= _KEPT
        if self._table is table and self._version == table.version and not full:
            return
        self._table = table
        self._version = table.version
        self._kept.clear()
