"""Plugins as somebody else might write them, for the points around the binding."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from kubegang.apimachinery.objects import GroupVersion
from kubegang.scheduler.framework.binding import (
    NOTHING_TO_DO,
    ApiWrite,
    PermitResult,
    PreBindPlan,
    WaitingPods,
)
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import BindingRequest
from kubegang.scheduler.framework.pods import NodeName, PodInfo, PodUid
from kubegang.scheduler.framework.status import SUCCESS, Status, unschedulable, waiting


class Licences:
    """Gives a licence to each pod, as long as there are any; tells whom, in a log."""

    NAME: ClassVar[str] = "Licences"

    def __init__(self, log: list[str], *, total: int = 100) -> None:
        self._log = log
        self._total = total
        self.taken: dict[PodUid, NodeName] = {}

    def reserve(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> Status:
        """Take a licence."""
        if len(self.taken) >= self._total:
            return unschedulable("no licence left")
        self.taken[pod.uid] = node
        state.write(self.NAME, node)
        self._log.append(f"{self.NAME} reserves for {pod.name}")
        return SUCCESS

    def unreserve(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> None:
        """Give it back."""
        if self.taken.pop(pod.uid, None) is not None:
            self._log.append(f"{self.NAME} unreserves for {pod.name}")


class Seats(Licences):
    """The same once more, to see the order."""

    NAME: ClassVar[str] = "Seats"


class Pairs:
    """Lets pods go two by two; nobody waits for longer than ten seconds."""

    NAME: ClassVar[str] = "Pairs"

    def permit(
        self,
        state: CycleState,
        pod: PodInfo,
        *,
        node: NodeName,
        cluster: ClusterView,
        waiting: WaitingPods,
        now: float,
    ) -> PermitResult:
        """Wait for a second one."""
        others = [w.pod.uid for w in waiting.all() if w.wait_for(self.NAME)]
        if others:
            return PermitResult(SUCCESS, allow=(others[0],))
        return PermitResult(_ALONE, timeout_seconds=10)


_ALONE = waiting("nobody to go with")


class Chaperone:
    """Sends whoever waits back when a pod with the label ``stop`` comes."""

    NAME: ClassVar[str] = "Chaperone"

    def permit(
        self,
        state: CycleState,
        pod: PodInfo,
        *,
        node: NodeName,
        cluster: ClusterView,
        waiting: WaitingPods,
        now: float,
    ) -> PermitResult:
        """Reject everybody, or nobody."""
        if "stop" not in pod.labels:
            return PermitResult(SUCCESS)
        others = tuple((w.pod.uid, "the party is over") for w in waiting.all())
        return PermitResult(unschedulable("not you"), reject=others)


class Announcement:
    """Announces a pod in a ConfigMap and waits until its node has the label ``ready``."""

    NAME: ClassVar[str] = "Announcement"

    def __init__(self, *, seconds: float = 30) -> None:
        self._seconds = seconds

    def pre_bind(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> PreBindPlan:
        """Announce pods that ask for it."""
        if "announce" not in pod.labels:
            return NOTHING_TO_DO
        write = ApiWrite(
            verb="create",
            version=GroupVersion("", "v1"),
            plural="configmaps",
            kind="ConfigMap",
            namespace=pod.namespace,
            name=pod.name,
            body={
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": pod.name},
                "data": {"node": node},
            },
        )

        def is_ready(now: ClusterView) -> Status:
            row = now.nodes.row(node)
            ready = row is not None and "ready" in now.nodes.infos[row].labels
            return SUCCESS if ready else waiting("not ready")

        return PreBindPlan(
            writes=(write,),
            wait_for=is_ready,
            timeout_seconds=self._seconds,
            timeout_message="the node did not get ready",
        )


class Registrar:
    """Binds pods with the label ``own`` itself, and notes who is bound."""

    NAME: ClassVar[str] = "Registrar"

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def bind(self, pod: PodInfo, node: NodeName) -> BindingRequest | None:
        """Take over some pods."""
        return BindingRequest(pod, node) if "own" in pod.labels else None

    def post_bind(self, state: CycleState, pod: PodInfo, *, node: NodeName) -> None:
        """Note it."""
        self._tell(f"{pod.name} is on {node}, reserved {state.read(Licences.NAME)}")
