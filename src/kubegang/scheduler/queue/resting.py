"""The limit to every rest: whoever waited too long is tried again, in case a hint was wrong.

Pure.
"""

from __future__ import annotations

from typing import Final

from kubegang.scheduler.queue.entries import Entry
from kubegang.scheduler.queue.pool import Pool

MAX_REST_SECONDS: Final = 300.0
"""Nobody rests longer than this."""

REST_CHECK_SECONDS: Final = 30.0
"""How often resting entities are checked for that."""


class RestLimit:
    """Says who has rested for too long."""

    def __init__(self) -> None:
        self._last_check: float | None = None

    def overdue(self, pool: Pool, *, now: float) -> list[Entry]:
        """Return those to be woken, if it is time to check."""
        if self._last_check is None:
            self._last_check = now
        if now - self._last_check < REST_CHECK_SECONDS:
            return []
        self._last_check = now
        return [entry for entry in pool.entries() if _has_rested_too_long(entry, now=now)]

    @property
    def next_check(self) -> float:
        """When to check again."""
        return (self._last_check or 0.0) + REST_CHECK_SECONDS


def _has_rested_too_long(entry: Entry, *, now: float) -> bool:
    return now - max(entry.info.timestamp, entry.flushed) > MAX_REST_SECONDS
