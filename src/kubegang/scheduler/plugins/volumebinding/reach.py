"""From which nodes a volume can be reached: worked out once per distinct demand. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kubegang.scheduler.framework.nodeselection import matching_nodes, node_is_demanded
from kubegang.scheduler.framework.nodetable import BoolArray, NodeTable, RowArray
from kubegang.scheduler.framework.terms import NodeAffinityTerms, NodeSelectorTerm

Terms = tuple[NodeSelectorTerm, ...]

_KEPT: Final = 20_000
"""Demands remembered at most; a cluster with more starts over."""


class Reach:
    """Rows by demand, for one node table at one version.

    Local volumes are many, each with a demand of its own that one node meets, so candidates
    are looked up by a label's value instead of asking every node.
    """

    def __init__(self) -> None:
        self._table: NodeTable | None = None
        self._version = -1
        self._rows: dict[Terms, RowArray] = {}
        self._by_label: dict[str, dict[str, RowArray]] = {}

    def rows(self, table: NodeTable, terms: Terms) -> RowArray:
        """Return the rows of the nodes that meet one of the terms, in order."""
        self._forget_if_stale(table)
        known = self._rows.get(terms)
        if known is None:
            found = [self._rows_of(table, term) for term in terms]
            known = found[0] if len(found) == 1 else _union(found)
            self._rows[terms] = known
        return known

    def mask(self, table: NodeTable, terms: Terms | None) -> BoolArray:
        """Return which nodes meet one of the terms; all do without any demand."""
        if terms is None:
            return np.ones(table.size, dtype=np.bool_)
        mask = np.zeros(table.size, dtype=np.bool_)
        mask[self.rows(table, terms)] = True
        return mask

    def _rows_of(self, table: NodeTable, term: NodeSelectorTerm) -> RowArray:
        for key, operator, values in term.expressions:
            if operator == "In":
                index = self._index(table, key)
                candidates = _union([index[value] for value in values if value in index])
                if len(term.expressions) == 1 and not term.fields:
                    return candidates
                wanted = NodeAffinityTerms((), (term,), ())
                meeting = [
                    row for row in candidates.tolist() if node_is_demanded(table.infos[row], wanted)
                ]
                return np.array(meeting, dtype=np.intp)
        return np.flatnonzero(matching_nodes(table, term))

    def _index(self, table: NodeTable, key: str) -> dict[str, RowArray]:
        index = self._by_label.get(key)
        if index is None:
            column = table.label(key)
            order = np.argsort(column.ids, kind="stable")
            starts = np.searchsorted(column.ids[order], np.arange(len(column.values) + 1))
            index = self._by_label[key] = {
                value: order[starts[position] : starts[position + 1]]
                for position, value in enumerate(column.values)
            }
        return index

    def _forget_if_stale(self, table: NodeTable) -> None:
        if self._table is table and self._version == table.version and len(self._rows) < _KEPT:
            return
        self._table, self._version = table, table.version
        self._rows.clear()
        self._by_label.clear()


def _union(rows: Sequence[RowArray]) -> RowArray:
    if not rows:
        return np.array([], dtype=np.intp)
    return rows[0] if len(rows) == 1 else np.unique(np.concatenate(rows))
