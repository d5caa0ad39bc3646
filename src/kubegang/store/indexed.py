"""What both stores share: reads, the decision about each write, and publication.

The event loop owns everything here. A write is decided against what was *submitted* before it,
whether that is durable yet or not; readers and watchers see it only after ``_publish``. How a
write becomes durable is the subclass's business.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

from kubegang.store.broadcaster import Broadcaster, HistoryPart
from kubegang.store.history import Backlog, Entry, make_entry
from kubegang.store.index import KeyIndex, first_after, prefix_end
from kubegang.store.interface import (
    CompactedError,
    Encode,
    FutureRevisionError,
    Item,
    KeyExistsError,
    KeyMissingError,
    Page,
    Revision,
    RevisionConflictError,
    StoreClosedError,
    StoreError,
    StoreUnavailableError,
    Watch,
)

FIRST_REVISION = Revision(1)
"""What an empty store is at. Not 0: in the API, resourceVersion 0 means "any"."""

MAX_UNREAD = 20_000
"""Changes that a watcher may leave unread; about four seconds of the fastest writing."""

Past = dict[str, Item | Revision | None]
"""What keys were: an item, the revision of one that is still to be read, or not there."""

_HISTORY_PART = 500


class IndexedStore(ABC):
    """Items in memory, with the promises of ``interface.Store`` but for how writes last."""

    def __init__(
        self,
        items: Sequence[Item],
        backlog: Backlog,
        *,
        compacted: Revision,
        drawn: Revision,
        max_unread: int = MAX_UNREAD,
    ) -> None:
        """Start from items sorted by key.

        Args:
            items: the current items.
            backlog: empty; it starts at the current revision.
            compacted: the revision up to which history is gone.
            drawn: the greatest revision that was ever given to a write.
            max_unread: how many changes a watcher may leave unread before it is cut.
        """
        self._index = KeyIndex(items)
        self._backlog = backlog
        self._revision = backlog.start
        self._compacted = compacted
        self._drawn = drawn
        self._submitted: dict[str, Entry] = {}
        self._broadcaster = Broadcaster(self._read_history, max_unread=max_unread)
        self._closed: str = ""
        self._trouble: StoreUnavailableError | None = None

    @property
    def revision(self) -> Revision:
        """The latest readable revision."""
        return self._revision

    @property
    def compacted(self) -> Revision:
        """The oldest revision after which ``watch`` can start."""
        return self._compacted

    # Reading

    @property
    def problem(self) -> str:
        """Why no writes are taken now; empty while all is well."""
        return self._closed or ("" if self._trouble is None else str(self._trouble))

    def get(self, key: str) -> Item | None:
        """Return the item, or ``None``."""
        return self._index.get(key)

    def list(
        self, prefix: str, *, after: str = "", limit: int = 0, at: Revision | None = None
    ) -> Page:
        """Return the items whose keys start with ``prefix``, in the order of their keys.

        Raises:
            CompactedError: ``at`` is too old.
            FutureRevisionError: ``at`` has not happened.
        """
        start = max(prefix, first_after(after)) if after else prefix
        keys = self._index.keys(start, prefix_end(prefix))
        past: Past = {}
        if at is not None and at != self._revision:
            past = self._past(prefix, start, at)
            keys = [key for key in keys if key not in past]
            keys += [key for key, item in past.items() if item is not None]
            keys.sort()
        shown = keys[:limit] if limit > 0 else keys
        items = (self._item_then(key, past) for key in shown)
        return Page(
            tuple(item for item in items if item is not None),
            self._revision if at is None else at,
            len(keys) - len(shown),
        )

    def count(self, prefix: str) -> int:
        """Return how many keys start with ``prefix``."""
        return self._index.count(prefix, prefix_end(prefix))

    def watch(self, prefix: str, *, after: Revision) -> Watch:
        """Subscribe to every change after a revision to keys that start with ``prefix``.

        Raises:
            CompactedError: the history does not reach back that far.
            StoreClosedError: the store was closed.
        """
        if self._broadcaster.closed:
            raise StoreClosedError(self._closed)
        if after < self._compacted:
            raise CompactedError(self._compacted)
        return self._broadcaster.watch(prefix, after=after, current=self._revision)

    def _past(self, prefix: str, start: str, at: Revision) -> Past:
        """Return, for each key changed since ``at``, what it was then."""
        if at > self._revision:
            raise FutureRevisionError(self._revision)
        if at < self._compacted:
            raise CompactedError(self._compacted)
        past: Past = {}
        if at < self._backlog.start:
            past = self._past_from_log(prefix, start, after=at, upto=self._backlog.start)
        for entry in self._backlog.after(max(at, self._backlog.start)):
            key = entry.item.key
            if key >= start and key.startswith(prefix):
                # The first change after ``at`` is the one that replaced what was there.
                past.setdefault(key, entry.previous)
        return past

    def _item_then(self, key: str, past: Past) -> Item | None:
        found = past.get(key)
        if found is None:
            return self._index.get(key)
        return found if isinstance(found, Item) else self._item_from_log(found)

    def _read_history(self, prefix: str, after: Revision) -> HistoryPart:
        if after < self._compacted:
            raise CompactedError(self._compacted)
        if after < self._backlog.start:
            entries, reached = self._entries_from_log(
                after=after, upto=self._backlog.start, limit=_HISTORY_PART
            )
        else:
            entries = self._backlog.after(after, limit=_HISTORY_PART)
            full = len(entries) == _HISTORY_PART
            reached = entries[-1].item.revision if full else self._revision
        return [e.change for e in entries if e.item.key.startswith(prefix)], reached

    # Writing

    async def create(self, key: str, encode: Encode) -> Item:
        """Add a key.

        Raises:
            KeyExistsError: it exists, or another create of it is under way.
        """
        found = self._newest(key)
        if found is not None:
            await self._settled(key)
            raise KeyExistsError(key)
        return await self._change("created", key, encode, previous=None)

    async def update(self, key: str, encode: Encode, *, expected: Revision) -> Item:
        """Replace the value if the key is still at ``expected``.

        Raises:
            KeyMissingError: the key does not exist.
            RevisionConflictError: it has another revision.
        """
        previous = await self._expect(key, expected)
        return await self._change("updated", key, encode, previous=previous)

    async def delete(self, key: str, encode: Encode, *, expected: Revision) -> Item:
        """Remove the key if it is still at ``expected``; the final value is for watchers.

        Raises:
            KeyMissingError: the key does not exist.
            RevisionConflictError: it has another revision.
        """
        previous = await self._expect(key, expected)
        return await self._change("deleted", key, encode, previous=previous)

    async def _expect(self, key: str, expected: Revision) -> Item:
        found = self._newest(key)
        if found is not None and found.revision == expected:
            return found
        await self._settled(key)
        if found is None:
            raise KeyMissingError(key)
        raise RevisionConflictError(found)

    def _newest(self, key: str) -> Item | None:
        """Return the item as the writes submitted so far leave it."""
        self._check_open()
        entry = self._submitted.get(key)
        if entry is None:
            return self._index.get(key)
        return None if entry.change.type == "deleted" else entry.item

    def _check_open(self) -> None:
        if self._closed or self._trouble is not None:
            raise self._refusal()

    def _refusal(self) -> StoreError:
        """Return a new error that says why no writes are taken."""
        if self._closed or self._trouble is None:
            return StoreClosedError(self._closed)
        return type(self._trouble)(str(self._trouble))

    async def _settled(self, key: str) -> None:
        """Wait until the write that a refusal rests on is readable.

        Without it, a caller that reads and tries again would read the old state and turn in
        circles until the disk is done.
        """
        entry = self._submitted.get(key)
        if entry is not None:
            await self._durable(entry.item.revision)

    async def _change(
        self,
        kind: Literal["created", "updated", "deleted"],
        key: str,
        encode: Encode,
        *,
        previous: Item | None,
    ) -> Item:
        self._drawn = revision = self._draw()
        entry = make_entry(kind, Item(key, encode(revision), revision), previous=previous)
        self._submitted[key] = entry
        await self._write(entry)
        return entry.item

    def _draw(self) -> Revision:
        """Return the next revision; it counts as used even if its write fails."""
        return Revision(self._drawn + 1)

    def _publish(self, entries: Sequence[Entry]) -> None:
        """Show durable changes to readers and watchers."""
        for entry in entries:
            key = entry.item.key
            if entry.change.type == "deleted":
                self._index.remove(key)
            else:
                self._index.put(entry.item)
            if self._submitted.get(key) is entry:
                del self._submitted[key]
            self._backlog.append(entry)
        self._revision = entries[-1].item.revision
        self._broadcaster.publish([entry.change for entry in entries])

    # Left to subclasses

    @abstractmethod
    async def _write(self, entry: Entry) -> None:
        """Return after the entry is durable and published, or raise ``StoreClosedError``."""

    @abstractmethod
    async def _durable(self, revision: Revision) -> None:
        """Return after a submitted write is published, or raise ``StoreClosedError``."""

    @abstractmethod
    def _entries_from_log(
        self, *, after: Revision, upto: Revision, limit: int
    ) -> tuple[Sequence[Entry], Revision]:
        """Return logged entries of a range, and the revision up to which they reach."""

    @abstractmethod
    def _past_from_log(self, prefix: str, start: str, *, after: Revision, upto: Revision) -> Past:
        """Return what keys from ``start`` on were before their first change in a range."""

    @abstractmethod
    def _item_from_log(self, revision: Revision) -> Item:
        """Return the item that a revision wrote."""
