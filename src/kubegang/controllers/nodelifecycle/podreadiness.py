"""Pods of a node that went silent: not ready, as far as anybody knows."""

from __future__ import annotations

from kubegang.apimachinery.conditions import is_true
from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import PODS
from kubegang.controllers.events import EventRecorder

BY_NODE = "node"


def index_by_node(pod: JsonObject) -> list[str]:
    """Return the index key of a pod: the node that it is bound to."""
    node = pod["spec"].get("nodeName")
    return [node] if node else []


class PodReadiness:
    """Takes back the Ready condition of a node's pods."""

    def __init__(
        self, client: Client, *, pods: Informer[JsonObject], recorder: EventRecorder, clock: Clock
    ) -> None:
        self._client = client
        self._pods = pods
        self._recorder = recorder
        self._clock = clock
        pods.index(BY_NODE, index_by_node)

    async def mark_not_ready(self, node: str) -> None:
        """Write and tell it for each pod of the node that is ready."""
        await self._pods.synced.wait()
        for pod in self._pods.by_index(BY_NODE, node):
            if is_true((pod.get("status") or {}).get("conditions") or [], "Ready"):
                await self._mark(pod)

    async def _mark(self, pod: JsonObject) -> None:
        metadata = pod["metadata"]
        condition = {
            "type": "Ready",
            "status": "False",
            "lastTransitionTime": format_time(self._clock.now()),
        }
        try:
            await self._client.patch(
                PODS,
                metadata["name"],
                metadata["namespace"],
                patch={"metadata": {"uid": metadata["uid"]}, "status": {"conditions": [condition]}},
                patch_type="strategic",
                subresource="status",
            )
        except NotFoundError:
            return
        self._recorder.record(
            pod, type_="Warning", reason="NodeNotReady", message="Node is not ready"
        )
