"""The time line: one line for each thing worth telling, whatever the number of pods.

What happens to the pods of one unit at one moment is one line, and small steps between two
states that a reader cares about (nothing bound, a part, all) are no line at all. So a gang of
a thousand pods is told in as few lines as one of two. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Literal

import msgspec

from kubegang.tools.history import History
from kubegang.tools.records import GroupRecord, Happening, JobRecord, PodRecord
from kubegang.tools.unitprogress import UnitProgress
from kubegang.tools.workunits import WorkUnit, count_of

EntryKind = Literal[
    "submitted",
    "suspended",
    "resumed",
    "evicted",
    "deleted",
    "failed-pods",
    "restarted",
    "started",
    "partly-started",
    "waits",
    "succeeded",
    "failed",
]

SEVERAL_PODS = 4
"""So many single pods of which the same is to be told at once become one line."""


class TimelineEntry(msgspec.Struct, frozen=True, kw_only=True):
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
    progress: dict[WorkUnit, UnitProgress] = {}
    entries: list[TimelineEntry] = []
    for at, together in groupby(history.happenings, key=lambda happening: happening.at):
        moment = [
            entry
            for unit, happenings in _by_unit(history, together).items()
            for entry in _entries(
                unit,
                progress.setdefault(unit, UnitProgress(is_gang=_is_gang(history, unit))),
                happenings,
                history=history,
                at=round(at, 3),
            )
        ]
        if at >= 0:
            entries += _joined(moment)
    return tuple(entries)


def _by_unit(
    history: History, happenings: Iterator[Happening]
) -> dict[WorkUnit, list[Happening]]:
    by_unit: dict[WorkUnit, list[Happening]] = {}
    for happening in happenings:
        by_unit.setdefault(history.unit_of(happening.subject), []).append(happening)
    return by_unit
