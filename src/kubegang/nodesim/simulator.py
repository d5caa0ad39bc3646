"""Plays the kubelets of every node: readiness, heartbeats, and the life of bound pods.

One task per worker takes the next due step of some pod; what comes next is decided by
``stages`` each time the pod changes. All nodes share these workers, so five thousand nodes
cost no more than the pods that move on them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from kubegang.apimachinery.errors import AlreadyExistsError, ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_micro_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import LEASES, NODES, PODS
from kubegang.client.workqueue import WorkQueue
from kubegang.nodesim.stages import AnnotationError, Step, next_step
from kubegang.nodesim.status import (
    heartbeat_lease,
    is_ready,
    pod_status_after,
    ready_node_status,
)

WORKERS = 32
# As kubelets: a lease of 40 s, renewed each 10 s; stretched for large clusters so that all
# heartbeats together stay below this rate.
LEASE_SECONDS = 40
RENEW_SECONDS = 10.0
HEARTBEATS_PER_SECOND = 50.0

PodKey = tuple[str, str]

_log = logger(__name__)


class NodeSimulator:
    """Makes the nodes of a node file, and runs pods on every Node object there is.

    Attributes:
        started: set when the nodes of the node file exist and pods are being watched.
    """

    def __init__(
        self,
        client: Client,
        *,
        nodes: Informer[JsonObject],
        pods: Informer[JsonObject],
        pod_queue: WorkQueue[PodKey],
        node_queue: WorkQueue[str],
        clock: Clock,
        initial_nodes: Sequence[JsonObject],
        kubelet_version: str,
        heartbeats: bool,
    ) -> None:
        self._client = client
        self._nodes = nodes
        self._pods = pods
        self._pod_queue = pod_queue
        self._node_queue = node_queue
        self._clock = clock
        self._initial_nodes = initial_nodes
        self._kubelet_version = kubelet_version
        self._heartbeats = heartbeats
        self._bound_at: dict[str, float] = {}
        self._due: dict[str, float] = {}
        self._ips = 0
        self.started = asyncio.Event()
        self._listen()

    async def run(self) -> None:
        """Simulate until cancelled."""
        await self._create_nodes()
        await self._nodes.synced.wait()
        await self._pods.synced.wait()
        self.started.set()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_nodes_ready())
            for _ in range(WORKERS):
                group.create_task(self._move_pods())
            if self._heartbeats:
                group.create_task(self._beat())

    def next_due(self) -> float | None:
        """Return when some pod moves next by itself, or ``None`` if none will."""
        return min(self._due.values(), default=None)

    def _listen(self) -> None:
        self._nodes.add_handler(
            on_add=self._node_changed,
            on_update=lambda _old, new: self._node_changed(new),
            on_delete=lambda _node: None,
        )
        self._pods.add_handler(
            on_add=self._pod_changed,
            on_update=lambda _old, new: self._pod_changed(new),
            on_delete=self._pod_gone,
        )

    def _node_changed(self, node: JsonObject) -> None:
        if not is_ready(node):
            self._node_queue.add(node["metadata"]["name"])

    def _pod_changed(self, pod: JsonObject) -> None:
        if pod["spec"].get("nodeName"):
            self._bound_at.setdefault(pod["metadata"]["uid"], self._clock.now())
            self._pod_queue.add((pod["metadata"]["namespace"], pod["metadata"]["name"]))

    def _pod_gone(self, pod: JsonObject) -> None:
        self._bound_at.pop(pod["metadata"]["uid"], None)
        self._due.pop(pod["metadata"]["uid"], None)

    async def _create_nodes(self) -> None:
        limit = asyncio.Semaphore(WORKERS)

        async def create(node: JsonObject) -> None:
            async with limit:
                try:
                    await self._client.create(NODES, node)
                except AlreadyExistsError:
                    # Kept from an earlier start; whoever changed it since meant it.
                    return

        await asyncio.gather(*(create(node) for node in self._initial_nodes))

    async def _keep_nodes_ready(self) -> None:
        while True:
            name = await self._node_queue.get()
            try:
                await self._make_ready(name)
            except (ApiError, UnreachableError) as error:
                _log.warning("node status not written, retrying", node=name, error=str(error))
                self._node_queue.add_rate_limited(name)
            else:
                self._node_queue.forget(name)
            finally:
                self._node_queue.done(name)

    async def _make_ready(self, name: str) -> None:
        node = self._nodes.get("", name)
        if node is None or is_ready(node):
            return
        status = ready_node_status(node, version=self._kubelet_version, now=self._clock.now())
        try:
            await self._client.patch(
                NODES,
                name,
                patch={"status": status},
                patch_type="strategic",
                subresource="status",
            )
        except NotFoundError:
            return

    async def _move_pods(self) -> None:
        while True:
            key = await self._pod_queue.get()
            try:
                await self._move(key)
            except (ApiError, UnreachableError) as error:
                _log.warning("pod status not written, retrying", pod=key, error=str(error))
                self._pod_queue.add_rate_limited(key)
            else:
                self._pod_queue.forget(key)
            finally:
                self._pod_queue.done(key)

    async def _move(self, key: PodKey) -> None:
        pod = self._pods.get(*key)
        if pod is None or self._nodes.get("", pod["spec"]["nodeName"]) is None:
            return
        uid = pod["metadata"]["uid"]
        try:
            step = next_step(pod, bound_at=self._bound_at.get(uid, self._clock.now()))
        except AnnotationError as error:
            _log.warning("pod runs until it is deleted", pod=key, error=str(error))
            return
        if step is None:
            self._due.pop(uid, None)
            return
        wait = step.at - self._clock.now()
        if wait > 0:
            self._due[uid] = step.at
            self._pod_queue.add_after(key, wait)
            return
        self._due.pop(uid, None)
        await self._take(pod, step)

    async def _take(self, pod: JsonObject, step: Step) -> None:
        metadata = pod["metadata"]
        name, namespace, uid = metadata["name"], metadata["namespace"], metadata["uid"]
        ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
        try:
            if step.action != "remove" or not ended:
                status = pod_status_after(
                    pod, step, pod_ip=self._next_ip(pod), now=self._clock.now()
                )
                await self._client.patch(
                    PODS,
                    name,
                    namespace,
                    patch={"metadata": {"uid": uid}, "status": status},
                    # Conditions are joined by type, so other writers keep theirs.
                    patch_type="strategic",
                    subresource="status",
                )
            if step.action == "remove":
                await self._client.delete(
                    PODS, name, namespace, grace_period_seconds=0, precondition_uid=uid
                )
        except NotFoundError:
            return

    def _next_ip(self, pod: JsonObject) -> str:
        """Return the pod's address: the one it has, or the next of 10.0.0.0/8."""
        known = (pod.get("status") or {}).get("podIP")
        if known:
            return str(known)
        self._ips = self._ips % 0xFFFFFE + 1
        return f"10.{self._ips >> 16 & 255}.{self._ips >> 8 & 255}.{self._ips & 255}"

    async def _beat(self) -> None:
        """Renew one Lease per node, in turn and evenly spread over the period."""
        while True:
            names = [node["metadata"]["name"] for node in self._nodes.items()]
            period = max(RENEW_SECONDS, len(names) / HEARTBEATS_PER_SECOND)
            lease_seconds = max(LEASE_SECONDS, round(4 * period))
            for name in names:
                await self._renew(name, lease_seconds)
                await self._clock.sleep(period / len(names))
            if not names:
                await self._clock.sleep(period)

    async def _renew(self, node: str, lease_seconds: int) -> None:
        lease = heartbeat_lease(
            node, lease_seconds=lease_seconds, micro_time=format_micro_time(self._clock.now())
        )
        try:
            await self._client.patch(LEASES, node, "kube-node-lease", patch={"spec": lease["spec"]})
        except NotFoundError:
            await self._create_lease(lease)
        except (ApiError, UnreachableError) as error:
            _log.warning("heartbeat not written", node=node, error=str(error))

    async def _create_lease(self, lease: JsonObject) -> None:
        try:
            await self._client.create(LEASES, lease, "kube-node-lease")
        except (ApiError, UnreachableError) as error:
            _log.warning("heartbeat not written", error=str(error))
