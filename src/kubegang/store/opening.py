"""Opening a store's file: the lock, the connections, and what they start from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from kubegang.store.database import Database
from kubegang.store.indexed import FIRST_REVISION
from kubegang.store.interface import Item, Revision, StoreError
from kubegang.store.locking import FileLock
from kubegang.store.sqlitefile import BUSY_SECONDS
from kubegang.store.writer import RESERVE

_CHECKPOINT_BUSY_SECONDS = 1.0
"""Shorter than a commit waits: a checkpoint that waits for readers may hold up commits."""


class Opened(msgspec.Struct, frozen=True):
    """A locked file, its connections and its content.

    Attributes:
        connect: makes the connection that writes, again after a failure.
        drawn: the greatest revision that may ever have been given to a write.
    """

    lock: FileLock
    reader: Database
    connect: Callable[[], Database]
    for_writer: Database
    for_checkpointer: Database
    items: list[Item]
    revision: Revision
    compacted: Revision
    trimmed: Revision
    drawn: Revision


def open_locked(path: Path, *, busy_seconds: float = BUSY_SECONDS) -> Opened:
    """Lock a store's file and read it, making it if there is none.

    Args:
        path: the database file.
        busy_seconds: how long a program that has locked the database is waited for.

    Raises:
        StoreInUseError: another process has it open.
        StoreFileError: it is not a store, or it is damaged.
        StoreUnavailableError: the disk refuses, or another program has locked it.
    """
    lock = FileLock.acquire(path.with_name(path.name + ".lock"))
    try:
        reader = Database.open(path, busy_seconds=busy_seconds)
    except StoreError:
        lock.release()
        raise
    try:
        return _read(path, lock, reader, busy_seconds=busy_seconds)
    except StoreError:
        reader.close()
        lock.release()
        raise


def _read(path: Path, lock: FileLock, reader: Database, *, busy_seconds: float) -> Opened:
    meta = reader.meta()
    drawn = Revision(max(meta.last, meta.reserved, FIRST_REVISION))
    # Before the first write: after a crash its revision must not be given again.
    reader.reserve(Revision(drawn + RESERVE))

    def connect() -> Database:
        return Database.reopen(path, busy_seconds=busy_seconds)

    return Opened(
        lock=lock,
        reader=reader,
        connect=connect,
        for_writer=connect(),
        for_checkpointer=Database.reopen(path, busy_seconds=_CHECKPOINT_BUSY_SECONDS),
        items=reader.items(),
        revision=Revision(max(meta.last, FIRST_REVISION)),
        compacted=meta.compacted,
        trimmed=meta.trimmed,
        drawn=drawn,
    )
