"""What was done to the pods of a Job but has not been seen in the informer yet.

A Job is not given more pods, nor fewer, while the picture of it is known to be old, and no
pod is counted again that was let go already. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

# After this time an event is taken for lost and the picture for right.
PATIENCE_SECONDS = 300.0


class _Expected(msgspec.Struct):
    """What one Job waits to see.

    Attributes:
        since: when something was added last.
        creating: requests under way.
        appeared: pods that appeared during those requests: the news of a pod may come before
            the answer to the request that made it.
    """

    since: float
    creating: int = 0
    appeared: set[str] = msgspec.field(default_factory=set)
    created: set[str] = msgspec.field(default_factory=set)
    deleted: set[str] = msgspec.field(default_factory=set)
    released: set[str] = msgspec.field(default_factory=set)


class Expectations:
    """What each Job still waits to see, by the uids of its pods."""

    def __init__(self) -> None:
        self._by_job: dict[str, _Expected] = {}

    def begin_creation(self, job: str, *, now: float) -> None:
        """A pod is asked for; ``end_creation`` must follow."""
        self._entry(job, now).creating += 1

    def end_creation(self, job: str, uid: str, *, now: float) -> None:
        """Wait for the appearance of a pod, unless it was seen; an empty uid is none."""
        entry = self._by_job.get(job)
        if entry is None:
            # The Job went in the meantime.
            return
        entry.since = now
        if uid and uid not in entry.appeared:
            entry.created.add(uid)
        entry.creating -= 1
        if not entry.creating:
            entry.appeared.clear()

    def expect_deleted(self, job: str, uids: Iterable[str], *, now: float) -> None:
        """Wait for the deletion marks of pods."""
        self._entry(job, now).deleted.update(uids)

    def expect_released(self, job: str, uids: Iterable[str], *, now: float) -> None:
        """Know that pods have no finalizer any more, whatever the picture says."""
        self._entry(job, now).released.update(uids)

    def saw_created(self, job: str, uid: str) -> None:
        """A pod has appeared."""
        entry = self._by_job.get(job)
        if entry is not None:
            entry.created.discard(uid)
            if entry.creating:
                entry.appeared.add(uid)

    def saw_deleted(self, job: str, uid: str) -> None:
        """A pod is marked for deletion, or its deletion was refused."""
        if job in self._by_job:
            self._by_job[job].deleted.discard(uid)
            # Gone before its creation was seen: there is nothing more to wait for.
            self._by_job[job].created.discard(uid)

    def saw_released(self, job: str, uid: str) -> None:
        """A pod has lost its finalizer or is gone, or the removal was refused."""
        if job in self._by_job:
            self._by_job[job].released.discard(uid)

    def released(self, job: str) -> Collection[str]:
        """Return the pods that were let go and may still be seen with the finalizer."""
        expected = self._by_job.get(job)
        return expected.released if expected is not None else ()

    def satisfied(self, job: str, *, now: float) -> bool:
        """Return whether the picture of a Job is up to date, or the patience is over."""
        expected = self._by_job.get(job)
        if expected is None or not (expected.created or expected.deleted):
            return True
        return now - expected.since > PATIENCE_SECONDS

    def forget(self, job: str) -> None:
        """The Job is gone."""
        self._by_job.pop(job, None)

    def _entry(self, job: str, now: float) -> _Expected:
        entry = self._by_job.setdefault(job, _Expected(now))
        entry.since = now
        return entry
