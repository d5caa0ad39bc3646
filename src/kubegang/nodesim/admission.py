"""Lets pods onto their nodes, or fails them for good, as a kubelet does when they arrive."""

from __future__ import annotations

from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import CORE_EVENTS, PODS
from kubegang.nodesim.forms import SimulatedNode, SimulatedPod
from kubegang.nodesim.hostports import HostPorts
from kubegang.nodesim.memory import PodMemory
from kubegang.nodesim.room import Room
from kubegang.nodesim.suiting import (
    Rejection,
    other_system,
    untolerated_taint,
    unwanted_node,
)
from kubegang.nodesim.telling import warning

_log = logger(__name__)


class Admission:
    """Knows who was let in; a pod that is refused fails, and its node has room for others."""

    def __init__(self, client: Client, *, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._room = Room()
        self._ports = HostPorts()

    def see(self, pod: SimulatedPod) -> None:
        """Take in how a bound pod is now."""
        if pod.has_ended:
            self.forget(pod.metadata.uid)
        elif pod.status.start_time is not None:
            # Let in before a restart, if not since.
            self._take(pod)

    def forget(self, uid: str) -> None:
        """Forget a pod that is gone."""
        self._room.drop(uid)
        self._ports.drop(uid)

    async def lets_in(self, pod: SimulatedPod, node: SimulatedNode, memory: PodMemory) -> bool:
        """Return whether a pod may run on its node; one that may not has failed by then."""
        leaves = pod.has_ended or pod.metadata.deletion_timestamp is not None
        if leaves or self._room.has(pod.metadata.uid):
            return True
        rejection = self._rejection(pod, node)
        if rejection is None:
            self._take(pod)
            return True
        await self._refuse(pod, rejection, memory)
        return False

    def _take(self, pod: SimulatedPod) -> None:
        if not self._room.has(pod.metadata.uid):
            self._room.take(pod)
            self._ports.take(pod)

    def _rejection(self, pod: SimulatedPod, node: SimulatedNode) -> Rejection | None:
        """Return why a pod may not run on its node; of several reasons the kubelet's first."""
        if (other := other_system(pod)) is not None:
            return other
        if (shortage := self._room.shortage(pod, node)) is not None:
            return Rejection(shortage.reason, shortage.message)
        return unwanted_node(pod, node) or self._ports.conflict(pod) or untolerated_taint(pod, node)

    async def _refuse(self, pod: SimulatedPod, rejection: Rejection, memory: PodMemory) -> None:
        now = self._clock.now()
        event = warning(pod, rejection.message, reason=rejection.reason, now=now)
        try:
            await self._client.create(CORE_EVENTS, event, pod.metadata.namespace)
        except (ApiError, UnreachableError) as error:
            _log.warning("event not written", reason=rejection.reason, error=str(error))
        status: JsonObject = {
            "phase": "Failed",
            "reason": rejection.reason,
            "message": f"Pod was rejected: {rejection.message}",
            "startTime": format_time(now),
            "observedGeneration": pod.metadata.generation,
        }
        try:
            written = await self._client.patch(
                PODS,
                pod.metadata.name,
                pod.metadata.namespace,
                patch={"metadata": {"uid": pod.metadata.uid}, "status": status},
                patch_type="strategic",
                subresource="status",
            )
        except NotFoundError:
            return
        memory.written = (written["metadata"]["resourceVersion"], self._clock.steady())
