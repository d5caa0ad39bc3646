"""The store on disk: reads from memory, writes in groups through one thread.

A write is decided on the event loop, waits in the current gathering until the loop's turn
ends, and is answered when its group is on disk. If the disk refuses, the store stays readable
and refuses writes until the disk takes them again, for which it looks every second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import assert_never

from kubegang.base.logging import logger
from kubegang.store.checkpointer import CHECKPOINT_BYTES, Checkpointer
from kubegang.store.history import Backlog, Entry
from kubegang.store.indexed import MAX_UNREAD, IndexedStore, Past
from kubegang.store.interface import (
    FutureRevisionError,
    Item,
    Revision,
    StoreError,
    StoreUnavailableError,
)
from kubegang.store.opening import Opened, open_locked
from kubegang.store.sqlitefile import BUSY_SECONDS
from kubegang.store.writer import (
    RESERVE,
    Committed,
    Failed,
    Recover,
    Recovered,
    Report,
    Stop,
    Stopped,
    Trim,
    Trimmed,
    Writer,
)

_log = logger(__name__)

BACKLOG_ENTRIES = 32_768
BACKLOG_BYTES = 64 << 20

RETRY_SECONDS = 1.0
"""How often a disk that refused is asked again."""


async def open_sqlite_store(
    path: Path,
    *,
    max_unread: int = MAX_UNREAD,
    backlog_entries: int = BACKLOG_ENTRIES,
    backlog_bytes: int = BACKLOG_BYTES,
    busy_seconds: float = BUSY_SECONDS,
) -> SqliteStore:
    """Open the store in a file, making it if there is none.

    Args:
        path: the database file; SQLite and the lock put further files beside it.
        max_unread: how many changes a watcher may leave unread before it is cut.
        backlog_entries: how many changes are kept in memory.
        backlog_bytes: how many bytes of values the kept changes may have.
        busy_seconds: how long a write waits for another program that has locked the database.

    Raises:
        StoreInUseError: another process has it open.
        StoreFileError: it is not a store, or it is damaged.
        StoreUnavailableError: the disk refuses, or another program has locked it.
    """
    opened = open_locked(path, busy_seconds=busy_seconds)
    backlog = Backlog(opened.revision, max_entries=backlog_entries, max_bytes=backlog_bytes)
    return SqliteStore(opened, backlog, max_unread=max_unread)


class SqliteStore(IndexedStore):
    """A store in an SQLite file; made by ``open_sqlite_store`` on the loop that will use it.

    ``_waiting`` has the futures of tasks that wait for a revision to be durable.
    """

    def __init__(
        self,
        opened: Opened,
        backlog: Backlog,
        *,
        max_unread: int = MAX_UNREAD,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        super().__init__(
            opened.items,
            backlog,
            compacted=opened.compacted,
            drawn=opened.drawn,
            max_unread=max_unread,
        )
        self._loop = asyncio.get_running_loop()
        self._lock = opened.lock
        self._reader = opened.reader
        self._reserved = Revision(opened.drawn + RESERVE)
        self._trimmed = opened.trimmed
        self._gathering: list[Entry] = []
        self._waiting: dict[Revision, list[asyncio.Future[None]]] = {}
        self._retry_seconds = retry_seconds
        self._trim_done: asyncio.Future[None] | None = None
        self._compacting = asyncio.Lock()
        self._stopped: asyncio.Future[None] = self._loop.create_future()
        self._stopping = False
        self._bytes_since_checkpoint = 0
        self._checkpointer = Checkpointer(opened.for_checkpointer)
        self._writer = Writer(
            opened.for_writer,
            connect=opened.connect,
            durable=opened.revision,
            reserved=self._reserved,
            report=self._report,
        )

    async def compact(self, keep_after: Revision) -> None:
        """Forget history up to and including ``keep_after``; current values stay.

        Raises:
            FutureRevisionError: that revision has not happened.
            StoreClosedError: the store was closed.
            StoreUnavailableError: the disk refused.
        """
        if keep_after > self._revision:
            raise FutureRevisionError(self._revision)
        async with self._compacting:
            if keep_after > self._compacted:
                self._compacted = keep_after
                self._backlog.forget(keep_after)
            # In parts, so that writes get in between.
            while self._trimmed < self._compacted:
                self._check_open()
                self._trim_done = self._loop.create_future()
                self._writer.submit(Trim(self._trimmed, self._compacted))
                await self._trim_done

    async def close(self) -> None:
        """Write what was accepted, release the files, end all watches."""
        if not self._stopping:
            self._stopping = True
            self._closed = self._closed or "the store was closed"
            self._hand_over()
            self._writer.submit(Stop(self._drawn))
        await asyncio.shield(self._stopped)

    # Writing

    def _draw(self) -> Revision:
        if self._drawn >= self._reserved:
            raise StoreUnavailableError(f"{len(self._waiting)} writes are waiting for the disk")
        return super()._draw()

    async def _write(self, entry: Entry) -> None:
        self._gathering.append(entry)
        if len(self._gathering) == 1:
            # What else the loop's present turn submits shares the commit.
            self._loop.call_soon(self._hand_over)
        await self._durable(entry.item.revision)

    async def _durable(self, revision: Revision) -> None:
        done = self._loop.create_future()
        self._waiting.setdefault(revision, []).append(done)
        await done

    def _hand_over(self) -> None:
        if self._gathering:
            self._writer.submit(self._gathering)
            self._gathering = []

    # Reports of the writer

    def _report(self, report: Report) -> None:
        """Bring a report from the writer's thread to the loop."""
        try:
            self._loop.call_soon_threadsafe(self._on_report, report)
        except RuntimeError:
            # The loop was closed before the store: nobody is left to be told.
            return

    def _on_report(self, report: Report) -> None:
        match report:
            case Committed():
                self._on_committed(report)
            case Trimmed(upto):
                self._trimmed = upto
                self._wake([self._trim_done])
            case Failed(error):
                self._on_failed(error)
            case Recovered():
                self._on_recovered(report)
            case Stopped():
                self._on_stopped()
            case _:
                assert_never(report)

    def _on_committed(self, report: Committed) -> None:
        self._reserved = report.reserved
        self._publish(report.entries)
        for entry in report.entries:
            self._wake(self._waiting.pop(entry.item.revision, ()))
        self._bytes_since_checkpoint += sum(len(entry.item.value) for entry in report.entries)
        if self._bytes_since_checkpoint >= CHECKPOINT_BYTES:
            self._bytes_since_checkpoint = 0
            self._checkpointer.wake()

    def _on_failed(self, error: StoreError) -> None:
        first = self._trouble is None
        if isinstance(error, StoreUnavailableError):
            self._trouble = error
        else:
            self._closed = self._closed or f"the store takes no more writes: {error}"
        self._gathering.clear()
        self._submitted.clear()
        waiting = [one for futures in self._waiting.values() for one in futures]
        self._waiting.clear()
        for future in [*waiting, self._trim_done]:
            if future is not None and not future.done():
                future.set_exception(self._refusal())
        if first:
            _log.error("the store takes no writes", error=str(error))
        if not self._closed:
            # At once the first time: often one write was refused for its size only.
            self._loop.call_later(0 if first else self._retry_seconds, self._recover)

    def _recover(self) -> None:
        if not self._stopping:
            self._writer.submit(Recover(self._drawn))

    def _on_recovered(self, report: Recovered) -> None:
        self._trouble = None
        self._reserved = report.reserved
        if report.entries:
            self._publish(report.entries)
        _log.warning("the store takes writes again", revision=self._revision)

    def _on_stopped(self) -> None:
        self._writer.join()
        self._checkpointer.stop()
        self._reader.close()
        self._lock.release()
        self._broadcaster.close()
        self._stopped.set_result(None)

    def _wake(self, futures: Iterable[asyncio.Future[None] | None]) -> None:
        for future in futures:
            # A task that was cancelled no longer waits; its write happened all the same.
            if future is not None and not future.done():
                future.set_result(None)

    # History on disk

    def _entries_from_log(
        self, *, after: Revision, upto: Revision, limit: int
    ) -> tuple[Sequence[Entry], Revision]:
        entries = self._reader.entries(after=after, upto=upto, limit=limit)
        return entries, entries[-1].item.revision if len(entries) == limit else upto

    def _past_from_log(self, prefix: str, start: str, *, after: Revision, upto: Revision) -> Past:
        return self._reader.past(prefix, start, after=after, upto=upto)

    def _item_from_log(self, revision: Revision) -> Item:
        return self._reader.item(revision)
