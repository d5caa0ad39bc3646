"""The store's promises kept in memory: for runs and tests that need no file.

Same decisions, same history, same errors as ``sqlite.py``; only nothing outlives the process.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kubegang.base.turns import next_turn
from kubegang.store.history import Backlog, Entry
from kubegang.store.indexed import FIRST_REVISION, MAX_UNREAD, IndexedStore, Past
from kubegang.store.interface import FutureRevisionError, Item, Revision


class MemoryStore(IndexedStore):
    """A store whose whole history lies in its backlog, until it is compacted."""

    def __init__(self, *, max_unread: int = MAX_UNREAD) -> None:
        unbounded = Backlog(FIRST_REVISION, max_entries=sys.maxsize, max_bytes=sys.maxsize)
        super().__init__(
            (), unbounded, compacted=Revision(0), drawn=FIRST_REVISION, max_unread=max_unread
        )

    async def compact(self, keep_after: Revision) -> None:
        """Forget history up to and including ``keep_after``; current values stay.

        Raises:
            FutureRevisionError: that revision has not happened.
        """
        if keep_after > self._revision:
            raise FutureRevisionError(self._revision)
        if keep_after > self._compacted:
            self._compacted = keep_after
            self._backlog.forget(keep_after)

    async def close(self) -> None:
        """End all watches and refuse further writes."""
        self._closed = "the store was closed"
        self._broadcaster.close()

    async def _write(self, entry: Entry) -> None:
        self._publish([entry])
        # As with a disk, others get a turn: a burst of writes must not starve its watchers.
        await next_turn()

    async def _durable(self, revision: Revision) -> None:
        await next_turn()

    def _entries_from_log(
        self, *, after: Revision, upto: Revision, limit: int
    ) -> tuple[Sequence[Entry], Revision]:
        # Before the backlog's start there is nothing but the empty store's first revision.
        return (), upto

    def _past_from_log(self, prefix: str, start: str, *, after: Revision, upto: Revision) -> Past:
        return {}

    def _item_from_log(self, revision: Revision) -> Item:
        raise LookupError(f"revision {revision} was looked for before the store's beginning")
