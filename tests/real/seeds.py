"""Which random cases are played: so many, or those that the environment names."""

from __future__ import annotations

import os


def chosen_seeds(variable: str, usual: int, *, rarer_by: int = 1) -> list[int]:
    """Return the seeds to try.

    Args:
        variable: in the environment: a number of cases, or seeds such as ``3,7-9``.
        usual: how many without it.
        rarer_by: what a number is divided by, but not the seeds that are named.
    """
    text = os.environ.get(variable, str(usual))
    if text.isdigit():
        return list(range(int(text) // rarer_by))
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
