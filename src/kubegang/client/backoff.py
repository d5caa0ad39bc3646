"""Growing pauses between attempts, with some chance in them.

Chance spreads clients that failed together. Pure: the source of chance is an argument.
"""

from __future__ import annotations

from typing import Final, Protocol


class Rng(Protocol):
    """A source of chance, such as ``random.Random``."""

    def random(self) -> float:
        """Return a number from 0 up to, not including, 1."""
        ...


class _NoChance:
    """Always the middle: for whoever needs no spread."""

    def random(self) -> float:
        """Return one half."""
        return 0.5


NO_CHANCE: Final[Rng] = _NoChance()


def pause_seconds(
    failures: int, rng: Rng, *, first_seconds: float, longest_seconds: float
) -> float:
    """Return how long to wait after so many failures in a row, of which one is the least.

    Doubles with each, up to the longest, and then takes off up to a half by chance.
    """
    # The exponent is bounded, since a float overflows where the longest pause is long reached.
    whole = min(first_seconds * 2.0 ** min(failures - 1, 60), longest_seconds)
    return whole * (0.5 + 0.5 * rng.random())


class Backoff:
    """Counts failures in a row and says how long to wait."""

    def __init__(self, rng: Rng, *, first_seconds: float, longest_seconds: float) -> None:
        self._rng = rng
        self._first = first_seconds
        self._longest = longest_seconds
        self._failures = 0

    def next_seconds(self) -> float:
        """Count a failure and return the pause after it."""
        self._failures += 1
        return pause_seconds(
            self._failures,
            self._rng,
            first_seconds=self._first,
            longest_seconds=self._longest,
        )

    def reset(self) -> None:
        """Count a success."""
        self._failures = 0
