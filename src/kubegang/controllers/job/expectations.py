"""Pods that were made or deleted but that the informer has not shown yet.

A Job is not given more pods, nor fewer, while the picture of it is known to be old. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

# After this time an event is taken for lost and the picture for right.
PATIENCE_SECONDS = 300.0


class _Expected(msgspec.Struct):
    since: float
    created: set[str]
    deleted: set[str]


class Expectations:
    """What each Job still waits to see, by the uids of its pods."""

    def __init__(self) -> None:
        self._by_job: dict[str, _Expected] = {}

    def expect_created(self, job: str, uids: Iterable[str], *, now: float) -> None:
        """Wait for the appearance of pods."""
        self._entry(job, now).created.update(uids)

    def expect_deleted(self, job: str, uids: Iterable[str], *, now: float) -> None:
        """Wait for the deletion marks of pods."""
        self._entry(job, now).deleted.update(uids)

    def saw_created(self, job: str, uid: str) -> None:
        """A pod has appeared."""
        if job in self._by_job:
            self._by_job[job].created.discard(uid)

    def saw_deleted(self, job: str, uid: str) -> None:
        """A pod is marked for deletion, or gone."""
        if job in self._by_job:
            self._by_job[job].deleted.discard(uid)
            # Gone before its creation was seen: there is nothing more to wait for.
            self._by_job[job].created.discard(uid)

    def satisfied(self, job: str, *, now: float) -> bool:
        """Return whether the picture of a Job is up to date, or the patience is over."""
        expected = self._by_job.get(job)
        if expected is None:
            return True
        if not expected.created and not expected.deleted:
            del self._by_job[job]
            return True
        return now - expected.since > PATIENCE_SECONDS

    def forget(self, job: str) -> None:
        """The Job is gone."""
        self._by_job.pop(job, None)

    def _entry(self, job: str, now: float) -> _Expected:
        entry = self._by_job.setdefault(job, _Expected(now, set(), set()))
        entry.since = now
        return entry
