"""What only the store on disk does: opening, lasting, and writing while the disk is slow.

A slow disk is a test that holds the database's write lock: the writer waits for it.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from kubegang.base.turns import next_turn
from kubegang.store.interface import (
    Item,
    KeyExistsError,
    KeyMissingError,
    Revision,
    RevisionConflictError,
    StoreError,
    StoreUnavailableError,
)
from kubegang.store.locking import StoreInUseError
from kubegang.store.sqlite import SqliteStore, open_sqlite_store
from kubegang.store.sqlitefile import StoreFileError

T = TypeVar("T")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.db"


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[SqliteStore]:
    store = await open_sqlite_store(path)
    try:
        yield store
    finally:
        await store.close()


def text(words: str) -> Callable[[Revision], bytes]:
    return lambda revision: f"{words} at {revision}".encode()


@contextmanager
def slow_disk(path: Path) -> Iterator[None]:
    """Hold the write lock of the database, so that nothing is committed meanwhile."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


@contextmanager
def locked_by_another_program(path: Path) -> Iterator[None]:
    """Lock the database as somebody does who opens it and begins a transaction."""
    with subprocess.Popen(
        [sys.executable, "-c", _LOCK, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        if other.stdin is None or other.stdout is None:
            raise RuntimeError("there are no pipes")
        other.stdout.readline()
        try:
            yield
        finally:
            other.stdin.close()
            other.wait()


_LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.read()
"""


async def submitted(write: Awaitable[T]) -> asyncio.Future[T]:
    """Start a write and let it come as far as it can without the disk."""
    task = asyncio.ensure_future(write)
    await asyncio.wait([task], timeout=0)
    assert not task.done()
    return task


async def test_what_was_written_is_there_after_reopening(path: Path) -> None:
    async with opened(path) as store:
        kept = await store.create("/a", text("kept"))
        gone = await store.create("/b", text("gone"))
        await store.delete("/b", text("bye"), expected=gone.revision)
        kept = await store.update("/a", text("changed"), expected=kept.revision)
        revision = store.revision

    async with opened(path) as store:
        assert store.list("").items == (kept,)
        assert store.revision == revision
        assert (await store.create("/c", text("next"))).revision == revision + 1


async def test_history_outlives_the_process(path: Path) -> None:
    async with opened(path) as store:
        start = store.revision
        item = await store.create("/a", text("one"))
        await store.update("/a", text("two"), expected=item.revision)

    async with opened(path) as store:
        assert store.list("", at=item.revision).items == (item,)
        changes = await store.watch("/", after=start).next_batch()
        assert [change.type for change in changes] == ["created", "updated"]
        assert changes[1].previous == item.value


async def test_compaction_outlives_the_process(path: Path) -> None:
    async with opened(path) as store:
        item = await store.create("/a", text("one"))
        await store.delete("/a", text("bye"), expected=item.revision)
        last = store.revision
        await store.compact(last)

    async with opened(path) as store:
        assert store.compacted == last
        # The row of that revision is gone, yet the revision is not used again.
        assert store.revision == last
        assert (await store.create("/b", text("b"))).revision > last


async def test_compaction_leaves_only_rows_that_are_needed(path: Path) -> None:
    async with opened(path) as store:
        for name in "abc":
            item = await store.create(f"/{name}", text("one"))
            item = await store.update(f"/{name}", text("two"), expected=item.revision)
        await store.delete("/c", text("bye"), expected=item.revision)
        await store.compact(store.revision)

    rows = sqlite3.connect(path).execute("SELECT key FROM log ORDER BY key").fetchall()
    assert rows == [("/a",), ("/b",)]


async def test_a_crash_image_has_every_acknowledged_write(path: Path, tmp_path: Path) -> None:
    async with opened(path) as store:
        items = await asyncio.gather(
            *(store.create(f"/{number:02}", text("x")) for number in range(30))
        )
        # What a killed process leaves: the files as they are now, nothing closed.
        shutil.copytree(path.parent, tmp_path / "image")

    async with opened(tmp_path / "image" / path.name) as store:
        assert store.list("").items == tuple(items)


async def test_after_a_crash_no_revision_is_drawn_again_not_even_a_burnt_one(
    path: Path, tmp_path: Path
) -> None:
    drawn: list[Revision] = []

    def fail(revision: Revision) -> bytes:
        drawn.append(revision)
        raise ZeroDivisionError

    async with opened(path) as store:
        await store.create("/a", text("a"))
        for _ in range(5):
            with pytest.raises(ZeroDivisionError):
                await store.create("/b", fail)
        shutil.copytree(path.parent, tmp_path / "image")

    async with opened(tmp_path / "image" / path.name) as store:
        assert (await store.create("/b", text("b"))).revision > max(drawn)


async def test_the_pointers_can_be_rebuilt_from_the_log(path: Path) -> None:
    async with opened(path) as store:
        for name in "abcd":
            item = await store.create(f"/{name}", text("one"))
            await store.update(f"/{name}", text("two"), expected=item.revision)
        await store.delete("/d", text("bye"), expected=store.revision)
        before = store.list("")
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE kv")
    connection.close()

    async with opened(path) as store:
        assert store.list("") == before
        item = await store.create("/e", text("new"))
        await store.delete("/a", text("bye"), expected=before.items[0].revision)
    async with opened(path) as store:
        assert store.list("").items == (*before.items[1:], item)


async def test_the_files_are_readable_by_their_owner_only(path: Path) -> None:
    async with opened(path) as store:
        await store.create("/a", text("a"))
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}

    assert set(modes.values()) == {0o600}
    assert f"{path.name}-wal" in modes


async def test_a_second_opening_says_who_has_it(path: Path) -> None:
    async with opened(path):
        with pytest.raises(StoreInUseError, match=r"data is in use by another process \(\d+\)"):
            await open_sqlite_store(path)
    async with opened(path):
        pass


async def test_a_database_that_another_program_has_locked_is_not_called_damaged(
    path: Path,
) -> None:
    async with opened(path) as store:
        item = await store.create("/a", text("a"))
    with (
        locked_by_another_program(path),
        pytest.raises(StoreUnavailableError, match="another program has locked the database"),
    ):
        await open_sqlite_store(path, busy_seconds=0.05)
    async with opened(path) as store:
        assert store.list("").items == (item,)


async def test_a_lock_that_lasts_too_long_is_told_and_nothing_is_lost(path: Path) -> None:
    store = await open_sqlite_store(path, busy_seconds=0.05)
    try:
        kept = await store.create("/a", text("a"))
        with locked_by_another_program(path):
            with pytest.raises(StoreUnavailableError, match="another program has locked"):
                await store.create("/b", text("lost"))
            assert store.list("").items == (kept,)
            assert "another program has locked the database" in store.problem
        while store.problem:
            await next_turn()
        again = await store.create("/b", text("b"))
        assert store.list("").items == (kept, again)
    finally:
        await store.close()


@pytest.fixture
def foreign_file(path: Path) -> Iterator[Path]:
    content = "apiVersion: v1\nkind: Config\n"
    path.parent.mkdir()
    path.write_text(content)
    yield path
    assert path.read_text() == content


async def test_a_file_that_is_no_database_is_refused_and_left_alone(foreign_file: Path) -> None:
    with pytest.raises(StoreFileError, match="not a kubegang store"):
        await open_sqlite_store(foreign_file)


async def test_a_database_of_another_program_is_refused(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE kine (id INTEGER)")
    connection.close()

    with pytest.raises(StoreFileError, match="an SQLite database, but not a kubegang store"):
        await open_sqlite_store(path)


async def test_another_format_is_refused(path: Path) -> None:
    async with opened(path):
        pass
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 9")
    connection.close()

    with pytest.raises(StoreFileError, match="has store format 9"):
        await open_sqlite_store(path)


async def test_a_damaged_file_is_refused(path: Path) -> None:
    async with opened(path) as store:
        await asyncio.gather(
            *(store.create(f"/{number}", lambda _: b"x" * 4_000) for number in range(100))
        )
    with path.open("r+b") as file:
        file.seek(3 * 8_192)
        file.write(b"\xff" * 50 * 8_192)

    with pytest.raises(StoreFileError, match="damaged"):
        await open_sqlite_store(path)
    # The refusal lets go of the file.
    with pytest.raises(StoreFileError, match="damaged"):
        await open_sqlite_store(path)


async def test_a_lost_value_is_noticed(path: Path) -> None:
    async with opened(path) as store:
        await store.create("/a", text("a"))
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM log")
    connection.commit()
    connection.close()

    with pytest.raises(StoreFileError, match="the value of /a is lost"):
        await open_sqlite_store(path)


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"cannot open .*/file/store\.db\.lock"):
        await open_sqlite_store(tmp_path / "file" / "store.db")


async def test_a_path_that_cannot_be_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    with pytest.raises(StoreFileError, match="cannot open"):
        await open_sqlite_store(tmp_path / "store.db")


async def test_readers_and_watchers_see_a_write_only_when_it_is_on_disk(path: Path) -> None:
    async with opened(path) as store:
        before = store.revision
        watch = store.watch("/", after=before)
        with slow_disk(path):
            write = await submitted(store.create("/a", text("a")))
            batch = await submitted(watch.next_batch())
            assert store.get("/a") is None
            assert store.list("").items == ()
            assert store.revision == before

        item = await write
        assert store.get("/a") == item
        assert [change.key for change in await batch] == ["/a"]


async def test_writes_are_decided_against_what_was_submitted(path: Path) -> None:
    drawn: list[Revision] = []

    def encode(revision: Revision) -> bytes:
        drawn.append(revision)
        return b"x"

    async with opened(path) as store:
        with slow_disk(path):
            create = await submitted(store.create("/a", encode))
            update = await submitted(store.update("/a", encode, expected=drawn[0]))
            stale = await submitted(store.update("/a", encode, expected=drawn[0]))
            delete = await submitted(store.delete("/a", encode, expected=drawn[1]))
            missing = await submitted(store.update("/a", encode, expected=drawn[1]))
            again = await submitted(store.create("/a", encode))
            exists = await submitted(store.create("/a", encode))
        outcomes = await asyncio.gather(
            create, update, stale, delete, missing, again, exists, return_exceptions=True
        )

    assert [type(outcome) for outcome in outcomes] == [
        Item,
        Item,
        RevisionConflictError,
        Item,
        KeyMissingError,
        Item,
        KeyExistsError,
    ]


async def test_a_refusal_waits_until_the_state_it_rests_on_can_be_read(path: Path) -> None:
    async with opened(path) as store:
        with slow_disk(path):
            create = await submitted(store.create("/a", text("first")))
            refused = await submitted(store.create("/a", text("second")))
        with pytest.raises(KeyExistsError):
            await refused
        assert store.get("/a") == await create


async def test_a_group_that_is_committed_does_not_hide_what_was_submitted_after_it(
    path: Path,
) -> None:
    drawn: list[Revision] = []

    def encode(revision: Revision) -> bytes:
        drawn.append(revision)
        return b"x"

    async with opened(path) as store:
        with slow_disk(path):
            create = await submitted(store.create("/a", encode))
        # The writer has the create; the update below may land in a later group.
        update = asyncio.ensure_future(store.update("/a", encode, expected=drawn[0]))
        await create
        with pytest.raises(RevisionConflictError):
            await store.update("/a", encode, expected=drawn[0])
        assert store.get("/a") == await update


async def test_a_cancelled_write_happens_all_the_same(path: Path) -> None:
    async with opened(path) as store:
        with slow_disk(path):
            write = await submitted(store.create("/a", text("a")))
            write.cancel()
            await asyncio.wait([write])
        await store.create("/b", text("b"))

        assert store.get("/a") is not None


async def test_writes_submitted_while_the_disk_is_busy_share_a_commit(path: Path) -> None:
    async with opened(path) as store:
        with slow_disk(path):
            writes = [await submitted(store.create(f"/{n}", text("x"))) for n in range(10)]
        watch = store.watch("/", after=store.revision)
        # One group for what the writer had taken, one for all that came meanwhile.
        batches = [len(await watch.next_batch())]
        while sum(batches) < 10:
            batches.append(len(await watch.next_batch()))
        await asyncio.gather(*writes)

    assert len(batches) <= 2
