"""Empties a terminating namespace, then takes its finalizer off so that it goes.

Pods go first, and only when they are gone the rest: what pods rely on, such as network
policies, stays as long as they run. What has finalizers or a grace period of its own takes
its time, and the namespace waits for it, saying so in its conditions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from kubegang.apimachinery.errors import ApiError, ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import NAMESPACES, PODS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.namespace.conditions import Remaining, status_after

FINALIZER = "kubernetes"
WORKERS = 5
AT_ONCE = 50
"""So many objects are asked to go at a time."""

LOOK_SECONDS = 0.5
"""So soon is looked again whether pods have gone …"""

SLOW_LOOK_SECONDS = 2.0
"""… and whether anything else has, which means to look at every resource."""


class NamespaceController:
    """Reconciles terminating namespaces, keyed by name."""

    def __init__(
        self,
        client: Client,
        content: Sequence[Resource],
        *,
        namespaces: Informer[JsonObject],
        queue: WorkQueue[str],
        clock: Clock,
    ) -> None:
        self._client = client
        self._content = [resource for resource in content if resource != PODS]
        self._namespaces = namespaces
        self._queue = queue
        self._clock = clock
        namespaces.add_handler(on_add=self._changed, on_update=lambda _old, new: self._changed(new))

    def follow(self, versions: Sequence[Resource], _informer: Informer[JsonObject]) -> None:
        """Empty namespaces of a custom kind, too."""
        if versions[0].namespaced:
            self._content.append(versions[0])

    def forget(self, versions: Sequence[Resource]) -> None:
        """Look for a custom kind no longer."""
        self._content = [one for one in self._content if one not in versions]

    async def run(self) -> None:
        """Reconcile until cancelled, once the informer has its first listing."""
        await self._namespaces.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="namespace not emptied, retrying"
        )

    def _changed(self, namespace: JsonObject) -> None:
        if namespace["metadata"].get("deletionTimestamp"):
            self._queue.add(namespace["metadata"]["name"])

    async def _reconcile(self, name: str) -> None:
        known = self._namespaces.get("", name)
        if known is None or not known["metadata"].get("deletionTimestamp"):
            return
        try:
            live = await self._client.get(NAMESPACES, name)
            if live["metadata"]["uid"] == known["metadata"]["uid"]:
                await self._finish(live)
        except NotFoundError:
            return

    async def _finish(self, namespace: JsonObject) -> None:
        """Do what can be done now to let a namespace go."""
        name = namespace["metadata"]["name"]
        pods = await self._empty([PODS], name)
        # As long as pods are there, nothing is said of the rest: it was not looked at.
        remaining = Remaining() if pods else await self._empty(self._content, name)
        if not pods and not remaining:
            await self._finalize(namespace)
            return
        status = status_after(namespace, remaining, now=self._clock.now())
        if status != namespace.get("status"):
            changed = {**namespace, "status": status}
            await self._client.update(NAMESPACES, changed, subresource="status")
        self._queue.add_after(name, LOOK_SECONDS if pods else SLOW_LOOK_SECONDS)

    async def _empty(self, resources: Sequence[Resource], namespace: str) -> Remaining:
        """Have every object of some resources go; return what is still there then."""
        remaining = Remaining()
        for resource in resources:
            listed = (await self._client.list(resource, namespace)).items
            for start in range(0, len(listed), AT_ONCE):
                batch = listed[start : start + AT_ONCE]
                asked = (self._ask_to_go(resource, obj, remaining) for obj in batch)
                await asyncio.gather(*asked)
            if listed:
                for obj in (await self._client.list(resource, namespace)).items:
                    remaining.add(resource, obj)
        return remaining

    async def _ask_to_go(self, resource: Resource, obj: JsonObject, remaining: Remaining) -> None:
        metadata = obj["metadata"]
        if metadata.get("deletionTimestamp"):
            return
        try:
            await self._client.delete(
                resource,
                metadata["name"],
                metadata["namespace"],
                propagation_policy="Background",
                precondition_uid=metadata["uid"],
            )
        except (NotFoundError, ConflictError):
            return
        except ApiError as error:
            remaining.failures.append(error.message)

    async def _finalize(self, namespace: JsonObject) -> None:
        finalizers = (namespace.get("spec") or {}).get("finalizers") or ()
        kept = [word for word in finalizers if word != FINALIZER]
        if len(kept) < len(finalizers):
            changed = {**namespace, "spec": {**namespace["spec"], "finalizers": kept}}
            await self._client.update(NAMESPACES, changed, subresource="finalize")
