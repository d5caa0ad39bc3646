"""Follows what happens in the embedded cluster's store and tells a history.

The store's own watch shows every kind, in the one order in which things happened; watches
through the API are one per kind and would have to be put in order again.
"""

from __future__ import annotations

import asyncio

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.store.interface import Change, Store
from kubegang.tools.history import History

BEFORE_START = -1.0
"""The time of everything that was there before the start."""

UNNOTICED_PREFIXES = ("/coordination.k8s.io/leases/",)
EVENT_PREFIXES = ("/core/events/", "/events.k8s.io/events/")
TOLD_PREFIXES = (
    "/core/pods/",
    "/core/nodes/",
    "/batch/jobs/",
    "/batch/cronjobs/",
    "/scheduling.k8s.io/podgroups/",
    *EVENT_PREFIXES,
)
RESTATED_PREFIXES = ("/core/pods/", "/scheduling.k8s.io/podgroups/")
"""Kinds whose conditions are worded anew at each attempt, which is no progress."""

_decode = msgspec.json.Decoder(dict).decode


class Follower:
    """Passes changes on; knows when the last one was that matters.

    Attributes:
        changed: set at each change; whoever waits for it clears it.
        last_progress: seconds since the start.
    """

    def __init__(self, store: Store, history: History, *, clock: Clock) -> None:
        self._watch = store.watch("/", after=store.revision)
        self._history = history
        self._clock = clock
        self._start: float | None = None
        self._progress = ProgressSense()
        self.changed = asyncio.Event()
        self.last_progress = 0.0

    def start(self) -> None:
        """From now on time counts; what happened so far was the beginning."""
        self._start = self._clock.steady()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return BEFORE_START if self._start is None else self._clock.steady() - self._start

    async def run(self) -> None:
        """Follow until cancelled."""
        try:
            while True:
                for change in await self._watch.next_batch():
                    self._take(change, at=self.elapsed)
        finally:
            self._watch.close()

    def _take(self, change: Change, *, at: float) -> None:
        key = change.key
        if key.startswith(UNNOTICED_PREFIXES):
            return
        obj = _decode(change.value) if key.startswith(TOLD_PREFIXES) else None
        if not key.startswith(EVENT_PREFIXES):
            self.changed.set()
            if self._progress.is_made(change, obj):
                self.last_progress = max(at, 0.0)
        if obj is not None:
            self._history.see(obj, at=at, deleted=change.type == "deleted")


class ProgressSense:
    """Tells changes that bring something about from those that only say it in other words."""

    def __init__(self) -> None:
        self._known: dict[str, JsonObject] = {}

    def is_made(self, change: Change, obj: JsonObject | None) -> bool:
        """Return whether a change is progress.

        Args:
            change: the next one; every change of the kinds below must be passed.
            obj: its value, for kinds whose conditions are worded anew at each attempt.
        """
        if obj is None or not change.key.startswith(RESTATED_PREFIXES):
            return True
        if change.type == "deleted":
            self._known.pop(change.key, None)
            return True
        substance = _substance(obj)
        before, self._known[change.key] = self._known.get(change.key), substance
        return substance != before


def _substance(obj: JsonObject) -> JsonObject:
    metadata = {
        name: value
        for name, value in obj["metadata"].items()
        if name not in ("resourceVersion", "managedFields")
    }
    status = dict(obj.get("status") or {})
    # A promise of room is nothing yet: members of a gang that does not fit take turns (1.35).
    status.pop("nominatedNodeName", None)
    status["conditions"] = [
        (condition.get("type"), condition.get("status"))
        for condition in status.get("conditions") or ()
    ]
    return {**obj, "metadata": metadata, "status": status}
