"""One process per data directory: an advisory lock that the kernel drops with the process."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from kubegang.store.interface import StoreError


class StoreInUseError(StoreError):
    """Another process has the store open."""


class FileLock:
    """An exclusive lock beside a file, held until ``release`` or the end of the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def acquire(cls, path: Path) -> FileLock:
        """Lock ``path``, a file made for this purpose, and write our process id into it.

        Raises:
            StoreInUseError: another process holds it.
            StoreError: the file cannot be made.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"cannot open {path}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 32).decode(errors="replace").strip()
            os.close(descriptor)
            raise StoreInUseError(
                f"{path.parent} is in use by another process ({holder or 'unknown'})"
            ) from error
        try:
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        except OSError as error:
            os.close(descriptor)
            raise StoreError(f"cannot write {path}: {error.strerror}") from error
        return cls(descriptor)

    def release(self) -> None:
        """Let others in. The file stays: removing it would let two processes lock two files."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
