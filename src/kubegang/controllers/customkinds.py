"""Tells other controllers which custom kinds there are, while they come and go.

Whoever looks after every kind, as garbage collection and namespaces do, cannot know custom
ones beforehand. Their definitions are watched through the API; each established kind gets an
informer of its own, which ends with the definition.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Resource


class KindFollower(Protocol):
    """A controller that looks after every kind."""

    def follow(self, versions: Sequence[Resource], informer: Informer[JsonObject]) -> None:
        """Look after a kind from now on; the first version is the informer's."""
        ...

    def forget(self, versions: Sequence[Resource]) -> None:
        """Look after a kind no longer: it is not served any more."""
        ...


class _Followed(NamedTuple):
    versions: tuple[Resource, ...]
    task: asyncio.Task[None]


class CustomKinds:
    """Follows CustomResourceDefinitions."""

    def __init__(
        self,
        definitions: Informer[JsonObject],
        *,
        make_informer: Callable[[Resource], Informer[JsonObject]],
        followers: Sequence[KindFollower],
    ) -> None:
        """Prepare to follow; ``make_informer`` makes one of a kind's metadata."""
        self._make_informer = make_informer
        self._followers = followers
        self._followed: dict[str, _Followed] = {}
        self._changed: asyncio.Queue[tuple[str, tuple[Resource, ...]]] = asyncio.Queue()
        definitions.add_handler(
            on_add=self._seen,
            on_update=lambda _old, new: self._seen(new),
            on_delete=lambda obj: self._changed.put_nowait((obj["metadata"]["name"], ())),
        )

    async def run(self) -> None:
        """Follow until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                name, versions = await self._changed.get()
                known = self._followed.get(name)
                if known is not None and known.versions == versions:
                    continue
                if known is not None:
                    self._end(name, known)
                if versions:
                    self._begin(name, versions, group)

    def _seen(self, definition: JsonObject) -> None:
        self._changed.put_nowait((definition["metadata"]["name"], versions_of(definition)))

    def _begin(self, name: str, versions: tuple[Resource, ...], group: asyncio.TaskGroup) -> None:
        informer = self._make_informer(versions[0])
        for follower in self._followers:
            follower.follow(versions, informer)
        self._followed[name] = _Followed(versions, group.create_task(informer.run()))

    def _end(self, name: str, known: _Followed) -> None:
        del self._followed[name]
        known.task.cancel()
        for follower in self._followers:
            follower.forget(known.versions)


def versions_of(definition: JsonObject) -> tuple[Resource, ...]:
    """Return the served versions of a definition, nothing before it is established."""
    status = definition.get("status") or {}
    conditions = {one["type"]: one["status"] for one in status.get("conditions") or ()}
    if conditions.get("Established") != "True":
        return ()
    spec, names = definition["spec"], status["acceptedNames"]
    return tuple(
        Resource(
            spec["group"],
            version["name"],
            names["plural"],
            names["kind"],
            namespaced=spec["scope"] == "Namespaced",
        )
        for version in spec["versions"]
        if version["served"]
    )
