"""Sets of completion indexes, and their compact form as in ``status.completedIndexes``. Pure."""

from __future__ import annotations

from collections.abc import Iterable

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
"""Annotation and label of a pod: the index that it works on."""


def parse_indexes(text: str, *, completions: int) -> frozenset[int]:
    """Return the indexes of a text such as ``0,2-4``; those past ``completions`` are dropped."""
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if first.isdigit() and (not dash or last.isdigit()):
            end = min(int(last or first) + 1, completions)
            found.update(range(int(first), end))
    return frozenset(found)


def format_indexes(indexes: Iterable[int]) -> str:
    """Return the compact form: runs of three or more with a dash, pairs with a comma."""
    parts: list[str] = []
    run: list[int] = []
    for index in [*sorted(indexes), None]:
        if run and (index is None or index != run[-1] + 1):
            parts.append(_format_run(run))
            run = []
        if index is not None:
            run.append(index)
    return ",".join(parts)


def _format_run(run: list[int]) -> str:
    if len(run) == 1:
        return str(run[0])
    separator = "," if len(run) == 2 else "-"
    return f"{run[0]}{separator}{run[-1]}"
