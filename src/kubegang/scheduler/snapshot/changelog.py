"""Which rows changed, in order: how caches of per-row results find out what to refresh. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from kubegang.scheduler.framework.nodetable import RowArray

_KEPT: Final = 32768
"""Changes remembered at least: more than one decision makes, with all victims it tries."""


class ChangeLog:
    """A bounded list of changed rows with a running number.

    Attributes:
        stamp: names what the table says at this moment. Every change brings a new one, and
            taking changes back brings the old one back; the same stamp, the same contents.
    """

    def __init__(self) -> None:
        self.stamp = 0
        self._stamps = 0
        self._rows: list[int] = []
        self._dropped = 0

    @property
    def count(self) -> int:
        """How many changes there were, remembered or not."""
        return self._dropped + len(self._rows)

    @property
    def next_stamp(self) -> int:
        """The stamp that the next change will bring."""
        return self._stamps + 1

    def append(self, row: int) -> None:
        """Note that a row changed."""
        self._rows.append(row)
        self._stamps += 1
        self.stamp = self._stamps
        if len(self._rows) > 2 * _KEPT:
            self._drop()

    def extend(self, rows: Iterable[int]) -> None:
        """Note that rows changed."""
        self._rows.extend(rows)
        self._stamps += 1
        self.stamp = self._stamps
        if len(self._rows) > 2 * _KEPT:
            self._drop()

    def rows(self, since: int) -> RowArray | None:
        """Return the rows changed after number ``since``, once each; ``None`` if forgotten."""
        if since < self._dropped:
            return None
        return np.array(sorted(set(self._rows[since - self._dropped :])), dtype=np.intp)

    def _drop(self) -> None:
        excess = len(self._rows) - _KEPT
        del self._rows[:excess]
        self._dropped += excess

    def forget(self) -> None:
        """Make every earlier ``since`` too old: row numbers have a new meaning."""
        self._dropped += len(self._rows) + 1
        self._stamps += 1
        self.stamp = self._stamps
        self._rows.clear()
