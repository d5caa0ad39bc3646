"""Events as controllers write them: core/v1, repeats counted on one object, floods cut.

Whoever records does not wait; ``run`` writes in the background, in order.
"""

from __future__ import annotations

import asyncio
from collections import deque

from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import CORE_EVENTS
from kubegang.controllers.correlation import Correlator, Sighting

WAITING_EVENTS = 1000
"""So many may wait to be written; more are dropped, as the API must be slow or away."""

_log = logger(__name__)


class EventRecorder:
    """Writes events about objects; one that cannot be written is logged and dropped."""

    def __init__(self, client: Client, *, component: str, clock: Clock) -> None:
        self._client = client
        self._component = component
        self._clock = clock
        self._last_name = 0
        self._correlator = Correlator()
        self._waiting: deque[Sighting] = deque()
        self._added = asyncio.Event()

    def record(self, regarding: JsonObject, *, type_: str, reason: str, message: str) -> None:
        """Have an event written about an object."""
        sighting = self._correlator.see(
            regarding,
            type_=type_,
            reason=reason,
            message=message,
            name=f"{regarding['metadata']['name']}.{self._next_name():x}",
            now=self._clock.now(),
            steady=self._clock.steady(),
        )
        if sighting is None:
            return
        if len(self._waiting) >= WAITING_EVENTS:
            _log.warning("event dropped, too many wait", reason=reason)
            return
        self._waiting.append(sighting)
        self._added.set()

    async def run(self) -> None:
        """Write events until cancelled."""
        while True:
            while self._waiting:
                await self._write(self._waiting.popleft())
            self._added.clear()
            await self._added.wait()

    def _next_name(self) -> int:
        """Return the time in nanoseconds, never twice: so events are listed in their order."""
        now = int(self._clock.now() * 1e9)
        self._last_name = max(now, self._last_name + 1)
        return self._last_name

    async def _write(self, sighting: Sighting) -> None:
        try:
            if sighting.count == 1 or not await self._count(sighting):
                await self._client.create(
                    CORE_EVENTS, event_of(sighting, self._component), _namespace(sighting)
                )
        except (ApiError, UnreachableError) as error:
            _log.warning("event not written", reason=sighting.reason, error=str(error))

    async def _count(self, sighting: Sighting) -> bool:
        """Count one more of an event; return whether it is still there."""
        patch: JsonObject = {
            "count": sighting.count,
            "lastTimestamp": format_time(sighting.last),
            "message": sighting.message,
        }
        try:
            await self._client.patch(CORE_EVENTS, sighting.name, _namespace(sighting), patch=patch)
        except NotFoundError:
            return False
        return True


def event_of(sighting: Sighting, component: str) -> JsonObject:
    """Return the Event object of a sighting."""
    regarding = sighting.regarding
    metadata = regarding["metadata"]
    reference = {
        "kind": regarding["kind"],
        "namespace": metadata.get("namespace", ""),
        "name": metadata["name"],
        "uid": metadata.get("uid", ""),
        "apiVersion": regarding["apiVersion"],
        "resourceVersion": metadata.get("resourceVersion", ""),
    }
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": sighting.name, "namespace": _namespace(sighting)},
        "involvedObject": {field: value for field, value in reference.items() if value},
        "type": sighting.type,
        "reason": sighting.reason,
        "message": sighting.message,
        "source": {"component": component},
        "reportingComponent": component,
        "firstTimestamp": format_time(sighting.first),
        "lastTimestamp": format_time(sighting.last),
        "count": sighting.count,
    }


def _namespace(sighting: Sighting) -> str:
    return sighting.regarding["metadata"].get("namespace") or "default"
