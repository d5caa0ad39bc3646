"""Events in the form events.k8s.io/v1, repeats joined into series as upstream does.

The second event that is alike (same object in the same version, same reason and so on; the
text does not count) makes a series of the first; further ones are only counted, and written
when the series ends: six minutes after its last event, or every half hour (seen on 1.37.2).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final, Literal

from kubegang.apimachinery.errors import (
    AlreadyExistsError,
    ApiError,
    ForbiddenError,
    NotFoundError,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_micro_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import EVENTS
from kubegang.scheduler.binder.dispatch import Dispatcher, Lane

NOTE_LIMIT: Final = 1024
"""The longest note that the API takes."""

FINISH_SECONDS: Final = 360.0
REFRESH_SECONDS: Final = 1800.0
RETRY_SECONDS: Final = 10.0
MAX_WAITING: Final = 20_000
"""Beyond this, events are dropped: a scheduler must not choke on telling what it did."""

_NAME_LIMIT: Final = 253

_log = logger(__name__)


@dataclass(slots=True)
class _Series:
    """An event and how often it was repeated.

    Attributes:
        written: when the series was last sent.
        last_time: the time of day of the last one.
    """

    event: JsonObject
    observed: float
    written: float
    last_time: str = ""
    count: int = 1


class EventRecorder:
    """Writes events through the dispatcher; never waits, never fails."""

    def __init__(self, client: Client, dispatcher: Dispatcher, *, clock: Clock, host: str) -> None:
        self._client = client
        self._dispatcher = dispatcher
        self._clock = clock
        self._host = host
        self._series: dict[tuple[str, ...], _Series] = {}
        self._unsent: deque[_Series] = deque(maxlen=1000)
        self._repeating = 0
        self._next_retry = 0.0
        self._next_finish = clock.steady() + FINISH_SECONDS
        self._serial = 0

    def record(
        self,
        regarding: JsonObject,
        *,
        type: Literal["Normal", "Warning"],
        reason: str,
        action: str,
        note: str,
        controller: str,
        related: JsonObject | None = None,
        repeats: bool = True,
    ) -> None:
        """Write an event about an object.

        Args:
            regarding: a reference to the object.
            type: Normal or Warning.
            reason: one word for programs.
            action: what was being done.
            note: a sentence for people; cut to what the API takes.
            controller: who says it: the scheduler's name.
            related: a reference to a second object, if there is one.
            repeats: whether it may happen again, so that it is worth remembering.
        """
        now = self._clock.steady()
        key = (type, action, reason, controller, *_identity(regarding))
        series = self._series.get(key)
        if series is None:
            event = self._event(
                regarding, type=type, reason=reason, action=action, note=note, controller=controller
            )
            if related is not None:
                event["related"] = related
            series = _Series(event, observed=now, written=now)
            if repeats:
                self._series[key] = series
            self._send(series)
            return
        series.count += 1
        series.observed, series.last_time = now, format_micro_time(self._clock.now())
        if series.count == 2:
            self._repeating += 1
            series.written = now
            self._send(series)

    def tick(self) -> None:
        """Try again what failed, write series that ended or are old, forget single events."""
        now = self._clock.steady()
        if now >= self._next_retry:
            for _ in range(len(self._unsent)):
                self._send(self._unsent.popleft())
        if now < self._next_finish:
            return
        self._next_finish = now + FINISH_SECONDS
        for key, series in list(self._series.items()):
            ended = now - series.observed > FINISH_SECONDS
            if ended:
                del self._series[key]
                self._repeating -= series.count > 1
            if series.count > 1 and (ended or now - series.written > REFRESH_SECONDS):
                series.written = now
                self._send(series)

    def next_tick(self) -> float | None:
        """Return when ``tick`` has something to send, or ``None``."""
        if self._unsent:
            return self._next_retry
        return self._next_finish if self._repeating else None

    def _event(
        self,
        regarding: JsonObject,
        *,
        type: str,
        reason: str,
        action: str,
        note: str,
        controller: str,
    ) -> JsonObject:
        now = self._clock.now()
        self._serial += 1
        # Upstream's names end in the nanoseconds; the serial keeps them apart in virtual time.
        suffix = f".{int(now * 1e9) + self._serial:x}"
        return {
            "apiVersion": EVENTS.api_version,
            "kind": EVENTS.kind,
            "metadata": {
                "name": regarding["name"][: _NAME_LIMIT - len(suffix)] + suffix,
                "namespace": regarding.get("namespace") or "default",
            },
            "eventTime": format_micro_time(now),
            "reportingController": controller,
            "reportingInstance": f"{controller}-{self._host}",
            "action": action,
            "reason": reason,
            "regarding": regarding,
            "note": cut_note(note),
            "type": type,
        }

    def _send(self, series: _Series) -> None:
        if self._dispatcher.lane_length(Lane.EVENT) >= MAX_WAITING:
            _log.warning("event dropped, too many are waiting", reason=series.event["reason"])
            return

        async def write() -> None:
            await self._write(series)

        self._dispatcher.submit(("event", series.event["metadata"]["name"]), write, lane=Lane.EVENT)

    async def _write(self, series: _Series) -> None:
        try:
            if series.count > 1:
                await self._write_series(series)
            else:
                await self._create(series.event)
        except UnreachableError:
            if not self._unsent:
                self._next_retry = self._clock.steady() + RETRY_SECONDS
            self._unsent.append(series)
        except ApiError as error:
            if _has_gone(error):
                # The namespace is going, and the object with it: nobody will miss the event.
                return
            _log.warning("event not written", reason=series.event["reason"], error=str(error))

    async def _write_series(self, series: _Series) -> None:
        metadata = series.event["metadata"]
        repeats = {"count": series.count, "lastObservedTime": series.last_time}
        try:
            await self._client.patch(
                EVENTS,
                metadata["name"],
                metadata["namespace"],
                patch={"series": repeats},
                patch_type="strategic",
            )
        except NotFoundError:
            await self._create({**series.event, "series": repeats})

    async def _create(self, event: JsonObject) -> None:
        try:
            await self._client.create(EVENTS, event, event["metadata"]["namespace"])
        except AlreadyExistsError:
            # An earlier try arrived although its answer did not.
            return


def _has_gone(error: ApiError) -> bool:
    """Return whether an event cannot be written because its namespace goes or is gone."""
    terminating = isinstance(error, ForbiddenError) and "is being terminated" in str(error)
    return isinstance(error, NotFoundError) or terminating


def cut_note(note: str) -> str:
    """Return the note, cut to what the API takes as upstream cuts it."""
    return note if len(note) <= NOTE_LIMIT else note[: NOTE_LIMIT - 4] + " ..."


def _identity(reference: JsonObject) -> tuple[str, ...]:
    return (
        reference["kind"],
        reference.get("namespace", ""),
        reference["name"],
        reference["uid"],
        reference["resourceVersion"],
    )
