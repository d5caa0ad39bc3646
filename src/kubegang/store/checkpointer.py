"""The thread that folds the write-ahead log into the file, so that no commit has to."""

from __future__ import annotations

import threading

from kubegang.base.logging import logger
from kubegang.store.database import Database
from kubegang.store.interface import StoreError

CHECKPOINT_BYTES = 16 << 20
"""Values written between two checkpoints."""

_RESTART_BYTES = 128 << 20
"""Above this length the log is started over, for which the next commit waits a moment."""

_log = logger(__name__)


class Checkpointer:
    """Checkpoints on its own thread and connection whenever it is woken."""

    def __init__(self, database: Database) -> None:
        """Start the thread."""
        self._database = database
        self._wake = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="store-checkpointer", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Ask for a checkpoint soon."""
        self._wake.set()

    def stop(self) -> None:
        """End the thread after the checkpoint it may be doing, and wait for that."""
        self._stopping = True
        self._wake.set()
        self._thread.join()
        self._database.close()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            if self._stopping:
                return
            # Before the work: a wish that comes meanwhile is about later pages.
            self._wake.clear()
            self._checkpoint()

    def _checkpoint(self) -> None:
        try:
            length = self._database.checkpoint(restart=False)
            # Under constant writing a passive checkpoint never meets the end of the log, and
            # the log grows. The one just done makes the restart short.
            if length > _RESTART_BYTES:
                self._database.checkpoint(restart=True)
        except StoreError as error:
            # The log still has everything; the writer will see for itself if the disk is full.
            _log.warning("checkpoint failed", error=str(error))
