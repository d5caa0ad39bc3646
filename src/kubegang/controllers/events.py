"""Events as controllers write them: core/v1, repeats counted on one object."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import CORE_EVENTS

REMEMBERED_EVENTS = 4096

_log = logger(__name__)


class EventRecorder:
    """Writes events about objects; an event that cannot be written is logged and dropped."""

    def __init__(
        self, client: Client, *, component: str, clock: Clock, suffix: Callable[[], str]
    ) -> None:
        self._client = client
        self._component = component
        self._clock = clock
        self._suffix = suffix
        self._written: OrderedDict[tuple[str, ...], tuple[str, int]] = OrderedDict()

    async def record(self, regarding: JsonObject, *, type_: str, reason: str, message: str) -> None:
        """Write an event, or count one more of an equal one."""
        metadata = regarding["metadata"]
        key = (metadata.get("uid", ""), type_, reason, message)
        try:
            known = self._written.get(key)
            if known is not None and await self._count(metadata, known, key):
                return
            await self._create(regarding, key, type_=type_, reason=reason, message=message)
        except (ApiError, UnreachableError) as error:
            _log.warning("event not written", reason=reason, error=str(error))

    async def _count(
        self, metadata: JsonObject, known: tuple[str, int], key: tuple[str, ...]
    ) -> bool:
        name, count = known
        patch: JsonObject = {"count": count + 1, "lastTimestamp": format_time(self._clock.now())}
        try:
            await self._client.patch(CORE_EVENTS, name, metadata.get("namespace", ""), patch=patch)
        except NotFoundError:
            return False
        self._written[key] = (name, count + 1)
        return True

    async def _create(
        self, regarding: JsonObject, key: tuple[str, ...], *, type_: str, reason: str, message: str
    ) -> None:
        metadata = regarding["metadata"]
        namespace = metadata.get("namespace") or "default"
        moment = format_time(self._clock.now())
        event: JsonObject = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{metadata['name']}.{self._suffix()}", "namespace": namespace},
            "involvedObject": {
                "apiVersion": regarding["apiVersion"],
                "kind": regarding["kind"],
                "name": metadata["name"],
                "namespace": metadata.get("namespace", ""),
                "uid": metadata.get("uid", ""),
                "resourceVersion": metadata.get("resourceVersion", ""),
            },
            "type": type_,
            "reason": reason,
            "message": message,
            "source": {"component": self._component},
            "reportingComponent": self._component,
            "firstTimestamp": moment,
            "lastTimestamp": moment,
            "count": 1,
        }
        await self._client.create(CORE_EVENTS, event, namespace)
        self._written[key] = (event["metadata"]["name"], 1)
        if len(self._written) > REMEMBERED_EVENTS:
            self._written.popitem(last=False)
