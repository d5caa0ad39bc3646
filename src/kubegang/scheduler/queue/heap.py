"""A heap whose members can be taken out by key.

Removing marks the heap's entry as stale instead of searching for it; stale entries are
thrown away when they reach the top, or all at once when they outnumber the live ones. So
every operation costs O(log n) on average. Pure.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
Order = tuple[float, ...]

_COMPACT_ABOVE = 64
"""Below this size, stale entries are not worth a rebuild."""


class KeyedHeap(Generic[K]):
    """Keys in order; equals come out in the order in which they went in.

    A key occurs once: pushing it again gives it a new order and a new place among equals.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[Order, int, K]] = []
        self._live: dict[K, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._live)

    def __contains__(self, key: K) -> bool:
        return key in self._live

    def push(self, key: K, order: Order) -> None:
        """Add a key, or move it."""
        self._count += 1
        self._live[key] = self._count
        heapq.heappush(self._heap, (order, self._count, key))
        self._compact()

    def remove(self, key: K) -> None:
        """Take a key out, if it is there."""
        self._live.pop(key, None)

    def peek(self) -> tuple[Order, K] | None:
        """Return the first key and its order without taking it, or ``None``."""
        heap = self._heap
        while heap:
            order, count, key = heap[0]
            if self._live.get(key) == count:
                return order, key
            heapq.heappop(heap)
        return None

    def pop(self) -> K | None:
        """Take the first key, or return ``None``."""
        first = self.peek()
        if first is None:
            return None
        heapq.heappop(self._heap)
        del self._live[first[1]]
        return first[1]

    def _compact(self) -> None:
        if len(self._heap) > _COMPACT_ABOVE and len(self._heap) > 2 * len(self._live):
            self._heap = [entry for entry in self._heap if self._live.get(entry[2]) == entry[1]]
            heapq.heapify(self._heap)
