"""Changing API objects step by step, from what they are at that moment.

Changes of one object wait for each other, so that a thousand pods that share a claim do not
overtake one another all the time; what the API returns is what the next one begins with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from kubegang.apimachinery.errors import ApiError, ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, Resource, UnreachableError
from kubegang.scheduler.binder.claimmetrics import ClaimMetrics
from kubegang.scheduler.binder.dispatch import Dispatcher, Lane
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.binding import ApiChange, ApiWrite
from kubegang.scheduler.framework.status import SUCCESS, Status, failure

_TRIES: Final = 5
"""So often a change is tried while others change the same object (client-go's default)."""

_Key = tuple[str, str, str]

_log = logger(__name__)


def resource_of(write: ApiWrite | ApiChange) -> Resource:
    """Return the resource that a write is about."""
    group, version = write.version
    return Resource(group, version, write.plural, write.kind, namespaced=bool(write.namespace))


async def carry_out(client: Client, write: ApiWrite) -> JsonObject | None:
    """Make one write, and return the object as it is then; ``None`` if it is gone."""
    resource = resource_of(write)
    match write.verb:
        case "create":
            return await client.create(
                resource,
                write.body,
                write.namespace,
                subresource=write.subresource,
                name=write.name if write.subresource else "",
            )
        case "update":
            return await client.update(resource, write.body, subresource=write.subresource)
        case "patch":
            return await client.patch(
                resource,
                write.name,
                write.namespace,
                patch=write.body,
                patch_type=write.patch_type,
                subresource=write.subresource,
            )
        case "delete":
            await _delete(client, resource, write)
            return None


async def _delete(client: Client, resource: Resource, write: ApiWrite) -> None:
    try:
        await client.delete(resource, write.name, write.namespace)
    except NotFoundError:
        return


@dataclass(slots=True)
class _Turn:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class Changer:
    """Makes changes, those of one object one after the other."""

    def __init__(
        self,
        client: Client,
        dispatcher: Dispatcher,
        *,
        cache: Cache,
        clock: Clock,
        metrics: ClaimMetrics,
    ) -> None:
        self._client = client
        self._dispatcher = dispatcher
        self._cache = cache
        self._clock = clock
        self._metrics = metrics
        self._turns: dict[_Key, _Turn] = {}

    def submit(self, changes: Sequence[ApiChange]) -> None:
        """Have changes made one after the other; that one fails is only logged."""

        async def make_all() -> None:
            for change in changes:
                status = await self.make(change)
                if not status.is_success:
                    name = f"{change.namespace}/{change.name}"
                    _log.warning("not changed", kind=change.kind, name=name, error=status.as_error)

        # Each time another key: a later change does not stand for an earlier one.
        self._dispatcher.submit(("change", object()), make_all, lane=Lane.BIND)

    async def make(self, change: ApiChange) -> Status:
        """Make a change; return success, or why it could not be made."""
        key = (change.plural, change.namespace, change.name)
        turn = self._turns.setdefault(key, _Turn())
        turn.waiting += 1
        try:
            async with turn.lock:
                return await self._make(change)
        finally:
            turn.waiting -= 1
            if not turn.waiting:
                del self._turns[key]

    async def _make(self, change: ApiChange) -> Status:
        obj = change.known(self._cache.snapshot())
        conflicts = 0
        while True:
            try:
                obj = obj or await self._read(change)
            except (ApiError, UnreachableError) as error:
                return failure(str(error))
            step = change.step(obj, self._clock.now())
            if step is None:
                change.done(self._cache.snapshot())
                return SUCCESS
            if isinstance(step, Status):
                return step
            try:
                obj = await carry_out(self._client, step.write) or {}
            except (ApiError, UnreachableError) as error:
                self._count(step.write, succeeded=False)
                conflicts += 1
                if not isinstance(error, ConflictError) or conflicts == _TRIES:
                    return failure(f"{step.otherwise}: {error}")
                obj = None
            else:
                self._count(step.write, succeeded=True)
                if step.write.verb == "delete":
                    change.done(self._cache.snapshot())
                    return SUCCESS
                change.note(self._cache.snapshot(), obj)

    def _count(self, write: ApiWrite, *, succeeded: bool) -> None:
        if (write.verb, write.plural) == ("create", "resourceclaims"):
            self._metrics.note_created(succeeded=succeeded)

    async def _read(self, change: ApiChange) -> JsonObject:
        return await self._client.get(resource_of(change), change.name, change.namespace)
