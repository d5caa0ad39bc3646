"""What the controllers of one process share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import msgspec

from kubegang.api.facts import load_facts
from kubegang.api.profile import VersionProfile
from kubegang.api.scheme import ResourceInfo, Scheme
from kubegang.apimachinery.schema import Schema
from kubegang.app.clusterkeys import NO_KEYS, ClusterKeys
from kubegang.app.controllers.informers import SharedInformers
from kubegang.base.clock import Clock
from kubegang.client.interface import Client, Resource
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.customkinds import KindFollower
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.hashing.templatehash import TemplateHasher

# Resources whose objects neither own nor are owned; watching them would only cost.
UNOWNED_KINDS = ("Event",)

Run = Callable[[], Coroutine[Any, Any, None]]


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the controllers of one process share.

    Attributes:
        client: with which a controller writes.
        scheme: what the API server serves.
        recorder: makes a recorder of events, by the component's name in events.
        queue: makes a work queue; ``first_seconds`` is the pause after a first failure.
        followers: who wants to know of custom kinds; builders add to it.
        heartbeats: whether nodes say that they live, so that silence means something.
        keys: the cluster's own, as far as they are known.
    """

    client: Client
    profile: VersionProfile
    scheme: Scheme
    informers: SharedInformers
    recorder: Callable[[str], EventRecorder]
    queue: Callable[..., WorkQueue[Any]]
    clock: Clock
    followers: list[KindFollower]
    heartbeats: bool = True
    keys: ClusterKeys = NO_KEYS

    def has(self, gate: str) -> bool:
        """Return whether a gate of the controllers exists in this release and is on."""
        return self.profile.gates["controllers"].enabled_if_known(gate)

    def serves(self, resource: Resource) -> bool:
        """Return whether the API server has a resource."""
        found = self.scheme.find(resource.group, resource.version, resource.plural)
        return found is not None

    def stored(self) -> list[ResourceInfo]:
        """Return one row per stored resource whose objects come and go."""
        return served_once(self.scheme)

    def hasher(self) -> TemplateHasher:
        """Return what hashes pod templates as this release does."""
        version = self.profile.name

        def load() -> Schema:
            return load_facts(version).definition("io.k8s.api.core.v1.PodTemplateSpec")

        return TemplateHasher(load)


Builders = Mapping[str, Callable[[Parts], Run | None]]
"""By kube-controller-manager's name: makes a controller ready to run, ``None`` if there is
nothing for it to do in this release or with these gates."""


def together(*runs: Run) -> Run:
    """Return what runs several parts of one controller."""

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            for one in runs:
                group.create_task(one())

    return run


def served_once(scheme: Scheme) -> list[ResourceInfo]:
    """Return one row per stored resource that can be listed, watched and deleted."""
    found: dict[tuple[str, str], ResourceInfo] = {}
    for row in scheme.resources():
        if {"list", "watch", "delete"} <= set(row.verbs):
            found.setdefault((row.stored_as.group, row.plural), row)
    return list(found.values())


def resource_of(row: ResourceInfo) -> Resource:
    """Return a row as the client names it."""
    return Resource(row.group, row.version, row.plural, row.kind, namespaced=row.namespaced)
