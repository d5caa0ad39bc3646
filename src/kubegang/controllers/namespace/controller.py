"""Empties a terminating namespace, then takes its finalizer off so that it goes.

Content goes resource by resource; what has finalizers or a grace period of its own takes
its time, and the namespace waits for it, saying so in its conditions.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.apimachinery.errors import ApiError, ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource, UnreachableError
from kubegang.client.resources import NAMESPACES
from kubegang.client.workqueue import WorkQueue

FINALIZER = "kubernetes"
RECHECK_SECONDS = 0.5

_log = logger(__name__)


class NamespaceController:
    """Reconciles terminating namespaces, keyed by name."""

    def __init__(
        self,
        client: Client,
        content: Sequence[Resource],
        *,
        namespaces: Informer[JsonObject],
        queue: WorkQueue[str],
    ) -> None:
        self._client = client
        self._content = content
        self._namespaces = namespaces
        self._queue = queue
        namespaces.add_handler(
            on_add=self._changed,
            on_update=lambda _old, new: self._changed(new),
            on_delete=lambda _namespace: None,
        )

    async def run(self) -> None:
        """Reconcile until cancelled."""
        await self._namespaces.synced.wait()
        while True:
            name = await self._queue.get()
            try:
                await self._reconcile(name)
            except (ApiError, UnreachableError) as error:
                _log.warning("namespace not emptied, retrying", namespace=name, error=str(error))
                self._queue.add_rate_limited(name)
            else:
                self._queue.forget(name)
            finally:
                self._queue.done(name)

    def _changed(self, namespace: JsonObject) -> None:
        if namespace["metadata"].get("deletionTimestamp"):
            self._queue.add(namespace["metadata"]["name"])

    async def _reconcile(self, name: str) -> None:
        namespace = self._namespaces.get("", name)
        if namespace is None or not namespace["metadata"].get("deletionTimestamp"):
            return
        remaining = 0
        for resource in self._content:
            remaining += await self._empty(resource, name)
        if remaining:
            self._queue.add_after(name, RECHECK_SECONDS)
            return
        await self._finalize(name)

    async def _empty(self, resource: Resource, namespace: str) -> int:
        """Delete every object of a resource; return how many are still there."""
        listing = await self._client.list(resource, namespace)
        remaining = 0
        for obj in listing.items:
            remaining += 1
            if obj["metadata"].get("deletionTimestamp"):
                continue
            try:
                await self._client.delete(
                    resource,
                    obj["metadata"]["name"],
                    namespace,
                    propagation_policy="Background",
                    precondition_uid=obj["metadata"]["uid"],
                )
            except (NotFoundError, ConflictError):
                continue
        return remaining

    async def _finalize(self, name: str) -> None:
        try:
            live = await self._client.get(NAMESPACES, name)
            finalizers = (live.get("spec") or {}).get("finalizers") or []
            live["spec"] = {"finalizers": [word for word in finalizers if word != FINALIZER]}
            await self._client.update(NAMESPACES, live, subresource="finalize")
        except NotFoundError:
            return
