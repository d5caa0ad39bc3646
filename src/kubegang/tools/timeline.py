"""The time line: one line for each thing worth telling, whatever the number of pods.

What happens to the pods of one unit at one moment is at most a few lines, and the same that
happens to many single pods at once is one. Pure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import groupby

import msgspec

from kubegang.tools.history import History
from kubegang.tools.records import Happening
from kubegang.tools.unitprogress import EntryKind, Line, UnitProgress
from kubegang.tools.workunits import WorkUnit

SEVERAL_PODS = 4
"""So many single pods of which the same is to be told at once become one line."""


class TimelineEntry(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One line.

    Attributes:
        at: seconds since the start.
        subjects: what it is about; several only for pods that are units of their own.
        pods: how many pods it is about, 0 where that says nothing.
    """

    at: float
    kind: EntryKind
    subjects: tuple[WorkUnit, ...]
    message: str
    pods: int = 0


def timeline_of(history: History) -> tuple[TimelineEntry, ...]:
    """Return the time line; what happened before time 0 is the start and not told."""
    minimums = _minimums(history)
    progress: dict[WorkUnit, UnitProgress] = {}
    entries: list[TimelineEntry] = []
    for at, happenings in groupby(history.happenings, key=lambda happening: happening.at):
        lines: list[tuple[WorkUnit, Line]] = []
        for unit, own in _by_unit(history, happenings).items():
            if unit not in progress:
                progress[unit] = UnitProgress(unit, min_count=minimums.get(unit))
            lines += [(unit, line) for line in progress[unit].lines(own, at=at)]
        if at >= 0:
            entries += _entries(lines, at=round(at, 3))
    return tuple(entries)


def _minimums(history: History) -> dict[WorkUnit, int]:
    """Return how many pods each gang needs; several gangs of one unit are not added up."""
    return {
        history.unit_of(group): group.min_count
        for group in history.groups.values()
        if group.min_count is not None
    }


def _by_unit(history: History, happenings: Iterable[Happening]) -> dict[WorkUnit, list[Happening]]:
    by_unit: dict[WorkUnit, list[Happening]] = {}
    for happening in happenings:
        by_unit.setdefault(history.unit_of(happening.subject), []).append(happening)
    return by_unit


def _entries(lines: list[tuple[WorkUnit, Line]], *, at: float) -> Iterator[TimelineEntry]:
    """Yield a moment's lines; those that say the same of several single pods become one."""
    alike: dict[Hashable, list[WorkUnit]] = {}
    for unit, line in lines:
        alike.setdefault(_likeness(unit, line), []).append(unit)
    told: set[Hashable] = set()
    for unit, line in lines:
        key = _likeness(unit, line)
        if len(alike[key]) < SEVERAL_PODS:
            yield TimelineEntry(
                at=at, kind=line.kind, subjects=(unit,), message=line.message, pods=line.pods
            )
        elif key not in told:
            told.add(key)
            units = tuple(alike[key])
            yield TimelineEntry(
                at=at, kind=line.kind, subjects=units, message=line.shared, pods=len(units)
            )


def _likeness(unit: WorkUnit, line: Line) -> Hashable:
    if unit.kind == "Pod":
        return (line.kind, line.same)
    return (line.kind, unit)
