"""Keys waiting to be worked on: each once, never by two workers, later after failures.

A key that is added while it is being worked on is handed out again afterwards, so no change is
missed and none is worked on twice at a time.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
from collections.abc import Hashable
from typing import Generic, TypeVar

from kubegang.base.clock import Clock
from kubegang.client.backoff import Rng, pause_seconds
from kubegang.client.deadline import within

K = TypeVar("K", bound=Hashable)

FIRST_PAUSE_SECONDS = 0.005
LONGEST_PAUSE_SECONDS = 60


class WorkQueue(Generic[K]):
    """Each key is ready, being worked on, or neither; besides, it may wait for a time.

    ``_again`` has keys that are being worked on and were added meanwhile; ``_later`` may have
    outdated entries, ``_due`` has the time that counts for a key.
    """

    def __init__(
        self,
        clock: Clock,
        rng: Rng,
        *,
        first_seconds: float = FIRST_PAUSE_SECONDS,
        longest_seconds: float = LONGEST_PAUSE_SECONDS,
    ) -> None:
        """Make an empty queue.

        Args:
            clock: for keys that wait for their time.
            rng: spreads the pauses after failures.
            first_seconds: the pause after the first failure of a key; it doubles with each.
            longest_seconds: the longest pause.
        """
        self._clock = clock
        self._rng = rng
        self._first_seconds = first_seconds
        self._longest_seconds = longest_seconds
        self._ready: dict[K, None] = {}
        self._working: set[K] = set()
        self._again: dict[K, None] = {}
        self._later: list[tuple[float, int, K]] = []
        self._due: dict[K, float] = {}
        self._order = itertools.count()
        self._failures: dict[K, int] = {}
        self._changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._ready) + len(self._again)

    def add(self, key: K) -> None:
        """Have a key worked on as soon as a worker is free.

        If it also waits for a time, it is worked on then as well.
        """
        if key in self._working:
            self._again[key] = None
        else:
            self._ready[key] = None
        self._changed.set()

    def add_after(self, key: K, seconds: float) -> None:
        """Have a key worked on after a time; the earliest time asked for counts."""
        if seconds <= 0:
            self.add(key)
            return
        due = self._clock.steady() + seconds
        if self._due.get(key, math.inf) <= due:
            return
        self._due[key] = due
        heapq.heappush(self._later, (due, next(self._order), key))
        self._changed.set()

    def add_rate_limited(self, key: K) -> None:
        """Have a key worked on after a pause that grows with its failures in a row."""
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        pause = pause_seconds(
            failures,
            self._rng,
            first_seconds=self._first_seconds,
            longest_seconds=self._longest_seconds,
        )
        self.add_after(key, pause)

    def failures(self, key: K) -> int:
        """Return how often a key failed since it was last forgotten."""
        return self._failures.get(key, 0)

    def forget(self, key: K) -> None:
        """Count a key's failures from zero again."""
        self._failures.pop(key, None)

    async def get(self) -> K:
        """Wait for a key and take it; ``done`` must follow."""
        while True:
            self._move_due()
            if self._ready:
                key = next(iter(self._ready))
                del self._ready[key]
                self._working.add(key)
                return key
            await self._wait()

    def done(self, key: K) -> None:
        """Say that the work on a key has ended, well or badly."""
        self._working.discard(key)
        if key in self._again:
            del self._again[key]
            self._ready[key] = None
            self._changed.set()

    def _move_due(self) -> None:
        now = self._clock.steady()
        while self._later and self._later[0][0] <= now:
            due, _, key = heapq.heappop(self._later)
            if self._due.get(key) == due:
                del self._due[key]
                self.add(key)

    async def _wait(self) -> None:
        """Wait until something was added, or the next key's time has come."""
        self._changed.clear()
        if not self._later:
            await self._changed.wait()
            return
        try:
            seconds = self._later[0][0] - self._clock.steady()
            await within(self._clock, seconds, self._changed.wait())
        except TimeoutError:
            return
