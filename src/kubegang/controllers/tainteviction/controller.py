"""Deletes pods from nodes whose NoExecute taints they do not tolerate, or no longer.

A pod's time begins when the controller first sees it on the tainted node, not with the taint.
"""

from __future__ import annotations

import math

from kubegang.apimachinery.conditions import find_condition
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

_DECISIVE = ("nodeName", "tolerations")
"""The fields of a pod's spec that may change when it has to go."""

Key = tuple[str, str]


def index_by_node(pod: JsonObject) -> list[str]:
    """Return the index key of a pod: the node that it is bound to."""
    node = pod["spec"].get("nodeName")
    return [node] if node else []


class TaintEviction:
    """Reconciles bound pods, keyed by namespace and name.

    ``_due`` has the uid of pods that are to go, and when; ``_changed`` the pods whose
    tolerations or node's taints have to be looked at anew.
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
        self._changed: set[Key] = set()
        pods.index(BY_NODE, index_by_node)
        pods.add_handler(
            on_add=self._add,
            on_update=self._updated,
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
            self._look_at(pod)

    def _updated(self, old: JsonObject, new: JsonObject) -> None:
        if any(old["spec"].get(field) != new["spec"].get(field) for field in _DECISIVE):
            self._add(new)

    def _look_at(self, pod: JsonObject) -> None:
        self._changed.add(_key(pod))
        self._queue.add(_key(pod))

    def _node_updated(self, old: JsonObject, new: JsonObject) -> None:
        if no_execute_taints(old) != no_execute_taints(new):
            self._node_changed(new)

    def _node_changed(self, node: JsonObject) -> None:
        for pod in self._pods.by_index(BY_NODE, node["metadata"]["name"]):
            self._look_at(pod)

    async def _reconcile(self, key: Key) -> None:
        pod = self._pods.get(*key)
        if pod is None:
            self._changed.discard(key)
            return
        if key in self._changed:
            self._changed.discard(key)
            self._plan(pod)
        now, uid = self._clock.steady(), pod["metadata"]["uid"]
        due = self._due.get(uid, math.inf)
        if due <= now:
            await self._evict(pod)
            self._due.pop(uid, None)
        elif due < math.inf:
            self._queue.add_after(key, due - now)

    def _plan(self, pod: JsonObject) -> None:
        """Keep in mind when a pod has to go, if it has to.

        Measured on 1.37.2: a time that runs goes on when the node is removed, and whatever
        other limits its tolerations set; a pod that is being deleted is treated like others.
        """
        now, uid = self._clock.steady(), pod["metadata"]["uid"]
        node = self._nodes.get("", pod["spec"].get("nodeName", ""))
        if node is None:
            return
        stays = may_stay_seconds(pod, no_execute_taints(node))
        if stays is None:
            self._forget(pod, cancelled=True)
            self._due[uid] = now
        elif stays == math.inf:
            self._forget(pod, cancelled=True)
        else:
            self._due.setdefault(uid, now + stays)

    def _forget(self, pod: JsonObject, *, cancelled: bool) -> None:
        due = self._due.pop(pod["metadata"]["uid"], None)
        if due is not None and cancelled:
            self._tell(pod, "Cancelling deletion of Pod")

    def _tell(self, pod: JsonObject, what: str) -> None:
        namespace, name = _key(pod)
        # Events say neither uid nor version of the pod (measured on 1.37.2).
        regarding = {
            "apiVersion": pod["apiVersion"],
            "kind": pod["kind"],
            "metadata": {"namespace": namespace, "name": name},
        }
        self._recorder.record(
            regarding,
            type_="Normal",
            reason="TaintManagerEviction",
            message=f"{what} {namespace}/{name}",
        )

    async def _evict(self, pod: JsonObject) -> None:
        namespace, name = _key(pod)
        uid = pod["metadata"]["uid"]
        self._tell(pod, "Marking for deletion Pod")
        mark = self._mark(pod)
        try:
            if mark is not None:
                await self._client.patch(
                    PODS,
                    name,
                    namespace,
                    patch={"metadata": {"uid": uid}, "status": {"conditions": [mark]}},
                    patch_type="strategic",
                    subresource="status",
                )
            await self._client.delete(PODS, name, namespace, precondition_uid=uid)
        except NotFoundError:
            return

    def _mark(self, pod: JsonObject) -> JsonObject | None:
        """Return the condition to write, ``None`` if the pod says so already."""
        said = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "DeletionByTaintManager",
            "message": "Taint manager: deleting due to NoExecute taint",
        }
        conditions = (pod.get("status") or {}).get("conditions") or []
        before = find_condition(conditions, said["type"]) or {}
        if before.items() >= said.items():
            return None
        holds = before.get("status") == said["status"]
        since = before.get("lastTransitionTime") if holds else None
        return {
            **said,
            "observedGeneration": pod["metadata"].get("generation") or None,
            "lastTransitionTime": since or format_time(self._clock.now()),
        }


def _key(pod: JsonObject) -> Key:
    return pod["metadata"]["namespace"], pod["metadata"]["name"]
