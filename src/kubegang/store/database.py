"""What is written into the SQLite file and read from it.

``log`` has one row per change and is the truth; each value is stored there once. ``kv`` points
from a key to its current row, and can be rebuilt from the log. SQLite's errors leave this
module as ``StoreError``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from kubegang.store.history import Entry, make_entry
from kubegang.store.interface import Item, Revision, StoreError
from kubegang.store.sqlitefile import (
    BUSY_SECONDS,
    PAGE_BYTES,
    StoreFileError,
    connect,
    open_file,
    store_error,
)

# A whole group in one statement, with all values joined in one parameter. Each statement gives
# up the interpreter's lock, and while the event loop computes, a thread waits milliseconds to
# get it back: a statement per row would cost far more than the disk.
_APPEND = """
INSERT INTO log (revision, key, previous, deleted, value)
SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
    json_extract(value, '$[3]'),
    substr(?2, json_extract(value, '$[4]'), json_extract(value, '$[5]'))
FROM json_each(?1)
"""


class Meta(msgspec.Struct, frozen=True):
    """What the file knows beside its rows.

    Attributes:
        last: the greatest revision that is readable.
        reserved: no revision above it was ever given to a write.
        compacted: history up to here may be gone.
        trimmed: unneeded rows up to here are deleted; less than ``compacted`` if that was
            interrupted.
    """

    last: Revision
    reserved: Revision
    compacted: Revision
    trimmed: Revision


@contextmanager
def _translated(doing: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(doing, error) from error


class Database:
    """One connection; used by one thread at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    def open(cls, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> Database:
        """Open a store's file, making it if it does not exist or is empty.

        Raises:
            StoreFileError: it is not a store that this version can use.
            StoreUnavailableError: the disk refuses, or another program has locked it.
        """
        return cls(open_file(path, busy_seconds=busy_seconds))

    @classmethod
    def reopen(cls, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> Database:
        """Open a further connection to a file that ``open`` has checked."""
        with _translated(f"cannot open {path}"):
            return cls(connect(path, busy_seconds=busy_seconds, create=False))

    # Reading

    def meta(self) -> Meta:
        """Return the numbers that the store starts from."""
        with _translated("cannot read the store"):
            numbers = dict(self._rows("SELECT name, number FROM meta"))
            last = self._number("SELECT max(revision) FROM log") or 0
        try:
            compacted = numbers["compacted"]
            # The last change may have been a deletion whose row is trimmed.
            return Meta(
                Revision(max(last, compacted)),
                Revision(numbers["reserved"]),
                Revision(compacted),
                Revision(numbers["trimmed"]),
            )
        except KeyError as error:
            raise StoreFileError(f"the store is damaged: it has no number {error}") from error

    def items(self) -> list[Item]:
        """Return all current items, sorted by key.

        Raises:
            StoreFileError: a value is missing.
        """
        items = []
        try:
            for key, revision, logged, value in self._connection.execute(
                "SELECT kv.key, kv.revision, log.key, log.value"
                " FROM kv LEFT JOIN log ON log.revision = kv.revision ORDER BY kv.key"
            ):
                if logged != key:
                    raise StoreFileError(f"the store is damaged: the value of {key} is lost")
                items.append(Item(key, value, Revision(revision)))
        except sqlite3.Error as error:
            raise StoreFileError(f"the store is damaged: {error}") from error
        return items

    def entries(self, *, after: Revision, upto: Revision, limit: int) -> list[Entry]:
        """Return the first entries of a range of the log."""
        with _translated("cannot read the log"):
            rows = self._rows(
                "SELECT log.revision, log.key, log.deleted, log.value, before.revision,"
                " before.value FROM log LEFT JOIN log AS before ON before.revision = log.previous"
                " WHERE log.revision > ? AND log.revision <= ? ORDER BY log.revision LIMIT ?",
                (after, upto, limit),
            )
        return [_entry(row) for row in rows]

    def past(
        self, prefix: str, start: str, *, after: Revision, upto: Revision
    ) -> dict[str, Item | Revision | None]:
        """Return the revision of what keys held before their first change in a range.

        Only keys that start with ``prefix`` and are not less than ``start``; ``None`` for
        those that were not there.
        """
        with _translated("cannot read the log"):
            rows = self._rows(
                "SELECT key, previous, min(revision) FROM log"
                " WHERE revision > ? AND revision <= ? AND key >= ? AND substr(key, 1, ?) = ?"
                " GROUP BY key",
                (after, upto, start, len(prefix), prefix),
            )
        return {key: previous for key, previous, _ in rows}

    def item(self, revision: Revision) -> Item:
        """Return the item that a revision wrote.

        Raises:
            StoreError: there is no such row.
        """
        with _translated("cannot read the log"):
            rows = self._rows("SELECT key, value FROM log WHERE revision = ?", (revision,))
        if not rows:
            raise StoreError(f"the store is damaged: the value of revision {revision} is lost")
        ((key, value),) = rows
        return Item(key, value, revision)

    # Writing

    def append(self, entries: Sequence[Entry], *, reserve: Revision | None) -> None:
        """Write entries as one durable transaction; a trigger moves the pointers.

        Args:
            entries: in the order of their revisions.
            reserve: the new upper bound of revisions in use, if it moves.
        """
        rows, values = _packed(entries)
        with _translated("cannot write"):
            if reserve is None:
                self._connection.execute(_APPEND, (rows, values))
                return
            with self._transaction():
                self._connection.execute(_APPEND, (rows, values))
                self._set("reserved", reserve)

    def reserve(self, revision: Revision) -> None:
        """Record that revisions up to this one may have been used."""
        with _translated("cannot write"), self._transaction():
            self._set("reserved", revision)

    def trim(self, *, after: Revision, upto: Revision, limit: int) -> Revision:
        """Delete unneeded rows of compacted history, a part at a time.

        A row is unneeded once a row of compacted history replaced it, or if it is a deletion.
        The first part already records that history up to ``upto`` is gone: with some of its
        rows deleted, none of it may be served any more.

        Returns:
            the revision up to which all is done.
        """
        with _translated("cannot compact"), self._transaction():
            ((count, last),) = self._rows(
                "SELECT count(*), max(revision) FROM (SELECT revision FROM log"
                " WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?)",
                (after, upto, limit),
            )
            done = Revision(last if count == limit else upto)
            self._connection.execute(
                "DELETE FROM log WHERE revision IN"
                " (SELECT previous FROM log WHERE revision > ? AND revision <= ?)",
                (after, done),
            )
            self._connection.execute(
                "DELETE FROM log WHERE revision > ? AND revision <= ? AND deleted", (after, done)
            )
            self._set("compacted", upto)
            self._set("trimmed", done)
        return done

    def checkpoint(self, *, restart: bool) -> int:
        """Move the write-ahead log's pages into the file.

        Args:
            restart: also wait until the next commit can start the log over.

        Returns:
            the log's length in bytes.
        """
        with _translated("cannot checkpoint"):
            mode = "RESTART" if restart else "PASSIVE"
            ((_, frames, _),) = self._rows(f"PRAGMA wal_checkpoint({mode})")
        return int(frames) * PAGE_BYTES

    def close(self) -> None:
        """Close the connection; the last one folds the write-ahead log into the file."""
        with _translated("cannot close"):
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # SQLite has already rolled back by itself after some errors.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _set(self, name: str, number: int) -> None:
        self._connection.execute("UPDATE meta SET number = ? WHERE name = ?", (number, name))

    def _number(self, sql: str) -> Any:
        return self._connection.execute(sql).fetchone()[0]

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        return self._connection.execute(sql, values).fetchall()


def _packed(entries: Sequence[Entry]) -> tuple[str, bytes]:
    """Return the two parameters of ``_APPEND``: rows as JSON, and the values joined."""
    rows: list[tuple[Revision, str, Revision | None, int, int, int]] = []
    at = 1  # SQLite counts from one
    for entry in entries:
        item, previous = entry.item, entry.previous
        rows.append(
            (
                item.revision,
                item.key,
                previous.revision if previous is not None else None,
                int(entry.change.type == "deleted"),
                at,
                len(item.value),
            )
        )
        at += len(item.value)
    return msgspec.json.encode(rows).decode(), b"".join([e.item.value for e in entries])


def _entry(row: Sequence[Any]) -> Entry:
    revision, key, deleted, value, previous, previous_value = row
    before = Item(key, previous_value, previous) if previous is not None else None
    item = Item(key, value, revision)
    if deleted:
        return make_entry("deleted", item, previous=before)
    return make_entry("created" if before is None else "updated", item, previous=before)
