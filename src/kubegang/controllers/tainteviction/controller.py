"""Deletes pods from nodes whose NoExecute taints they do not tolerate, or no longer.

A pod's time begins when the controller first sees it on the tainted node, not with the taint.
"""

from __future__ import annotations

import math

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import PODS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.tainteviction.tolerating import may_stay_seconds, no_execute_taints

WORKERS = 8
BY_NODE = "node"

Key = tuple[str, str]


def index_by_node(pod: JsonObject) -> list[str]:
    """Return the index key of a pod: the node that it is bound to."""
    node = pod["spec"].get("nodeName")
    return [node] if node else []


class TaintEviction:
    """Reconciles bound pods, keyed by namespace and name.

    ``_due`` has the uid of pods that are to go, and when.
    """

    def __init__(
        self,
        client: Client,
        *,
        pods: Informer[JsonObject],
        nodes: Informer[JsonObject],
        recorder: EventRecorder,
        queue: WorkQueue[Key],
        clock: Clock,
    ) -> None:
        self._client = client
        self._pods = pods
        self._nodes = nodes
        self._recorder = recorder
        self._queue = queue
        self._clock = clock
        self._due: dict[str, float] = {}
        pods.index(BY_NODE, index_by_node)
        pods.add_handler(
            on_add=self._add,
            on_update=lambda _old, new: self._add(new),
            on_delete=lambda pod: self._forget(pod, cancelled=False),
        )
        nodes.add_handler(on_add=self._node_changed, on_update=self._node_updated)

    async def run(self) -> None:
        """Reconcile until cancelled, once both informers have their first listing."""
        await self._pods.synced.wait()
        await self._nodes.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="pod not evicted, retrying"
        )

    def _add(self, pod: JsonObject) -> None:
        if pod["spec"].get("nodeName"):
            self._queue.add(_key(pod))

    def _node_updated(self, old: JsonObject, new: JsonObject) -> None:
        if no_execute_taints(old) != no_execute_taints(new):
            self._node_changed(new)

    def _node_changed(self, node: JsonObject) -> None:
        for pod in self._pods.by_index(BY_NODE, node["metadata"]["name"]):
            self._queue.add(_key(pod))

    async def _reconcile(self, key: Key) -> None:
        pod = self._pods.get(*key)
        if pod is None:
            return
        node = self._nodes.get("", pod["spec"].get("nodeName", ""))
        taints = no_execute_taints(node) if node is not None else []
        stays = may_stay_seconds(pod, taints) if taints else math.inf
        if stays == math.inf or pod["metadata"].get("deletionTimestamp"):
            self._forget(pod, cancelled=stays == math.inf)
            return
        now, uid = self._clock.now(), pod["metadata"]["uid"]
        # Once its time runs, only a taint that it does not tolerate at all changes that.
        due = self._due[uid] = self._due.get(uid, now + stays) if stays else now
        if due > now:
            self._queue.add_after(key, due - now)
            return
        await self._evict(pod)

    def _forget(self, pod: JsonObject, *, cancelled: bool) -> None:
        due = self._due.pop(pod["metadata"]["uid"], None)
        if due is not None and cancelled:
            self._tell(pod, "Cancelling deletion of Pod")

    def _tell(self, pod: JsonObject, what: str) -> None:
        namespace, name = _key(pod)
        self._recorder.record(
            pod,
            type_="Normal",
            reason="TaintManagerEviction",
            message=f"{what} {namespace}/{name}",
        )

    async def _evict(self, pod: JsonObject) -> None:
        namespace, name = _key(pod)
        uid = pod["metadata"]["uid"]
        self._tell(pod, "Marking for deletion Pod")
        try:
            await self._client.patch(
                PODS,
                name,
                namespace,
                patch={"metadata": {"uid": uid}, "status": {"conditions": [self._mark(pod)]}},
                patch_type="strategic",
                subresource="status",
            )
            await self._client.delete(PODS, name, namespace, precondition_uid=uid)
        except NotFoundError:
            return

    def _mark(self, pod: JsonObject) -> JsonObject:
        return {
            "type": "DisruptionTarget",
            "status": "True",
            "observedGeneration": pod["metadata"].get("generation") or None,
            "reason": "DeletionByTaintManager",
            "message": "Taint manager: deleting due to NoExecute taint",
            "lastTransitionTime": format_time(self._clock.now()),
        }


def _key(pod: JsonObject) -> Key:
    return pod["metadata"]["namespace"], pod["metadata"]["name"]
