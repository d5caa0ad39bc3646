"""The domains of a topology key: groups of nodes with the same value of a label.

A domain is a number, the position of its value in the label's column, so that counts per
domain are arrays. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

import numpy as np

from kubegang.scheduler.framework.nodetable import BoolArray, NodeTable, RowArray

NO_DOMAIN: Final = -1
"""Where a node without the label belongs."""

NOT_COUNTED: Final = -2
"""Where what runs on a node is put that is not to be counted."""

_KEPT: Final = 512
"""Domains kept at most; more distinct wishes at once start over."""

MaskMaker = Callable[[], BoolArray]


class Domains:
    """The domains of one key, for one version of the node table.

    Equal to itself only, so that sums over it can be kept.

    Attributes:
        ids: per row its domain, or ``NO_DOMAIN``.
        counted: per row the domain for which its pods count, or ``NOT_COUNTED``.
        length: how long an array of sums is: one entry per domain, and two for the above.
        present: the domains with at least one node that counts.
    """

    __slots__ = ("counted", "ids", "length", "present")

    def __init__(self, table: NodeTable, key: str, eligible: BoolArray | None = None) -> None:
        """Look up the domains.

        Args:
            table: the nodes.
            key: the label.
            eligible: the rows that count; all that have the label if not given.
        """
        column = table.label(key)
        self.ids = column.ids
        counts = self.ids >= 0 if eligible is None else (self.ids >= 0) & eligible
        self.counted = np.where(counts, self.ids, NOT_COUNTED)
        self.length = len(column.values) + 2
        self.present: RowArray = np.flatnonzero(np.bincount(self.ids[counts]))


class DomainCache:
    """Remembers domains until a Node object changes."""

    def __init__(self) -> None:
        self._table: NodeTable | None = None
        self._version = -1
        self._kept: dict[tuple[str, Hashable], Domains] = {}

    def of(self, table: NodeTable, key: str) -> Domains:
        """Return the domains of a key, every node with the label counted."""
        return self._find(table, key, None, None)

    def among(self, table: NodeTable, key: str, *, wish: Hashable, eligible: MaskMaker) -> Domains:
        """Return the domains of a key with only some nodes counted.

        Args:
            table: the nodes.
            key: the label.
            wish: what ``eligible`` depends on besides the nodes; not ``None``.
            eligible: says which rows count.
        """
        return self._find(table, key, wish, eligible)

    def _find(
        self, table: NodeTable, key: str, wish: Hashable, eligible: MaskMaker | None
    ) -> Domains:
        # Another table may have reached the same version by another way.
        if self._table is not table or self._version != table.version or len(self._kept) >= _KEPT:
            self._table, self._version = table, table.version
            self._kept.clear()
        domains = self._kept.get((key, wish))
        if domains is None:
            domains = Domains(table, key, None if eligible is None else eligible())
            self._kept[key, wish] = domains
        return domains
