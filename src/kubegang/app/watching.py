"""A cluster followed through its API. Lists and watches only: nothing is ever written.

What is followed is what a first reading found: resources that the server does not have, or
does not let us read, are left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Protocol

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.clusterlive import SELECTED, LiveCluster
from kubegang.app.clustersource import Rules, Source, source_of_bodies
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import PODS

_decode = msgspec.json.Decoder(dict).decode


class Notice(Protocol):
    """Takes an object, and whether it was deleted."""

    def __call__(self, obj: JsonObject, *, deleted: bool) -> None:
        """Take it."""


class WatchedCluster:
    """Local copies of everything that scheduling depends on.

    Attributes:
        version: grows with every change.
    """

    def __init__(self, client: Client, live: LiveCluster, *, clock: Clock) -> None:
        """Prepare to follow what a first reading found."""
        self.version = 0
        self._clock = clock
        self._facts = msgspec.structs.replace(live, lists=())
        self._changed = asyncio.Event()
        self._informers: dict[Resource, Informer[bytes]] = {
            resource: Informer(
                client,
                resource,
                clock=clock,
                # Pods that have finished are a part of the story.
                field_selector="" if resource == PODS else SELECTED.get(resource, ""),
                decode_bytes=bytes,
            )
            for resource, _ in live.lists
        }
        for informer in self._informers.values():
            informer.add_handler(self._note, lambda _old, new: self._note(new), self._note)

    @property
    def resources(self) -> tuple[Resource, ...]:
        """What is followed."""
        return tuple(self._informers)

    async def run(self) -> None:
        """Follow until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for informer in self._informers.values():
                informer.start(tasks)

    async def synced(self) -> None:
        """Wait until everything was read once."""
        for informer in self._informers.values():
            await informer.synced.wait()

    async def changed_since(self, version: int) -> int:
        """Wait for a change that a version does not have; return the newest."""
        while self.version <= version:
            await self._changed.wait()
        return self.version

    def notify(self, notice: Notice) -> None:
        """Tell about every change from now on; what is there already is told as added."""
        for resource, informer in self._informers.items():
            informer.add_handler(*_handlers(resource, notice))

    def objects(self) -> Iterator[JsonObject]:
        """Yield everything that is there."""
        for resource, informer in self._informers.items():
            for body in informer.items():
                yield _whole(resource, body)

    def source(self, rules: Rules) -> Source:
        """Return the cluster as it is now."""
        return source_of_bodies(rules, self._facts, self._bodies(), now=self._clock.now())

    def _bodies(self) -> Iterator[tuple[Resource, list[bytes]]]:
        for resource, informer in self._informers.items():
            yield resource, informer.items()

    def _note(self, _body: bytes) -> None:
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()


def _handlers(
    resource: Resource, notice: Notice
) -> tuple[Callable[[bytes], None], Callable[[bytes, bytes], None], Callable[[bytes], None]]:
    return (
        lambda body: notice(_whole(resource, body), deleted=False),
        lambda _old, body: notice(_whole(resource, body), deleted=False),
        lambda body: notice(_whole(resource, body), deleted=True),
    )


def _whole(resource: Resource, body: bytes) -> JsonObject:
    """Decode an object; the items of a list do not say what they are."""
    return {"apiVersion": resource.api_version, "kind": resource.kind, **_decode(body)}
