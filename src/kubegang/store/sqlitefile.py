"""Opening the SQLite file: its tables, its settings, and whether it is ours and whole.

The only module beside ``database.py`` that imports ``sqlite3``.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from kubegang.store.interface import StoreError, StoreFullError, StoreUnavailableError

PAGE_BYTES = 8192

BUSY_SECONDS = 10.0
"""How long a write waits for another program that has locked the database."""

_APPLICATION_ID = 0x6B67616E  # "kgan"
_FORMAT = 1
_MAGIC = b"SQLite format 3\0"

_OUTSIDE_CAUSES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
    }
)
"""Errors that say nothing about the file's content."""

_SCHEMA = """
CREATE TABLE log (
    revision INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    previous INTEGER,           -- the row that this one replaces; NULL for a new key
    deleted INTEGER NOT NULL,   -- 1: the key ends here
    value BLOB NOT NULL
);
CREATE TABLE meta (name TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('reserved', 0), ('compacted', 0), ('trimmed', 0)
"""

_POINTERS = """
CREATE TABLE kv (key TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
CREATE TRIGGER point AFTER INSERT ON log WHEN NOT new.deleted
    BEGIN REPLACE INTO kv VALUES (new.key, new.revision); END;
CREATE TRIGGER unpoint AFTER INSERT ON log WHEN new.deleted
    BEGIN DELETE FROM kv WHERE key = new.key; END
"""

# Beside max(), SQLite takes the bare columns from the row that has the maximum.
_REBUILD_POINTERS = """
INSERT INTO kv SELECT key, revision FROM (
    SELECT key, deleted, max(revision) AS revision FROM log GROUP BY key
) WHERE NOT deleted
"""


class StoreFileError(StoreError):
    """The file cannot be opened, is not a store, is from another format, or is damaged."""


def store_error(doing: str, error: sqlite3.Error) -> StoreError:
    """Say what an error of SQLite means for the store; ``doing`` begins the message."""
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMSIZE:
        # The index of the write-ahead log could not grow, which only a full disk prevents.
        return StoreFullError(f"{doing}: the disk is full")
    match _code(error):
        case sqlite3.SQLITE_FULL:
            return StoreFullError(f"{doing}: the disk is full")
        case sqlite3.SQLITE_BUSY:
            return StoreUnavailableError(f"{doing}: another program has locked the database")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StoreFileError(f"{doing}: the store is damaged: {error}")
        case _:
            return StoreUnavailableError(f"{doing}: {error}")


def open_file(path: Path, *, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Open a store's file, making it if it does not exist or is empty.

    Raises:
        StoreFileError: it is not a store that this version can use.
        StoreUnavailableError: the disk refuses, or another program has locked it.
    """
    try:
        is_new = _prepare(path)
        connection = connect(path, busy_seconds=busy_seconds)
    except OSError as error:
        raise StoreFileError(f"cannot open {path}: {error}") from error
    except sqlite3.Error as error:
        raise store_error(f"cannot open {path}", error) from error
    try:
        if is_new:
            _create(connection)
        _check(connection, path)
    except sqlite3.Error as error:
        connection.close()
        if _code(error) in _OUTSIDE_CAUSES:
            raise store_error(f"cannot open {path}", error) from error
        raise StoreFileError(f"{path} is damaged: {error}") from error
    except StoreFileError:
        connection.close()
        raise
    return connection


def connect(
    path: Path, *, busy_seconds: float = BUSY_SECONDS, create: bool = True
) -> sqlite3.Connection:
    """Return a connection with the store's settings.

    Args:
        path: the database file.
        busy_seconds: how long to wait for another program's lock.
        create: whether a missing file is made.
    """
    # Connections are handed to the thread that uses them, hence no check of the thread.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    connection.execute("PRAGMA synchronous = FULL")
    # Checkpoints have their own thread; a commit must never do one on the way.
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def _prepare(path: Path) -> bool:
    """Make the file if it is missing, readable by its owner only, and check its first bytes.

    Returns:
        whether the file has no content yet.
    """
    if not path.exists():
        path.touch(mode=0o600)
    with path.open("rb") as file:
        magic = file.read(len(_MAGIC))
    if magic and magic != _MAGIC:
        raise StoreFileError(f"{path} is not a kubegang store")
    return not magic


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(
        f"BEGIN; {_SCHEMA}; {_POINTERS};"
        f"PRAGMA application_id = {_APPLICATION_ID}; PRAGMA user_version = {_FORMAT}; COMMIT"
    )


def _check(connection: sqlite3.Connection, path: Path) -> None:
    application = _number(connection, "PRAGMA application_id")
    if application != _APPLICATION_ID:
        raise StoreFileError(f"{path} is an SQLite database, but not a kubegang store")
    version = _number(connection, "PRAGMA user_version")
    if version != _FORMAT:
        raise StoreFileError(
            f"{path} has store format {version}; this version of kubegang reads {_FORMAT}"
        )
    connection.execute("PRAGMA journal_mode = WAL")
    if not _number(connection, "SELECT count(*) FROM sqlite_schema WHERE name = 'kv'"):
        # A dropped table takes no triggers of other tables with it.
        connection.executescript(
            "DROP TRIGGER IF EXISTS point; DROP TRIGGER IF EXISTS unpoint;"
            f"BEGIN; {_POINTERS}; {_REBUILD_POINTERS}; COMMIT"
        )


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's error code without what refines it, 0 for errors of the module itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _number(connection: sqlite3.Connection, sql: str) -> int:
    ((number,),) = connection.execute(sql)
    return int(number)
