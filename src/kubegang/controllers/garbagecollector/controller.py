"""Follows owner references through the API: deletes, releases, and lets go.

Watches every resource that can be deleted. Each object that may be concerned by a change is
looked at by its uid. What was seen may be old, and in a different order than it happened;
so before anything is deleted, the object itself is read again, and the API is asked for each
owner that was not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kubegang.apimachinery.errors import NotFoundError, UnsupportedMediaTypeError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.garbagecollector.decide import (
    Action,
    DeleteObject,
    DropFinalizer,
    DropOwners,
    OwnerState,
    UnblockOwners,
    decide,
    state_of,
)
from kubegang.controllers.garbagecollector.graph import Node, Owner, OwnershipGraph, node_of
from kubegang.controllers.remembered import Remembered

WORKERS = 20
REMEMBERED_OWNERS = 4096

Kind = tuple[str, str]
"""The apiVersion and kind of an owner reference."""


class GarbageCollector:
    """Reconciles objects with their owners' fate, keyed by uid."""

    def __init__(
        self,
        client: Client,
        sources: Mapping[Resource, Informer[JsonObject]],
        *,
        kinds: Mapping[Kind, Resource],
        recorder: EventRecorder,
        queue: WorkQueue[str],
    ) -> None:
        """Follow ownership among some resources.

        Args:
            client: the API.
            sources: what is watched, each resource in one version.
            kinds: every kind that may own something, in every version that is served.
            recorder: tells of references that cannot be right.
            queue: uids of objects to look at.
        """
        self._client = client
        self._kinds = dict(kinds)
        self._recorder = recorder
        self._queue = queue
        self._informers = list(sources.values())
        self._graph = OwnershipGraph()
        # A uid is never used again, so an owner found absent stays absent.
        self._absent: Remembered[tuple[str, Owner]] = Remembered(REMEMBERED_OWNERS)
        # Pairs of an object and an owner in another namespace, told once.
        self._warned: Remembered[tuple[str, str]] = Remembered(REMEMBERED_OWNERS)
        for resource, informer in sources.items():
            self._listen(resource, informer)

    async def run(self) -> None:
        """Reconcile until cancelled, once every informer has its first listing."""
        for informer in self._informers:
            await informer.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="object not collected, retrying"
        )

    def follow(self, versions: Sequence[Resource], informer: Informer[JsonObject]) -> None:
        """Look after a custom kind, too; the first version is the informer's."""
        self._kinds |= {(one.api_version, one.kind): one for one in versions}
        self._listen(versions[0], informer)

    def forget(self, versions: Sequence[Resource]) -> None:
        """Look after a custom kind no longer."""
        for one in versions:
            self._kinds.pop((one.api_version, one.kind), None)

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

    async def _reconcile(self, uid: str) -> None:
        node = self._graph.node(uid)
        if node is not None:
            calls = self._graph.calls(uid)
            await self._look_at(node)
            self._graph.answer(uid, calls)

    async def _look_at(self, node: Node) -> None:
        """Do what is to be done about an object now."""
        unseen = [owner for owner in node.owners if self._graph.owner(owner, node) is None]
        if not decide(self._graph, node, known=await self._look_up_all(node, unseen)):
            return
        # Something seems to be to do: decide again by what the object and its owners are now.
        try:
            live = node_of(
                node.resource, await self._client.get(node.resource, node.name, node.namespace)
            )
        except NotFoundError:
            return
        if live.uid == node.uid:
            known = await self._look_up_all(live, live.owners)
            for action in decide(self._graph, live, known=known):
                await self._carry_out(action)

    async def _look_up_all(self, node: Node, owners: Sequence[Owner]) -> Mapping[Owner, OwnerState]:
        if node.deleting:
            # It goes whatever its owners do.
            return {}
        return {owner: await self._look_up(node, owner) for owner in owners}

    async def _look_up(self, node: Node, owner: Owner) -> OwnerState:
        """Ask the API about an owner."""
        self._warn_of_other_namespace(node, owner)
        if (node.namespace, owner) in self._absent:
            return "absent"
        resource = self._kinds.get((owner.api_version, owner.kind))
        if resource is None or (resource.namespaced and not node.namespace):
            # A kind that is not served here, or an owner in no namespace that could be
            # asked: nobody can say, so nothing is deleted.
            return "solid"
        namespace = node.namespace if resource.namespaced else ""
        try:
            found = node_of(resource, await self._client.get(resource, owner.name, namespace))
        except NotFoundError:
            found = None
        if found is not None and found.uid == owner.uid:
            return state_of(self._graph, found, node)
        self._absent.add((node.namespace, owner))
        return "absent"

    def _warn_of_other_namespace(self, node: Node, owner: Owner) -> None:
        meant = self._graph.node(owner.uid)
        if meant is None or meant.namespace in ("", node.namespace):
            return
        if (node.uid, owner.uid) in self._warned:
            return
        self._warned.add((node.uid, owner.uid))
        reference = (
            f"[{owner.api_version}/{owner.kind}, namespace: {node.namespace}, "
            f"name: {owner.name}, uid: {owner.uid}]"
        )
        self._recorder.record(
            {
                "apiVersion": node.resource.api_version,
                "kind": node.resource.kind,
                "metadata": {"name": node.name, "namespace": node.namespace, "uid": node.uid},
            },
            type_="Warning",
            reason="OwnerRefInvalidNamespace",
            message=f'ownerRef {reference} does not exist in namespace "{node.namespace}"',
        )

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
                        precondition_resource_version=node.resource_version,
                    )
                case DropOwners(uids=uids):
                    await self._drop_owners(node, uids)
                case UnblockOwners():
                    await self._unblock_owners(node)
                case DropFinalizer(finalizer=finalizer):
                    await self._drop_finalizer(node, finalizer)
        except NotFoundError:
            return

    async def _drop_owners(self, node: Node, uids: frozenset[str]) -> None:
        gone = [{"$patch": "delete", "uid": uid} for uid in sorted(uids)]

        def without(metadata: JsonObject) -> JsonObject:
            owners = metadata.get("ownerReferences") or ()
            return {"ownerReferences": [one for one in owners if one["uid"] not in uids]}

        await self._patch_metadata(node, {"ownerReferences": gone}, without)

    async def _unblock_owners(self, node: Node) -> None:
        unblocked = [
            {"uid": owner.uid, "blockOwnerDeletion": False} for owner in node.owners if owner.blocks
        ]

        def released(metadata: JsonObject) -> JsonObject:
            owners = metadata.get("ownerReferences") or ()
            return {"ownerReferences": [{**one, "blockOwnerDeletion": False} for one in owners]}

        await self._patch_metadata(node, {"ownerReferences": unblocked}, released)

    async def _drop_finalizer(self, node: Node, finalizer: str) -> None:
        def without(metadata: JsonObject) -> JsonObject:
            finalizers = metadata.get("finalizers") or ()
            return {"finalizers": [one for one in finalizers if one != finalizer]}

        change = {"$deleteFromPrimitiveList/finalizers": [finalizer]}
        await self._patch_metadata(node, change, without)

    async def _patch_metadata(
        self, node: Node, change: JsonObject, anew: Callable[[JsonObject], JsonObject]
    ) -> None:
        """Patch strategically; custom kinds cannot be, so there ``anew`` makes whole lists."""
        try:
            await self._client.patch(
                node.resource,
                node.name,
                node.namespace,
                patch={"metadata": {"uid": node.uid, **change}},
                patch_type="strategic",
            )
        except UnsupportedMediaTypeError:
            live = await self._client.get(node.resource, node.name, node.namespace)
            metadata = live["metadata"]
            version = {"uid": node.uid, "resourceVersion": metadata["resourceVersion"]}
            await self._client.patch(
                node.resource,
                node.name,
                node.namespace,
                patch={"metadata": {**version, **anew(metadata)}},
                patch_type="merge",
            )
