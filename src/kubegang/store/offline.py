"""The store's file while no API server uses it: for the step to another release.

Values are replaced where they are, at their revisions, as a server that reads an old value
differently would show it. What was last written stays beside it as long as nobody writes the
object again, as it does in etcd: a later step starts from that, so a step there and back
changes nothing. All of a step is one transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from kubegang.store.interface import Revision, StoreError
from kubegang.store.locking import FileLock
from kubegang.store.sqlitefile import StoreFileError, connect, open_file

_TABLES = """
CREATE TABLE IF NOT EXISTS release (name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS written (
    key TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,  -- the row of the log that shows it differently
    value BLOB NOT NULL         -- as it was last written
) WITHOUT ROWID
"""

_VALUES = """
SELECT kv.key, kv.revision, log.value, NULL FROM kv JOIN log ON log.revision = kv.revision
WHERE substr(kv.key, 1, length(?1)) = ?1 ORDER BY kv.key
"""
_VALUES_AND_WRITTEN = """
SELECT kv.key, kv.revision, log.value, written.value
FROM kv JOIN log ON log.revision = kv.revision
LEFT JOIN written ON written.key = kv.key AND written.revision = kv.revision
WHERE substr(kv.key, 1, length(?1)) = ?1 ORDER BY kv.key
"""
EVERYTHING = ("",)
"""The beginning of all keys."""


class StoredItem(msgspec.Struct, frozen=True):
    """A key with its value.

    Attributes:
        value: what readers see.
        written: as it was last written; mostly the same.
    """

    key: str
    revision: Revision
    value: bytes
    written: bytes


class Rewriting(msgspec.Struct, frozen=True):
    """What one step changes, all or nothing.

    Attributes:
        release: whose values these are afterwards.
        items: those that are seen otherwise than they were written, with both values.
        restored: those that are seen as they were written, and were not before.
        removed: keys that go.
    """

    release: str
    items: Sequence[StoredItem] = ()
    restored: Sequence[StoredItem] = ()
    removed: Sequence[str] = ()


Reached = Callable[[str], None]
"""Is told how far a step has come; tests end the process there."""


class StoreState(msgspec.Struct, frozen=True):
    """All that a file holds at one moment.

    Attributes:
        release: what the file was stepped to, empty if it never was.
        items: what was asked for, sorted by key.
    """

    release: str
    items: Sequence[StoredItem]


def read_state(path: Path, prefixes: Sequence[str] = EVERYTHING) -> StoreState:
    """Read the items whose keys begin so; a server may be using the file meanwhile.

    Raises:
        StoreFileError: it is not a store that this version can use.
    """
    if not path.exists() or path.stat().st_size == 0:
        return StoreState("", ())
    connection = open_file(path)
    try:
        connection.execute("BEGIN")
        items = [item for prefix in prefixes for item in _items(connection, prefix)]
        return StoreState(_release(connection), items)
    except sqlite3.Error as error:
        raise StoreFileError(f"{path} is damaged: {error}") from error
    finally:
        connection.close()


@contextmanager
def offline_store(path: Path) -> Iterator[OfflineStore]:
    """Open a store's file that exists, and keep others out until the block ends.

    Raises:
        StoreInUseError: a process has it open.
        StoreFileError: it is not a store that this version can use.
    """
    lock = FileLock.acquire(path.with_name(path.name + ".lock"))
    try:
        open_file(path).close()
        connection = connect(path)
        try:
            yield OfflineStore(connection)
        finally:
            connection.close()
    finally:
        lock.release()


class OfflineStore:
    """A file that is ours alone; made by ``offline_store``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rewrite(self, rewriting: Rewriting, *, reached: Reached = lambda _point: None) -> None:
        """Do one step durably, or nothing of it.

        History is forgotten: it is in the form of the other release, and whoever watches has
        to list again.

        Raises:
            StoreError: it cannot be written.
        """
        try:
            self._connection.executescript(_TABLES)
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._write(rewriting, reached)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise StoreError(f"cannot write: {error}") from error

    def _write(self, rewriting: Rewriting, reached: Reached) -> None:
        self._forget_history()
        reached("history forgotten")
        self._many("DELETE FROM log WHERE key = ?", ((key,) for key in rewriting.removed))
        self._many("DELETE FROM kv WHERE key = ?", ((key,) for key in rewriting.removed))
        reached("objects removed")
        shown = (*rewriting.items, *rewriting.restored)
        self._many(
            "UPDATE log SET value = ? WHERE revision = ?",
            ((item.value, item.revision) for item in shown),
        )
        reached("objects rewritten")
        self._connection.execute("DELETE FROM written")
        self._many(
            "INSERT INTO written VALUES (?, ?, ?)",
            ((item.key, item.revision, item.written) for item in rewriting.items),
        )
        self._connection.execute("DELETE FROM release")
        self._connection.execute("INSERT INTO release VALUES (?)", (rewriting.release,))
        reached("release noted")

    def _forget_history(self) -> None:
        """Keep the current rows only, and no revision to start a watch from but the last."""
        ((last,),) = self._connection.execute(
            "SELECT max(coalesce(max(revision), 0), (SELECT max(number) FROM meta"
            " WHERE name = 'compacted')) FROM log"
        )
        self._connection.execute("DELETE FROM log WHERE revision NOT IN (SELECT revision FROM kv)")
        self._connection.execute(
            "UPDATE meta SET number = ? WHERE name IN ('compacted', 'trimmed')", (last,)
        )

    def _many(self, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
        self._connection.executemany(sql, rows)


def _release(connection: sqlite3.Connection) -> str:
    if not _has_table(connection, "release"):
        return ""
    rows = connection.execute("SELECT name FROM release").fetchall()
    return str(rows[0][0]) if rows else ""


def _items(connection: sqlite3.Connection, prefix: str) -> list[StoredItem]:
    sql = _VALUES_AND_WRITTEN if _has_table(connection, "written") else _VALUES
    return [
        StoredItem(key, Revision(revision), value, written or value)
        for key, revision, value, written in connection.execute(sql, (prefix,))
    ]


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    ((count,),) = connection.execute(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,)
    )
    return bool(count)
