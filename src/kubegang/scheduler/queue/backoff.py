"""Entities that failed and wait for the clock.

An entity that failed n times waits initial·2^(n-1) seconds, at most the configured maximum;
for a group of m pods the maximum is multiplied by the square root of m (measured on
1.37.2). Unschedulable results and errors in a row are counted apart.

Upstream lets a whole second's worth of entities go together, so that the stronger of them
goes first. So does this queue, but as soon as the first of that second is due rather than
at the second's end: nobody waits longer than the formula says. Pure.
"""

from __future__ import annotations

import math

import msgspec

from kubegang.scheduler.queue.entries import EntityKey, Entry
from kubegang.scheduler.queue.heap import KeyedHeap, Order


class BackoffPolicy(msgspec.Struct, frozen=True):
    """podInitialBackoffSeconds and podMaxBackoffSeconds; a maximum of 0 switches it off."""

    initial_seconds: float = 1.0
    max_seconds: float = 10.0

    def duration(self, failures: int, pods: int) -> float:
        """Return how long an entity of so many pods waits after its last failure."""
        if failures == 0 or self.max_seconds == 0:
            return 0.0
        longest = self.max_seconds * math.sqrt(pods)
        # The power is bounded first: 2.0 to the number of failures would overflow one day.
        return min(self.initial_seconds * 2.0 ** min(failures - 1, 64), longest)

    def expiry(self, entry: Entry) -> float:
        """Return when the entity's backoff ends, counted from its last failure."""
        info = entry.info
        failures = info.consecutive_errors or info.unschedulable_count
        return info.timestamp + self.duration(failures, entry.size)


class BackoffQueue:
    """Entities in backoff, by the second in which they are due, then as the active queue.

    Only entities that some plugin refused may be popped early; after an error the pause
    protects the API server. Groups are never popped early: no plugin refuses a group.

    Members of a group that are queued one by one never wait for events, so with nothing else
    to do kube-scheduler 1.36 tries them over and over again, thousands of times a second
    (measured on 1.36.3). Nothing comes of that until something happens, so here they are
    popped early only then: see ``stir``.

    Attributes:
        happened: counts what happened in the cluster.
    """

    def __init__(self) -> None:
        self.happened = 0
        self._due: KeyedHeap[EntityKey] = KeyedHeap()
        self._early: KeyedHeap[EntityKey] = KeyedHeap()
        self._calm: dict[EntityKey, Order] = {}
        self._by_second: dict[int, dict[EntityKey, None]] = {}
        self._seconds: dict[EntityKey, int] = {}

    def __len__(self) -> int:
        return len(self._seconds)

    def __contains__(self, key: EntityKey) -> bool:
        return key in self._seconds

    def add(
        self,
        key: EntityKey,
        expires: float,
        *,
        order: Order,
        early: bool,
        tried_at: int | None = None,
    ) -> None:
        """Let an entity wait until ``expires``.

        Args:
            key: the entity.
            expires: when its backoff ends.
            order: its place among those of the same second.
            early: whether it may be popped before.
            tried_at: it may be popped before only when more than so much has happened.
        """
        second = math.floor(expires)
        self._due.push(key, (expires,))
        if early and tried_at == self.happened:
            self._calm[key] = (second, *order)
        elif early:
            self._early.push(key, (second, *order))
        self._by_second.setdefault(second, {})[key] = None
        self._seconds[key] = second

    def remove(self, key: EntityKey) -> None:
        """Take an entity out."""
        second = self._seconds.pop(key)
        bucket = self._by_second[second]
        del bucket[key]
        if not bucket:
            del self._by_second[second]
        self._due.remove(key)
        self._early.remove(key)
        self._calm.pop(key, None)

    def stir(self) -> None:
        """Note that something happened in the cluster: who waits for that may go early."""
        self.happened += 1
        for key, order in self._calm.items():
            self._early.push(key, order)
        self._calm.clear()

    def pop_due(self, now: float) -> list[EntityKey]:
        """Take all that are due, and the others of the same second."""
        due: list[EntityKey] = []
        while (expires := self.next_expiry()) is not None and expires <= now:
            for key in list(self._by_second[math.floor(expires)]):
                self.remove(key)
                due.append(key)
        return due

    def pop_early(self) -> EntityKey | None:
        """Take the entity that would be due first, if any may be popped early."""
        first = self._early.peek()
        if first is None:
            return None
        self.remove(first[1])
        return first[1]

    @property
    def has_early(self) -> bool:
        """Whether any entity may be popped early now."""
        return bool(self._early)

    def next_expiry(self) -> float | None:
        """Return when the next entity is due, or ``None``."""
        first = self._due.peek()
        return first[0][0] if first else None
