"""The source of chance, as an argument.

The core must not import ``random``; ``random.Random`` has this shape, and so has any test's
scripted sequence.
"""

from __future__ import annotations

from typing import Protocol


class Rng(Protocol):
    """Draws numbers; the same seed repeats a run."""

    def randrange(self, stop: int, /) -> int:
        """Return a number from 0 to ``stop - 1``, each with equal chance."""
        ...
