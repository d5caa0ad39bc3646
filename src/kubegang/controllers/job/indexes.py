"""Sets of completion indexes in the compact form of ``status.completedIndexes``. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.apimachinery.objects import JsonObject

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"


def parse_indexes(text: str, *, completions: int) -> frozenset[int]:
    """Return the indexes of a text such as ``0,2-4``; those past ``completions`` are dropped."""
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if first.isdigit() and (not dash or last.isdigit()):
            found.update(range(int(first), int(last or first) + 1))
    return frozenset(index for index in found if index < completions)


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


def index_of(pod: JsonObject) -> int | None:
    """Return the completion index that a pod works on, or ``None``."""
    text = (pod["metadata"].get("annotations") or {}).get(COMPLETION_INDEX, "")
    return int(text) if text.isdigit() else None


def _format_run(run: list[int]) -> str:
    if len(run) == 1:
        return str(run[0])
    separator = "," if len(run) == 2 else "-"
    return f"{run[0]}{separator}{run[-1]}"
