"""Numbers per row of which most are zero, and their sums per topology domain. Pure."""

from __future__ import annotations

from collections import deque
from typing import Final

import numpy as np

from kubegang.scheduler.framework.domains import Domains
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.nodetable import IntArray, NodeTable, RowArray

_SUMS_KEPT: Final = 4 * 2**20
"""Entries of all sums together: 32 MiB. Beyond that the oldest are worked out anew."""


class SumKeeper:
    """Knows which sums are kept, so that they can be forgotten.

    Attributes:
        table: the nodes whose rows are counted.
    """

    def __init__(self, table: NodeTable) -> None:
        self.table = table
        self._kept: deque[tuple[RowCounts, Domains]] = deque()
        self._entries = 0

    def note(self, counts: RowCounts, domains: Domains) -> None:
        """Note that sums are kept from now on; the oldest may have to go for them."""
        self._kept.append((counts, domains))
        self._entries += domains.length
        while self._entries > _SUMS_KEPT and len(self._kept) > 1:
            oldest, old_domains = self._kept.popleft()
            oldest.forget(old_domains)
            self._entries -= old_domains.length

    def forget_all(self) -> None:
        """Forget every sum: rows or domains have a new meaning."""
        for counts, domains in self._kept:
            counts.forget(domains)
        self._kept.clear()
        self._entries = 0


class RowCounts:
    """A number per row; fulfils ``PodCounts``.

    Integers only, so taking a step back restores every sum exactly.
    """

    __slots__ = ("_keeper", "_rows", "_sums")

    def __init__(self, keeper: SumKeeper) -> None:
        self._keeper = keeper
        self._rows: dict[int, int] = {}
        self._sums: dict[Domains, IntArray] = {}

    @property
    def is_empty(self) -> bool:
        """Whether every number is zero."""
        return not self._rows

    def rows(self) -> dict[int, int]:
        """Return the rows whose number is not zero, in order."""
        return dict(sorted(self._rows.items()))

    def over(self, domains: Domains) -> IntArray:
        """Return the sum per domain, from now on kept up to date."""
        sums = self._sums.get(domains)
        if sums is None:
            sums = self._sums[domains] = self._added_up(domains)
            self._keeper.note(self, domains)
        return sums

    def by_row(self) -> IntArray:
        """Return the number of every row."""
        every_row = np.zeros(self._keeper.table.size, dtype=np.int64)
        rows, numbers = self._arrays()
        every_row[rows] = numbers
        return every_row

    def add(self, row: int, change: int) -> None:
        """Add to a row's number."""
        count = self._rows.get(row, 0) + change
        if count > 0:
            self._rows[row] = count
        elif count == 0:
            del self._rows[row]
        else:
            raise InvariantError(f"row {row} counts {count} pods of some kind")
        for domains, sums in self._sums.items():
            sums[domains.counted[row]] += change

    def move(self, source: int, target: int) -> None:
        """Give one row's number to another row, which has none."""
        if source in self._rows:
            self._rows[target] = self._rows.pop(source)

    def forget(self, domains: Domains) -> None:
        """Stop keeping the sums over some domains."""
        del self._sums[domains]

    def sums_are_true(self) -> bool:
        """Return whether all sums that are kept say what the numbers say."""
        return all(
            np.array_equal(sums, self._added_up(domains)) for domains, sums in self._sums.items()
        )

    def _added_up(self, domains: Domains) -> IntArray:
        sums = np.zeros(domains.length, dtype=np.int64)
        rows, numbers = self._arrays()
        np.add.at(sums, domains.counted[rows], numbers)
        return sums

    def _arrays(self) -> tuple[RowArray, IntArray]:
        many = len(self._rows)
        rows = np.fromiter(self._rows.keys(), dtype=np.intp, count=many)
        return rows, np.fromiter(self._rows.values(), dtype=np.int64, count=many)
