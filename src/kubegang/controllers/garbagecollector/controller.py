"""Follows owner references through the API: deletes, releases, and lets go.

Watches every resource that can be deleted. Each object that may be concerned by a change is
looked at by its uid; before anything is deleted, the API itself is asked whether an owner
that was not seen is really gone.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from kubegang.apimachinery.errors import ApiError, ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource, UnreachableError
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.garbagecollector.graph import (
    Action,
    DeleteObject,
    DropFinalizer,
    DropOwners,
    Node,
    Owner,
    OwnershipGraph,
    decide,
    node_of,
)

WORKERS = 8
REMEMBERED_ABSENT = 4096

_log = logger(__name__)


class GarbageCollector:
    """Reconciles objects with their owners' fate, keyed by uid."""

    def __init__(
        self,
        client: Client,
        resources: Sequence[Resource],
        *,
        queue: WorkQueue[str],
        informers: Sequence[Informer[JsonObject]],
    ) -> None:
        self._client = client
        self._by_kind = {(r.api_version, r.kind): r for r in resources}
        self._queue = queue
        self._informers = informers
        self._graph = OwnershipGraph()
        # A uid is never used again, so an owner found absent stays absent.
        self._absent: OrderedDict[str, None] = OrderedDict()
        for resource, informer in zip(resources, informers, strict=True):
            self._listen(resource, informer)

    async def run(self) -> None:
        """Reconcile until cancelled, once every informer has its first listing."""
        for informer in self._informers:
            await informer.synced.wait()
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._work())

    def _listen(self, resource: Resource, informer: Informer[JsonObject]) -> None:
        def seen(obj: JsonObject) -> None:
            self._enqueue(self._graph.put(node_of(resource, obj)))

        def changed(_old: JsonObject, new: JsonObject) -> None:
            seen(new)

        def gone(obj: JsonObject) -> None:
            self._enqueue(self._graph.remove(obj["metadata"]["uid"]))

        informer.add_handler(on_add=seen, on_update=changed, on_delete=gone)

    def _enqueue(self, uids: Sequence[str]) -> None:
        for uid in uids:
            self._queue.add(uid)

    async def _work(self) -> None:
        while True:
            uid = await self._queue.get()
            try:
                await self._attempt(uid)
            except (ApiError, UnreachableError) as error:
                _log.warning("object not collected, retrying", uid=uid, error=str(error))
                self._queue.add_rate_limited(uid)
            else:
                self._queue.forget(uid)
            finally:
                self._queue.done(uid)

    async def _attempt(self, uid: str) -> None:
        node = self._graph.node(uid)
        if node is None:
            return
        absent = [o.uid for o in self._graph.unknown_owners(node) if await self._is_gone(node, o)]
        for action in decide(self._graph, node, absent=absent):
            await self._carry_out(action)

    async def _is_gone(self, node: Node, owner: Owner) -> bool:
        if owner.uid in self._absent:
            return True
        resource = self._by_kind.get((owner.api_version, owner.kind))
        if resource is None:
            # A kind that is not served here: nobody can say, so nothing is deleted.
            return False
        namespace = node.namespace if resource.namespaced else ""
        try:
            found = await self._client.get(resource, owner.name, namespace)
        except NotFoundError:
            found = None
        if found is not None and found["metadata"]["uid"] == owner.uid:
            return False
        self._absent[owner.uid] = None
        if len(self._absent) > REMEMBERED_ABSENT:
            self._absent.popitem(last=False)
        return True

    async def _carry_out(self, action: Action) -> None:
        node = action.node
        try:
            match action:
                case DeleteObject(policy=policy):
                    await self._client.delete(
                        node.resource,
                        node.name,
                        node.namespace,
                        propagation_policy=policy,
                        precondition_uid=node.uid,
                    )
                case DropOwners(uids=uids):
                    await self._drop_owners(node, uids)
                case DropFinalizer(finalizer=finalizer):
                    await self._drop_finalizer(node, finalizer)
        except NotFoundError:
            return
        except ConflictError:
            # Another uid has the name now, or the object changed: its next event tells.
            self._queue.add_rate_limited(node.uid)

    async def _drop_owners(self, node: Node, uids: frozenset[str]) -> None:
        live = await self._live(node)
        if live is None:
            return
        owners = live["metadata"].get("ownerReferences") or []
        kept = [owner for owner in owners if owner["uid"] not in uids]
        await self._patch_metadata(live, node, {"ownerReferences": kept or None})

    async def _drop_finalizer(self, node: Node, finalizer: str) -> None:
        live = await self._live(node)
        if live is None:
            return
        finalizers = live["metadata"].get("finalizers") or []
        kept = [name for name in finalizers if name != finalizer]
        await self._patch_metadata(live, node, {"finalizers": kept or None})

    async def _live(self, node: Node) -> JsonObject | None:
        live = await self._client.get(node.resource, node.name, node.namespace)
        return live if live["metadata"]["uid"] == node.uid else None

    async def _patch_metadata(self, live: JsonObject, node: Node, change: JsonObject) -> None:
        metadata = {
            "uid": node.uid,
            "resourceVersion": live["metadata"]["resourceVersion"],
            **change,
        }
        await self._client.patch(
            node.resource, node.name, node.namespace, patch={"metadata": metadata}
        )
