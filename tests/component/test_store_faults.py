"""A disk that refuses for a while: what is answered, what is kept, and that it ends."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from kubegang.base.turns import next_turn
from kubegang.store.database import Database
from kubegang.store.history import Backlog, Entry
from kubegang.store.interface import (
    Revision,
    RevisionConflictError,
    StoreClosedError,
    StoreFullError,
    StoreUnavailableError,
)
from kubegang.store.opening import open_locked
from kubegang.store.sqlite import SqliteStore
from kubegang.store.sqlitefile import connect


class Disk:
    """What the database's disk does to writes.

    Attributes:
        full: refuse everything, as ENOSPC.
        unflushed: write, and then say that it could not be flushed, so many times.
        used: how many connections were made.
    """

    def __init__(self) -> None:
        self.full = False
        self.unflushed = 0
        self.used = 0


class DatabaseOnDisk(Database):
    """A connection to a file on such a disk."""

    def __init__(self, connection: sqlite3.Connection, disk: Disk) -> None:
        super().__init__(connection)
        self._disk = disk
        disk.used += 1

    def append(self, entries: Sequence[Entry], *, reserve: Revision | None) -> None:
        self._refuse_if_full()
        super().append(entries, reserve=reserve)
        if self._disk.unflushed:
            self._disk.unflushed -= 1
            raise StoreUnavailableError("cannot write: disk I/O error")

    def reserve(self, revision: Revision) -> None:
        self._refuse_if_full()
        super().reserve(revision)

    def trim(self, *, after: Revision, upto: Revision, limit: int) -> Revision:
        self._refuse_if_full()
        return super().trim(after=after, upto=upto, limit=limit)

    def _refuse_if_full(self) -> None:
        if self._disk.full:
            raise StoreFullError("cannot write: the disk is full")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.db"


@asynccontextmanager
async def store_on(disk: Disk, path: Path) -> AsyncIterator[SqliteStore]:
    opened = open_locked(path)
    opened.for_writer.close()

    def reconnect() -> Database:
        return DatabaseOnDisk(connect(path, create=False), disk)

    faulty = msgspec.structs.replace(opened, connect=reconnect, for_writer=reconnect())
    backlog = Backlog(opened.revision, max_entries=1_000, max_bytes=1 << 20)
    store = SqliteStore(faulty, backlog, retry_seconds=0.01)
    try:
        yield store
    finally:
        await store.close()


def text(words: str) -> Callable[[Revision], bytes]:
    return lambda revision: f"{words} at {revision}".encode()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await next_turn()


async def wait_until_well(store: SqliteStore) -> None:
    await until(lambda: not store.problem)


async def test_a_full_disk_refuses_writes_and_takes_them_again_when_there_is_space(
    path: Path,
) -> None:
    disk = Disk()
    async with store_on(disk, path) as store:
        before = await store.create("/a", text("before"))
        watch = store.watch("/", after=before.revision)
        disk.full = True

        with pytest.raises(StoreFullError, match="the disk is full"):
            await store.create("/b", text("lost"))
        with pytest.raises(StoreFullError, match="the disk is full"):
            await store.update("/a", text("lost"), expected=before.revision)
        assert store.problem == "cannot write: the disk is full"
        assert store.list("").items == (before,)
        assert store.list("", at=before.revision).items == (before,)

        disk.full = False
        await wait_until_well(store)
        after = await store.update("/a", text("after"), expected=before.revision)
        again = await store.create("/b", text("again"))

        # Nobody saw anything of what was refused, and the watch went on.
        changes = await watch.next_batch()
        while changes[-1].revision < again.revision:
            changes += await watch.next_batch()
        assert [change.revision for change in changes] == [after.revision, again.revision]
    async with store_on(Disk(), path) as store:
        assert store.list("").items == (after, again)


async def test_writes_that_rest_on_a_lost_one_are_lost_with_it(path: Path) -> None:
    disk = Disk()
    async with store_on(disk, path) as store:
        item = await store.create("/a", text("one"))
        disk.full = True
        writes = [asyncio.ensure_future(store.create("/b", text("b")))]
        await next_turn()
        writes.append(
            asyncio.ensure_future(store.update("/a", text("two"), expected=item.revision))
        )
        # It waits for the create of the same key that is under way.
        writes.append(asyncio.ensure_future(store.create("/b", text("b"))))
        outcomes = await asyncio.gather(*writes, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [StoreFullError] * 3

        disk.full = False
        await wait_until_well(store)
        assert store.get("/b") is None
        assert (await store.create("/b", text("b"))).revision > item.revision


async def test_a_commit_that_was_not_flushed_is_looked_up_on_disk(path: Path) -> None:
    disk = Disk()
    async with store_on(disk, path) as store:
        item = await store.create("/a", text("one"))
        watch = store.watch("/", after=item.revision)
        disk.unflushed = 1
        connections = disk.used

        with pytest.raises(StoreUnavailableError, match="disk I/O error"):
            await store.update("/a", text("two"), expected=item.revision)
        await wait_until_well(store)

        # It is there all the same: shown, told to watchers, and the base of what comes next.
        assert disk.used == connections + 1
        (change,) = await watch.next_batch()
        found = store.get("/a")
        assert found is not None
        assert (found.value, found.revision) == (change.value, change.revision)
        with pytest.raises(RevisionConflictError):
            await store.update("/a", text("three"), expected=item.revision)
        last = await store.update("/a", text("three"), expected=found.revision)
        assert store.list("", at=found.revision).items == (found,)
    async with store_on(Disk(), path) as store:
        assert store.list("").items == (last,)


async def test_revisions_go_on_after_a_failure_and_after_a_crash_during_it(
    path: Path, tmp_path: Path
) -> None:
    drawn: list[Revision] = []

    def encode(revision: Revision) -> bytes:
        drawn.append(revision)
        return b"x"

    disk = Disk()
    async with store_on(disk, path) as store:
        await store.create("/a", encode)
        disk.full = True
        with pytest.raises(StoreFullError):
            await store.create("/b", encode)
        shutil.copytree(path.parent, tmp_path / "image")
        disk.full = False
        await wait_until_well(store)
        await store.create("/b", encode)
        assert drawn == sorted(set(drawn))
    async with store_on(Disk(), tmp_path / "image" / path.name) as store:
        assert (await store.create("/c", text("c"))).revision > drawn[1]


async def test_compaction_is_refused_by_a_full_disk_and_can_be_done_later(path: Path) -> None:
    disk = Disk()
    async with store_on(disk, path) as store:
        item = await store.create("/a", text("one"))
        item = await store.update("/a", text("two"), expected=item.revision)
        disk.full = True
        with pytest.raises(StoreFullError):
            await store.compact(item.revision)
        assert store.get("/a") == item
        disk.full = False
        await wait_until_well(store)
        await store.compact(item.revision)
    rows = sqlite3.connect(path).execute("SELECT revision FROM log").fetchall()
    assert rows == [(item.revision,)]


async def test_a_store_can_be_closed_while_its_disk_is_full(path: Path) -> None:
    disk = Disk()
    async with store_on(disk, path) as store:
        item = await store.create("/a", text("kept"))
        disk.full = True
        with pytest.raises(StoreFullError):
            await store.create("/b", text("lost"))
    with pytest.raises(StoreClosedError):
        await store.create("/b", text("late"))
    async with store_on(Disk(), path) as store:
        assert store.list("").items == (item,)


async def test_sqlites_own_words_for_a_full_disk_are_understood(path: Path) -> None:
    opened = open_locked(path)
    connection = connect(path)
    opened.for_writer.close()
    opened = msgspec.structs.replace(opened, for_writer=Database(connection))
    backlog = Backlog(opened.revision, max_entries=10, max_bytes=1 << 20)
    store = SqliteStore(opened, backlog, retry_seconds=0.01)
    try:
        kept = await store.create("/a", text("kept"))
        connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(StoreFullError, match=r"^cannot write: the disk is full$"):
            await store.create("/b", lambda _: b"x" * 100_000)
        # The next connection has no such limit.
        await wait_until_well(store)
        large = await store.create("/b", lambda _: b"x" * 100_000)
        assert store.list("").items == (kept, large)
    finally:
        await store.close()


async def test_a_file_that_lost_what_was_written_is_not_written_to_again(path: Path) -> None:
    disk = Disk()
    async with store_on(disk, path) as store:
        item = await store.create("/a", text("one"))
        with sqlite3.connect(path) as other:
            other.execute("DELETE FROM log")
        disk.unflushed = 1
        disk.full = True
        with pytest.raises(StoreFullError):
            await store.create("/b", text("b"))
        disk.full = False
        await until(lambda: "takes no more writes" in store.problem)
        assert f"the file ends at revision 1; {item.revision} had been written" in store.problem
        with pytest.raises(StoreClosedError):
            await store.create("/b", text("b"))
        assert store.get("/a") == item
