"""The thread that writes: it commits everything that is waiting as one group.

It owns the only writing connection. The event loop hands it jobs and gets reports back; the
loop is never blocked by the disk, and a commit is shared by all writes that came meanwhile.

After a failure nothing in memory says what the disk has: a commit that could not be flushed
may be there or not. So the thread drops all work, which may rest on what was lost, until it is
asked to recover; then it opens the file again and reads from it which revisions exist.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

import msgspec

from kubegang.base.logging import logger
from kubegang.store.database import Database
from kubegang.store.history import Entry
from kubegang.store.indexed import FIRST_REVISION
from kubegang.store.interface import Revision, StoreError
from kubegang.store.sqlitefile import StoreFileError

_log = logger(__name__)

RESERVE = 1 << 17
"""How far ahead revisions are reserved in the file, so that most commits need not do it."""

_GROUP_BYTES = 8 << 20
_TRIM_ROWS = 1_000


class Trim(msgspec.Struct, frozen=True):
    """Forget compacted history after a revision, a part of it at a time."""

    after: Revision
    upto: Revision


class Recover(msgspec.Struct, frozen=True):
    """Open the file again after a failure; revisions up to ``drawn`` were given to writes."""

    drawn: Revision


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
    """The disk refused; nothing will be written before ``Recovered``."""

    error: StoreError


class Recovered(msgspec.Struct, frozen=True):
    """The disk takes writes again.

    Attributes:
        entries: those of the commit that failed which are durable all the same.
        reserved: revisions up to here may be drawn.
    """

    entries: Sequence[Entry]
    reserved: Revision


class Stopped(msgspec.Struct, frozen=True):
    """The thread has closed its connection and is about to end."""


Job = Sequence[Entry] | Trim | Recover | Stop
Report = Committed | Trimmed | Failed | Recovered | Stopped


class Writer:
    """Runs jobs in order on its own thread, merging waiting entries into one commit."""

    def __init__(
        self,
        database: Database,
        *,
        connect: Callable[[], Database],
        durable: Revision,
        reserved: Revision,
        report: Callable[[Report], None],
    ) -> None:
        """Start the thread.

        Args:
            database: the connection to write with; it is closed in the end.
            connect: makes another one, after a failure.
            durable: the latest revision in the file.
            reserved: the greatest revision that may be drawn.
            report: called on the thread with what has happened.
        """
        self._database = database
        self._connect = connect
        self._durable = durable
        self._reserved = reserved
        self._report = report
        self._doubtful: Sequence[Entry] = ()
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
            if self._failed and not isinstance(job, Recover):
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
        if isinstance(job, Trim | Recover | Stop):
            return job
        group = list(job)
        size = sum(len(entry.item.value) for entry in group)
        while size < _GROUP_BYTES:
            try:
                more = self._jobs.get_nowait()
            except Empty:
                break
            if isinstance(more, Trim | Recover | Stop):
                self._put_back = more
                break
            group.extend(more)
            size += sum(len(entry.item.value) for entry in more)
        return group

    def _do(self, job: Sequence[Entry] | Trim | Recover) -> Report:
        if isinstance(job, Trim):
            return Trimmed(self._database.trim(after=job.after, upto=job.upto, limit=_TRIM_ROWS))
        if isinstance(job, Recover):
            return self._recover(job)
        self._append(job)
        return Committed(job, self._reserved)

    def _append(self, group: Sequence[Entry]) -> None:
        last = group[-1].item.revision
        reserve = None
        if last + RESERVE // 2 > self._reserved:
            reserve = Revision(last + RESERVE)
        self._doubtful = group
        self._database.append(group, reserve=reserve)
        self._doubtful = ()
        self._durable = last
        self._reserved = reserve or self._reserved

    def _recover(self, job: Recover) -> Recovered:
        """Read from the file what it has, and write to it to see whether that works again.

        Raises:
            StoreFileError: what was durable is not there any more.
            StoreError: the disk still refuses.
        """
        database = self._connect()
        self._close_quietly()
        self._database = database
        last = max(database.meta().last, FIRST_REVISION)
        if last < self._durable:
            raise StoreFileError(
                f"the file ends at revision {last}; {self._durable} had been written to it"
            )
        reserved = Revision(job.drawn + RESERVE)
        database.reserve(reserved)
        # All of a commit is there, or nothing of it.
        found = self._doubtful if last > self._durable else ()
        self._durable, self._reserved = last, reserved
        self._doubtful, self._failed = (), False
        return Recovered(found, reserved)

    def _close_quietly(self) -> None:
        try:
            self._database.close()
        except StoreError as error:
            _log.warning("cannot close the connection that failed", error=str(error))

    def _finish(self, job: Stop) -> None:
        try:
            if not self._failed:
                self._database.reserve(job.drawn)
        finally:
            self._database.close()
