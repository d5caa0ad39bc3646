"""The thread that writes: it commits everything that is waiting as one group.

It owns the only writing connection. The event loop hands it jobs and gets reports back; the
loop is never blocked by the disk, and a commit is shared by all writes that came meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

import msgspec

from kubegang.store.database import Database
from kubegang.store.history import Entry
from kubegang.store.interface import Revision, StoreError

RESERVE = 1 << 17
"""How far ahead revisions are reserved in the file, so that most commits need not do it."""

_GROUP_BYTES = 8 << 20
_TRIM_ROWS = 1_000


class Trim(msgspec.Struct, frozen=True):
    """Forget compacted history after a revision, a part of it at a time."""

    after: Revision
    upto: Revision


class Stop(msgspec.Struct, frozen=True):
    """Write no more; the revisions in use are exactly those up to ``drawn``."""

    drawn: Revision


class Committed(msgspec.Struct, frozen=True):
    """These entries are durable, and revisions up to ``reserved`` may be drawn."""

    entries: Sequence[Entry]
    reserved: Revision


class Trimmed(msgspec.Struct, frozen=True):
    """Compacted history is deleted up to here."""

    upto: Revision


class Failed(msgspec.Struct, frozen=True):
    """The disk refused; nothing more will be written."""

    error: StoreError


class Stopped(msgspec.Struct, frozen=True):
    """The thread has closed its connection and is about to end."""


Job = Sequence[Entry] | Trim | Stop
Report = Committed | Trimmed | Failed | Stopped


class Writer:
    """Runs jobs in order on its own thread, merging waiting entries into one commit.

    After a failure it drops all further work: entries may rest on the ones that were lost.
    """

    def __init__(
        self, database: Database, reserved: Revision, report: Callable[[Report], None]
    ) -> None:
        """Start the thread; ``report`` is called on it."""
        self._database = database
        self._reserved = reserved
        self._report = report
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._put_back: Job | None = None
        self._failed = False
        # A daemon: if the loop dies without closing the store, the process may still end.
        # For the file that is the same as being killed.
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Queue a job."""
        self._jobs.put(job)

    def join(self) -> None:
        """Wait for the thread's end, which follows ``Stopped`` at once."""
        self._thread.join()

    def _run(self) -> None:
        while not isinstance(job := self._next_job(), Stop):
            if self._failed:
                continue
            try:
                report = self._do(job)
            except StoreError as error:
                self._fail(error)
            else:
                self._report(report)
        try:
            self._finish(job)
        except StoreError as error:
            self._fail(error)
        self._report(Stopped())

    def _fail(self, error: StoreError) -> None:
        self._failed = True
        self._report(Failed(error))

    def _next_job(self) -> Job:
        job = self._put_back if self._put_back is not None else self._jobs.get()
        self._put_back = None
        if isinstance(job, Trim | Stop):
            return job
        group = list(job)
        size = sum(len(entry.item.value) for entry in group)
        while size < _GROUP_BYTES:
            try:
                more = self._jobs.get_nowait()
            except Empty:
                break
            if isinstance(more, Trim | Stop):
                self._put_back = more
                break
            group.extend(more)
            size += sum(len(entry.item.value) for entry in more)
        return group

    def _do(self, job: Sequence[Entry] | Trim) -> Report:
        if isinstance(job, Trim):
            return Trimmed(self._database.trim(after=job.after, upto=job.upto, limit=_TRIM_ROWS))
        last = job[-1].item.revision
        move = last + RESERVE // 2 > self._reserved
        if move:
            self._reserved = Revision(last + RESERVE)
        self._database.append(job, reserve=self._reserved if move else None)
        return Committed(job, self._reserved)

    def _finish(self, job: Stop) -> None:
        try:
            if not self._failed:
                self._database.reserve(job.drawn)
        finally:
            self._database.close()
