"""What happened in a cluster that is watched, from the creation of what is there.

Objects that are there at the beginning tell of their past themselves; from then on every
change is one. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kubegang.apimachinery.objects import JsonObject
from kubegang.tools.history import History
from kubegang.tools.overview.report import Overview
from kubegang.tools.overview.retelling import retold
from kubegang.tools.timeline import TimelineEntry, timeline_of
from kubegang.tools.workunits import WorkUnit

MOST_ENTRIES: Final = 300
"""So many of the newest are told."""

LONG: Final = 50_000
"""With so many happenings it is time to begin anew with what is still there."""

TICK: Final = 0.001
"""What was seen before a reason was noted, and what after it, stays in that order."""

_WAITS: Final = ("unschedulable", "waiting", "error")
_NUMBER: Final = re.compile(r"\d+")


class Story:
    """The course of events; times are seconds since the epoch."""

    def __init__(self) -> None:
        self._history = History()
        self._waits: list[TimelineEntry] = []
        self._said: dict[WorkUnit, str] = {}
        self._latest = 0.0

    @property
    def is_long(self) -> bool:
        """Whether it takes too much memory."""
        return len(self._history.happenings) > LONG

    def begin(self, objects: Iterable[JsonObject]) -> None:
        """Tell the past of what is there."""
        for at, obj in retold(objects):
            self.see(obj, at=at)

    def see(self, obj: JsonObject, *, at: float, deleted: bool = False) -> None:
        """Take in an object as it is now, or as it was last.

        What happens within one second is told as one moment.
        """
        self._latest = max(self._latest, float(int(at)))
        self._history.see(obj, at=self._latest, deleted=deleted)

    def note(self, overview: Overview) -> None:
        """Take in why gangs wait; a reason is told again if it changes in more than numbers."""
        waiting = {gang.unit: gang for gang in overview.gangs if gang.state in _WAITS}
        self._said = {unit: said for unit, said in self._said.items() if unit in waiting}
        for unit, gang in waiting.items():
            said = _NUMBER.sub("#", gang.message)
            if self._said.get(unit) == said:
                continue
            self._said[unit] = said
            at = max(self._latest, float(int(overview.taken))) + TICK
            self._latest = at + TICK
            message = f"waits: {gang.message}"
            entry = TimelineEntry(at=at, kind="waits", subjects=(unit,), message=message)
            self._waits = [*self._waits[-MOST_ENTRIES:], entry]

    def entries(self) -> tuple[TimelineEntry, ...]:
        """Return the newest entries, the latest last."""
        every = [*timeline_of(self._history), *self._waits]
        return tuple(sorted(every, key=lambda entry: entry.at)[-MOST_ENTRIES:])
