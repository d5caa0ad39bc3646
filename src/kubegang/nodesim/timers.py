"""When each pod moves next by itself. Pure."""

from __future__ import annotations

import heapq


class Timers:
    """One time per key; asking for the earliest does not look at all of them."""

    def __init__(self) -> None:
        self._at: dict[str, float] = {}
        # Has every time that is set, and some that are outdated.
        self._heap: list[tuple[float, str]] = []

    def set(self, key: str, at: float) -> None:
        """Set the time of a key."""
        if self._at.get(key) != at:
            self._at[key] = at
            heapq.heappush(self._heap, (at, key))

    def drop(self, key: str) -> None:
        """Take the time of a key away."""
        self._at.pop(key, None)

    def earliest(self) -> float | None:
        """Return the earliest time, ``None`` if none is set."""
        while self._heap and self._at.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None
