"""Removes pods that nobody else will: without a node, on a lost node, or ended and too many.

Upstream looks at all pods every 20 seconds. Here a pod is looked at when something about it
has changed, after a pause as long as that look would take to come on average.
"""

from __future__ import annotations

import heapq
from typing import Literal

from kubegang.apimachinery.conditions import set_condition
from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import NODES, PODS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue

BY_NODE = "node"
WORKERS = 5
LOOK_SECONDS = 10.0

QUARANTINE_SECONDS = 40.0
"""A node must be gone for so long: it may be about to register again."""

MOST_ENDED = 12_500
"""``--terminated-pod-gc-threshold``: so many ended pods may stay."""

Key = tuple[Literal["pod", "node", "ended"], str, str]
"""What to look at; the namespace and name of a pod, or the name of a node."""

ENDED: Key = ("ended", "", "")


def index_by_node(pod: JsonObject) -> list[str]:
    """Return the index key of a pod: the node that it is bound to."""
    node = pod["spec"].get("nodeName")
    return [node] if node else []


class PodGarbageCollector:
    """Reconciles pods and lost nodes."""

    def __init__(
        self,
        client: Client,
        *,
        pods: Informer[JsonObject],
        nodes: Informer[JsonObject],
        queue: WorkQueue[Key],
        clock: Clock,
        most_ended: int = MOST_ENDED,
    ) -> None:
        self._client = client
        self._pods = pods
        self._nodes = nodes
        self._queue = queue
        self._clock = clock
        self._most_ended = most_ended
        self._ended: dict[tuple[str, str], str] = {}
        pods.index(BY_NODE, index_by_node)
        pods.add_handler(
            on_add=self._pod_changed,
            on_update=lambda _old, new: self._pod_changed(new),
            on_delete=self._pod_gone,
        )
        nodes.add_handler(on_delete=self._node_gone)

    async def run(self) -> None:
        """Reconcile until cancelled, once both informers have their first listing."""
        await self._nodes.synced.wait()
        await self._pods.synced.wait()
        for pod in self._pods.items():
            self._look_at_node_of(pod)
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="pod not removed, retrying"
        )

    def _pod_changed(self, pod: JsonObject) -> None:
        name = _name(pod)
        if _has_ended(pod):
            self._ended[name] = pod["metadata"]["creationTimestamp"]
            if len(self._ended) > self._most_ended:
                self._queue.add_after(ENDED, LOOK_SECONDS)
        if _is_unscheduled_and_deleted(pod):
            self._queue.add_after(("pod", *name), LOOK_SECONDS)
        self._look_at_node_of(pod)

    def _pod_gone(self, pod: JsonObject) -> None:
        self._ended.pop(_name(pod), None)

    def _look_at_node_of(self, pod: JsonObject) -> None:
        node = pod["spec"].get("nodeName")
        if node and self._nodes.synced.is_set() and self._nodes.get("", node) is None:
            self._queue.add_after(("node", "", node), QUARANTINE_SECONDS)

    def _node_gone(self, node: JsonObject) -> None:
        name = node["metadata"]["name"]
        if self._pods.by_index(BY_NODE, name):
            self._queue.add_after(("node", "", name), QUARANTINE_SECONDS)

    async def _reconcile(self, key: Key) -> None:
        what, namespace, name = key
        if what == "pod":
            pod = self._pods.get(namespace, name)
            if pod is not None and _is_unscheduled_and_deleted(pod):
                await self._remove(pod)
        elif what == "node":
            await self._empty(name)
        else:
            await self._remove_oldest_ended()

    async def _empty(self, node: str) -> None:
        """Remove the pods of a node if it is still gone."""
        if self._nodes.get("", node) is not None:
            return
        try:
            await self._client.get(NODES, node)
        except NotFoundError:
            for pod in self._pods.by_index(BY_NODE, node):
                await self._remove(pod, lost=True)

    async def _remove_oldest_ended(self) -> None:
        surplus = len(self._ended) - self._most_ended
        oldest = heapq.nsmallest(max(surplus, 0), self._ended.items(), key=lambda item: item[1])
        for name, _created in oldest:
            pod = self._pods.get(*name)
            if pod is not None and _has_ended(pod):
                await self._remove(pod)

    async def _remove(self, pod: JsonObject, *, lost: bool = False) -> None:
        """Say that the pod has failed, then delete it without a grace period."""
        namespace, name = _name(pod)
        uid = pod["metadata"]["uid"]
        try:
            if not _has_ended(pod):
                await self._client.patch(
                    PODS,
                    name,
                    namespace,
                    patch={"metadata": {"uid": uid}, "status": self._failed(pod, lost=lost)},
                    patch_type="strategic",
                    subresource="status",
                )
            await self._client.delete(
                PODS, name, namespace, grace_period_seconds=0, precondition_uid=uid
            )
        except NotFoundError:
            return

    def _failed(self, pod: JsonObject, *, lost: bool) -> JsonObject:
        generation = pod["metadata"].get("generation") or 0
        status: JsonObject = {"phase": "Failed", "observedGeneration": generation}
        if lost:
            before = [{"type": c["type"]} for c in pod["status"].get("conditions") or ()]
            status["$setElementOrder/conditions"] = [*before, {"type": "DisruptionTarget"}]
            conditions: list[JsonObject] = []
            status["conditions"] = conditions
            set_condition(
                conditions,
                type="DisruptionTarget",
                status="True",
                reason="DeletionByPodGC",
                message="PodGC: node no longer exists",
                now=self._clock.now(),
                observed_generation=generation,
            )
        return status


def _name(pod: JsonObject) -> tuple[str, str]:
    return pod["metadata"]["namespace"], pod["metadata"]["name"]


def _has_ended(pod: JsonObject) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def _is_unscheduled_and_deleted(pod: JsonObject) -> bool:
    return bool(pod["metadata"].get("deletionTimestamp")) and not pod["spec"].get("nodeName")
