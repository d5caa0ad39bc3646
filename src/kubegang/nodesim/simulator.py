"""Plays the kubelets of every node: readiness, heartbeats, and the life of bound pods.

What a pod does next is decided by ``stages`` each time it changes, and each time its next
step is due. All nodes share one queue of pods, so five thousand nodes cost no more than the
pods that move on them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from kubegang.apimachinery.errors import AlreadyExistsError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import NODES, PODS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.nodesim.addresses import NODE_NETWORK, POD_NETWORK, Addresses
from kubegang.nodesim.admission import Admission
from kubegang.nodesim.annotations import AnnotationError
from kubegang.nodesim.claimgate import ClaimGate
from kubegang.nodesim.claims import index_by_claim
from kubegang.nodesim.forms import SimulatedClaim, SimulatedNode, SimulatedPod
from kubegang.nodesim.heartbeats import Heartbeats
from kubegang.nodesim.memory import PATIENCE_SECONDS, PodMemory
from kubegang.nodesim.nodestatus import ready_status, taints_when_ready
from kubegang.nodesim.podstatus import Place, status_after
from kubegang.nodesim.stages import Step, next_step
from kubegang.nodesim.timers import Timers

WORKERS = 32
BY_NODE = "node"
BY_CLAIM = "resource-claim"

PodKey = tuple[str, str]

_log = logger(__name__)


def index_by_node(pod: SimulatedPod) -> list[str]:
    """Return the index key of a pod: the node that it is bound to."""
    return [pod.spec.node_name] if pod.spec.node_name else []


class NodeSimulator:
    """Makes the nodes of a node file, and runs pods on every Node object there is.

    Attributes:
        started: set when the nodes of the node file exist and pods are being watched.
    """

    def __init__(
        self,
        client: Client,
        *,
        nodes: Informer[SimulatedNode],
        pods: Informer[SimulatedPod],
        pod_queue: WorkQueue[PodKey],
        node_queue: WorkQueue[str],
        clock: Clock,
        initial_nodes: Sequence[JsonObject],
        kubelet_version: str,
        heartbeats: Heartbeats | None,
        claim_gate: ClaimGate | None = None,
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
        self._claim_gate = claim_gate
        self._admission = Admission(client, clock=clock)
        self._memories: dict[str, PodMemory] = {}
        self._timers = Timers()
        self._pod_addresses = Addresses(POD_NETWORK)
        self._node_addresses = Addresses(NODE_NETWORK)
        self.started = asyncio.Event()
        pods.index(BY_NODE, index_by_node)
        self._listen()

    async def run(self) -> None:
        """Simulate until cancelled."""
        await self._create_nodes()
        await self._nodes.synced.wait()
        await self._pods.synced.wait()
        self._pod_addresses.skip(p.status.pod_ip for p in self._pods.items() if p.status.pod_ip)
        self._node_addresses.skip(n.internal_ip for n in self._nodes.items() if n.internal_ip)
        self.started.set()
        async with asyncio.TaskGroup() as group:
            group.create_task(
                work(
                    self._node_queue,
                    self._make_ready,
                    workers=WORKERS,
                    failed="node status not written, retrying",
                )
            )
            group.create_task(
                work(
                    self._pod_queue,
                    self._move,
                    workers=WORKERS,
                    failed="pod status not written, retrying",
                )
            )
            if self._heartbeats is not None:
                group.create_task(self._heartbeats.run())

    def next_due(self) -> float | None:
        """Return when some pod moves next by itself, or ``None`` if none will."""
        return self._timers.earliest()

    # Being told

    def _listen(self) -> None:
        self._nodes.add_handler(on_add=self._node_added, on_update=self._node_updated)
        self._pods.add_handler(
            on_add=self._pod_changed,
            on_update=lambda _old, new: self._pod_changed(new),
            on_delete=self._pod_gone,
        )
        if self._claim_gate is not None:
            self._pods.index(BY_CLAIM, index_by_claim)
            self._claim_gate.claims.add_handler(
                self._claim_changed, lambda _, new: self._claim_changed(new), None
            )

    def _node_added(self, node: SimulatedNode) -> None:
        self._node_changed(node)
        # Pods may have been bound to it before it was there.
        for pod in self._pods.by_index(BY_NODE, node.metadata.name):
            self._pod_changed(pod)

    def _node_updated(self, old: SimulatedNode, new: SimulatedNode) -> None:
        if old.is_silent and not new.is_silent:
            # Its kubelet is back, and looks at everything anew.
            self._node_added(new)
        else:
            self._node_changed(new)

    def _node_changed(self, node: SimulatedNode) -> None:
        if node.is_silent:
            return
        if not node.is_ready or taints_when_ready(node) is not None:
            self._node_queue.add(node.metadata.name)

    def _pod_changed(self, pod: SimulatedPod) -> None:
        if not pod.spec.node_name:
            return
        now = self._clock.steady()
        ahead = now - self._clock.now()
        memory = self._memories.get(pod.metadata.uid)
        if memory is None:
            memory = self._memories[pod.metadata.uid] = PodMemory.of(pod, now=now, ahead=ahead)
        memory.see(pod, now=now, ahead=ahead)
        self._admission.see(pod)
        self._pod_queue.add((pod.metadata.namespace, pod.metadata.name))

    def _claim_changed(self, claim: SimulatedClaim) -> None:
        # Pods that were held back may use it now.
        for pod in self._pods.by_index(
            BY_CLAIM, f"{claim.metadata.namespace}/{claim.metadata.name}"
        ):
            if not pod.has_ended:
                self._pod_changed(pod)

    def _pod_gone(self, pod: SimulatedPod) -> None:
        if self._claim_gate is not None:
            self._claim_gate.forget(pod.metadata.uid)
        self._admission.forget(pod.metadata.uid)
        self._memories.pop(pod.metadata.uid, None)
        self._timers.drop(pod.metadata.uid)

    # Nodes

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

    async def _make_ready(self, name: str) -> None:
        node = self._nodes.get("", name)
        if node is None or node.is_silent:
            return
        version = node.metadata.resource_version
        try:
            if not node.is_ready:
                version = await self._report_ready(node)
            taints = taints_when_ready(node)
            if taints is not None:
                # The version makes sure that nobody's taint is lost in between.
                metadata = {"uid": node.metadata.uid, "resourceVersion": version}
                patch = {"metadata": metadata, "spec": {"taints": taints or None}}
                await self._client.patch(NODES, name, patch=patch)
        except NotFoundError:
            return

    async def _report_ready(self, node: SimulatedNode) -> str:
        """Report a node as ready; return its new resourceVersion."""
        status = ready_status(
            node,
            address=self._node_addresses.next(),
            version=self._kubelet_version,
            now=self._clock.now(),
        )
        written = await self._client.patch(
            NODES,
            node.metadata.name,
            patch={"metadata": {"uid": node.metadata.uid}, "status": status},
            patch_type="strategic",
            subresource="status",
        )
        return str(written["metadata"]["resourceVersion"])

    # Pods

    async def _move(self, key: PodKey) -> None:
        pod = self._pods.get(*key)
        node = self._nodes.get("", pod.spec.node_name) if pod is not None else None
        if pod is None or node is None or node.is_silent:
            return
        uid = pod.metadata.uid
        memory = self._memories[uid]
        if memory.is_outdated(pod, now=self._clock.steady()):
            # The news of our own write is on its way and brings the pod here again.
            self._pod_queue.add_after(key, PATIENCE_SECONDS)
            return
        if not await self._admission.lets_in(pod, node, memory):
            return
        try:
            step = next_step(pod, memory)
        except AnnotationError as error:
            _log.warning("pod stays as it is", pod=key, error=str(error))
            step = None
        if step is None:
            self._timers.drop(uid)
            return
        wait = step.at - self._clock.steady()
        if wait > 0:
            self._timers.set(uid, step.at)
            self._pod_queue.add_after(key, wait)
            return
        self._timers.drop(uid)
        if step.action == "start" and await self._is_held(pod):
            if pod.status.container_statuses:
                return
            step = Step("create", step.at)
        await self._take(pod, step, memory)

    async def _is_held(self, pod: SimulatedPod) -> bool:
        """Return whether a pod has to wait for its devices."""
        return self._claim_gate is not None and await self._claim_gate.holds(pod)

    async def _take(self, pod: SimulatedPod, step: Step, memory: PodMemory) -> None:
        try:
            if step.action != "remove" or not pod.has_ended:
                await self._report(pod, step, memory)
            if step.action == "remove":
                await self._client.delete(
                    PODS,
                    pod.metadata.name,
                    pod.metadata.namespace,
                    grace_period_seconds=0,
                    precondition_uid=pod.metadata.uid,
                )
        except NotFoundError:
            return

    async def _report(self, pod: SimulatedPod, step: Step, memory: PodMemory) -> None:
        """Write the status after a step, and remember when it was."""
        now = self._clock.steady()
        status = status_after(
            pod,
            step,
            memory,
            place=self._place(pod, step),
            now=now,
            moment=format_time(self._clock.now()),
        )
        written = await self._client.patch(
            PODS,
            pod.metadata.name,
            pod.metadata.namespace,
            patch={"metadata": {"uid": pod.metadata.uid}, "status": status},
            patch_type="strategic",
            subresource="status",
        )
        memory.written = (written["metadata"]["resourceVersion"], now)
        match step.action:
            case "start":
                memory.start(now)
            case "crash":
                memory.end(now)
            case "restart":
                memory.restart(now)

    def _place(self, pod: SimulatedPod, step: Step) -> Place:
        """Return where a pod runs; it gets its address when it starts."""
        node = self._nodes.get("", pod.spec.node_name)
        address = pod.status.pod_ip
        if not address and step.action == "start":
            address = self._pod_addresses.next()
        return Place(address, node.internal_ip if node is not None else "")
