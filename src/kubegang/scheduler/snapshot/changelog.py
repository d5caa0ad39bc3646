"""Which rows changed, in order: how caches of per-row results find out what to refresh. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from kubegang.scheduler.framework.nodetable import RowArray

_KEPT: Final = 32768
"""Changes remembered at least: more than one decision makes, with all victims it tries."""


class ChangeLog:
    """A bounded list of changed rows with a running number."""

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._dropped = 0

    @property
    def count(self) -> int:
        """How many changes there were, remembered or not."""
        return self._dropped + len(self._rows)

    def append(self, row: int) -> None:
        """Note that a row changed."""
        self._rows.append(row)
        if len(self._rows) > 2 * _KEPT:
            self._drop()

    def extend(self, rows: Iterable[int]) -> None:
        """Note that rows changed."""
        self._rows.extend(rows)
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
        self._rows.clear()
