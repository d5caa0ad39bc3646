"""The lowest priority on each node: where preemption need not look.

Most pods that find no room are not stronger than those that run, and then every node would
have to be looked through for nothing. Worked out anew only for nodes that changed. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from kubegang.scheduler.framework.nodetable import IntArray, NodeTable

NOBODY: Final = np.iinfo(np.int64).max
"""Stands for a node without pods."""


class WeakestPods:
    """Remembers, per row of one table, the lowest priority of the pods there."""

    def __init__(self, table: NodeTable, priorities_on: Callable[[int], Sequence[int]]) -> None:
        self._table = table
        self._priorities_on = priorities_on
        self._lowest: IntArray = np.empty(0, dtype=np.int64)
        self._changes = -1

    def by_row(self) -> IntArray:
        """Return the lowest priority per row, or ``NOBODY``; do not change the array."""
        rows = self._table.changed_rows(self._changes)
        if rows is None:
            rows = np.arange(self._table.size, dtype=np.intp)
            self._lowest = np.empty(self._table.size, dtype=np.int64)
        for row in rows.tolist():
            self._lowest[row] = min(self._priorities_on(row), default=NOBODY)
        self._changes = self._table.changes
        return self._lowest
