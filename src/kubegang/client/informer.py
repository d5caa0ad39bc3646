"""List, then watch: keeps a local copy in step with the server and tells handlers.

A watch that ends is taken up where it ended. Only when the server no longer has the history in
between (410) everything is listed again, and handlers hear of the differences. So handlers see
every object's life without gaps or repeats, though not every state in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any, Generic, TypeVar

import msgspec

from kubegang.apimachinery.errors import (
    ApiError,
    ExpiredError,
    ServerTimeoutError,
    ServiceUnavailableError,
    TooManyRequestsError,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.api import ApiClient
from kubegang.client.backoff import NO_CHANCE, Backoff, Rng
from kubegang.client.interface import Client, RawEvent, Resource, UnreachableError
from kubegang.client.localcopy import IndexFunction, LocalCopy, is_newer
from kubegang.client.outages import Outage

T = TypeVar("T")

_log = logger(__name__)

# As client-go: long enough to be cheap, different enough that not all end together.
_WATCH_SECONDS = 300

_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 10

_SHORT_WATCH_SECONDS = 1

_OVERLOADED = (TooManyRequestsError, ServiceUnavailableError, ServerTimeoutError)

_decode_json = msgspec.json.Decoder(JsonObject).decode


def as_is(obj: JsonObject) -> Any:
    """Keep objects as plain JSON."""
    return obj


class Informer(Generic[T]):
    """A local copy of one resource, kept by ``run``.

    Objects are shared by all who read them: nobody may change one.

    Attributes:
        synced: set once the first listing is in the copy.
    """

    def __init__(
        self,
        client: Client,
        resource: Resource,
        *,
        clock: Clock,
        rng: Rng = NO_CHANCE,
        namespace: str = "",
        label_selector: str = "",
        field_selector: str = "",
        decode: Callable[[JsonObject], T] = as_is,
        decode_bytes: Callable[[bytes], T] | None = None,
    ) -> None:
        """Prepare to follow a resource.

        Args:
            client: the API.
            resource: what to follow.
            clock: for the pauses after failures.
            rng: spreads pauses and the lengths of watches.
            namespace: follow this one only.
            label_selector: follow only objects with these labels.
            field_selector: follow only objects with these fields.
            decode: makes what is kept of an object; one that it refuses with a ``ValueError``,
                ``TypeError``, ``KeyError`` or msgspec error is logged and left out.
            decode_bytes: the same straight from JSON, and used instead: twice as fast for
                typed forms (bench/informer.py), which matters at thousands of events a second.
        """
        self.synced = asyncio.Event()
        self._client = client
        self._resource = resource
        self._clock = clock
        self._rng = rng
        self._namespace = namespace
        self._label_selector = label_selector
        self._field_selector = field_selector
        self._decode = decode
        self._copy = LocalCopy(decode_bytes or self._decode_object, resource=resource.plural)
        self._backoff = Backoff(
            rng, first_seconds=_FIRST_PAUSE_SECONDS, longest_seconds=_LONGEST_PAUSE_SECONDS
        )
        self._position: str | None = None
        self._outage = client.outage if isinstance(client, ApiClient) else Outage()

    # Reading

    def get(self, namespace: str, name: str) -> T | None:
        """Return one object; the namespace is empty for resources without."""
        return self._copy.get(namespace, name)

    def items(self) -> list[T]:
        """Return all objects."""
        return self._copy.items()

    def index(self, name: str, keys_of: IndexFunction[T]) -> None:
        """Keep objects findable by the keys that a function gives them."""
        self._copy.index(name, keys_of)

    def by_index(self, name: str, index_key: str) -> list[T]:
        """Return the objects that have a key in an index."""
        return self._copy.by_index(name, index_key)

    def add_handler(
        self,
        on_add: Callable[[T], Any] | None = None,
        on_update: Callable[[T, T], Any] | None = None,
        on_delete: Callable[[T], Any] | None = None,
    ) -> None:
        """Call these for every change from now on; objects that are there are added at once.

        Handlers run on the loop, one after the other, in the order of the changes; the copy
        already has the change. ``on_update`` gets the old and the new object, ``on_delete``
        the final state.
        """
        self._copy.add_handler(on_add, on_update, on_delete)

    # Following

    def start(self, tasks: asyncio.TaskGroup) -> asyncio.Task[None]:
        """Follow the resource in a task of a group."""
        return tasks.create_task(self.run(), name=f"informer of {self._resource.plural}")

    async def run(self) -> None:
        """Follow the resource until cancelled."""
        while True:
            try:
                if self._position is None:
                    await self._list()
                await self._watch()
            except (ApiError, UnreachableError) as error:
                if isinstance(error, ApiError) and not isinstance(error, _OVERLOADED):
                    # 410, or anything else that asking again would not mend.
                    self._position = None
                if isinstance(error, UnreachableError):
                    self._outage.noticed(str(error)[:500])
                elif not isinstance(error, ExpiredError):
                    _log.warning(
                        "cannot follow a resource",
                        resource=self._resource.plural,
                        error=str(error)[:500],
                    )
                await self._pause()

    async def _list(self) -> None:
        listing = await self._client.list_raw(
            self._resource,
            self._namespace,
            label_selector=self._label_selector,
            field_selector=self._field_selector,
        )
        self._outage.over()
        self._copy.replace(listing.items)
        self._position = listing.resource_version
        self.synced.set()

    async def _watch(self) -> None:
        started = self._clock.steady()
        told = False
        events = self._client.watch_raw(
            self._resource,
            self._namespace,
            resource_version=self._position or "",
            label_selector=self._label_selector,
            field_selector=self._field_selector,
            timeout_seconds=int(_WATCH_SECONDS * (1 + self._rng.random())),
        )
        async with aclosing(events):
            async for event in events:
                self._take(event)
                if not told:
                    told = True
                    self._outage.over()
                    self._backoff.reset()
        if not told and self._clock.steady() - started < _SHORT_WATCH_SECONDS:
            # A server that ends every watch at once must not be asked without pause.
            await self._pause()

    def _take(self, event: RawEvent) -> None:
        """Take over an event, unless it was seen before."""
        version, position = event.object.resource_version, self._position or ""
        if event.type == "BOOKMARK" and is_newer(position, version) and position.isdecimal():
            raise ExpiredError(f"the server went back from {position} to {version}")
        # Within one resource the versions of events only grow.
        if not is_newer(version, position):
            return
        self._position = version
        if event.type == "DELETED":
            self._copy.deleted(event.object)
        elif event.type != "BOOKMARK":
            self._copy.changed(event.object)

    async def _pause(self) -> None:
        await self._clock.sleep(self._backoff.next_seconds())

    def _decode_object(self, body: bytes) -> T:
        obj = _decode_json(body)
        # The items of a list do not say what they are.
        obj.setdefault("apiVersion", self._resource.api_version)
        obj.setdefault("kind", self._resource.kind)
        return self._decode(obj)
