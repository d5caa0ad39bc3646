"""Pods that fail again and again on one node are made anew ever more rarely. Pure."""

from __future__ import annotations

import msgspec

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 900.0

_FORGOTTEN_AFTER = 2


class _Entry(msgspec.Struct):
    seconds: float
    at: float


class FailureBackoff:
    """When a failed pod may be deleted, by whatever names set and node."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def wait(self, key: str, now: float) -> float:
        """Return for how long a failed pod has to stay; 0 lets it go, and counts it."""
        entry = self._entries.get(key)
        if entry is not None and now - entry.at < entry.seconds:
            return entry.seconds
        seconds = FIRST_SECONDS
        if entry is not None and now - entry.at <= _FORGOTTEN_AFTER * LONGEST_SECONDS:
            seconds = min(2 * entry.seconds, LONGEST_SECONDS)
        self._entries[key] = _Entry(seconds, now)
        return 0.0

    def forget(self, prefix: str) -> None:
        """Forget all keys that begin so."""
        for key in [key for key in self._entries if key.startswith(prefix)]:
            del self._entries[key]
