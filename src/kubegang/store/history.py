"""The recent past in memory: what watchers resume from, and what older listings are made of.

Pure: no clock, no I/O.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

import msgspec

from kubegang.store.interface import Change, Item, Revision


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One row of the log.

    Attributes:
        change: what watchers see.
        item: the key with its new value; for ``deleted`` with its final one.
        previous: the item that the change replaced or removed.
    """

    change: Change
    item: Item
    previous: Item | None


def make_entry(
    kind: Literal["created", "updated", "deleted"], item: Item, *, previous: Item | None
) -> Entry:
    """Return the entry for one change."""
    before = previous.value if previous is not None else None
    change = Change(kind, item.key, item.revision, item.value, before)
    return Entry(change, item, previous)


class Backlog:
    """The newest entries, bounded in number and in bytes; the oldest quarter goes first.

    Attributes:
        start: every entry after this revision is here.
    """

    def __init__(self, start: Revision, *, max_entries: int, max_bytes: int) -> None:
        self.start = start
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._entries: list[Entry] = []
        self._revisions: list[Revision] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def append(self, entry: Entry) -> None:
        """Add the next entry."""
        self._entries.append(entry)
        self._revisions.append(entry.item.revision)
        self._bytes += len(entry.item.value)
        while len(self._entries) > self._max_entries or self._bytes > self._max_bytes:
            # A quarter at a time, so that moving the rest up costs little per entry.
            self._drop(max(len(self._entries) // 4, 1))

    def after(self, revision: Revision, *, limit: int | None = None) -> Sequence[Entry]:
        """Return the entries after ``revision``, which is not before ``start``."""
        first = bisect_right(self._revisions, revision)
        return self._entries[first : None if limit is None else first + limit]

    def forget(self, upto: Revision) -> None:
        """Drop the entries up to and including a revision."""
        self._drop(bisect_right(self._revisions, upto))
        self.start = max(self.start, upto)

    def _drop(self, count: int) -> None:
        if count == 0:
            return
        self._bytes -= sum(len(entry.item.value) for entry in self._entries[:count])
        self.start = self._revisions[count - 1]
        del self._entries[:count], self._revisions[:count]
