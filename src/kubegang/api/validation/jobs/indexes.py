"""Lists of completion indexes, as Jobs write them: ``1,3-5,7``.

Pure.
"""

from __future__ import annotations

import re

from kubegang.apimachinery.gotext import go_quote

_NUMBER = re.compile(r"[+-]?[0-9]+")
_ENDS = 2


class IndexesError(ValueError):
    """A text that is no such list; the message is Kubernetes'."""


def count_indexes(text: str, completions: int) -> int:
    """Return how many indexes a list has.

    Raises:
        IndexesError: the list is malformed, not increasing, or beyond the completions.
    """
    total, last = 0, None
    for part in text.split(",") if text else ():
        first, end = _interval(part, completions)
        if last is not None and last >= first:
            raise IndexesError(_not_increasing(last, first))
        total += end - first + 1
        last = end
    return total


def overlap(completed: str, failed: str, completions: int) -> int | None:
    """Return an index that stands in both lists, if any; malformed parts do not count."""
    theirs = _intervals(failed, completions)
    for first, end in _intervals(completed, completions):
        for other_first, other_end in theirs:
            if first <= other_end and other_first <= end:
                return max(first, other_first)
    return None


def _intervals(text: str, completions: int) -> list[tuple[int, int]]:
    intervals = []
    for part in text.split(","):
        try:
            intervals.append(_interval(part, completions))
        except IndexesError:
            continue
    return intervals


def _interval(part: str, completions: int) -> tuple[int, int]:
    ends = part.split("-")
    if len(ends) > _ENDS:
        raise IndexesError(
            f"the fragment {go_quote(part)} violates the requirement that an index interval "
            "can have at most two parts separated by '-'"
        )
    numbers = [_index(end, completions) for end in ends]
    if len(numbers) == _ENDS and numbers[0] >= numbers[1]:
        raise IndexesError(_not_increasing(*numbers))
    return numbers[0], numbers[-1]


def _index(text: str, completions: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise IndexesError(f"cannot convert string to integer for index: {go_quote(text)}")
    if int(text) >= completions:
        raise IndexesError(f"too large index: {go_quote(text)}")
    return int(text)


def _not_increasing(previous: int, current: int) -> str:
    return f"non-increasing order, previous: {previous}, current: {current}"
