"""Opening the SQLite file: its tables, its settings, and whether it is ours and whole.

The only module beside ``database.py`` that imports ``sqlite3``.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from kubegang.store.interface import StoreError

PAGE_BYTES = 8192

_APPLICATION_ID = 0x6B67616E  # "kgan"
_FORMAT = 1
_MAGIC = b"SQLite format 3\0"

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


def open_file(path: Path) -> sqlite3.Connection:
    """Open a store's file, making it if it does not exist or is empty.

    Raises:
        StoreFileError: it is not a store that this version can use.
    """
    try:
        is_new = _prepare(path)
        connection = connect(path)
    except (OSError, sqlite3.Error) as error:
        raise StoreFileError(f"cannot open {path}: {error}") from error
    try:
        if is_new:
            _create(connection)
        _check(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise StoreFileError(f"{path} is damaged: {error}") from error
    except StoreFileError:
        connection.close()
        raise
    return connection


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection with the store's settings."""
    # Connections are handed to the thread that uses them, hence no check of the thread.
    connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
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


def _number(connection: sqlite3.Connection, sql: str) -> int:
    ((number,),) = connection.execute(sql)
    return int(number)
