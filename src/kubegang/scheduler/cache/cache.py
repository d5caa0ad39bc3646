"""The live picture: nodes, pods and pod groups as last seen, and what was decided since.

Informer events and decisions change it; ``snapshot`` hands it to a cycle. Every change
reaches the snapshot at once and costs the rows it touches, so handing it out is free. Pure.
"""

from __future__ import annotations

from collections.abc import Collection

from kubegang.scheduler.cache.cachedpod import CachedPod, counts_alike, looks_alike
from kubegang.scheduler.cache.groups import CachedGroups
from kubegang.scheduler.cache.states import TRANSITIONS, PodState
from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.devices import DeviceObject
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import (
    ControllerKey,
    NodeName,
    PodGroupInfo,
    PodGroupKey,
    PodInfo,
    PodUid,
)
from kubegang.scheduler.framework.storage import StorageObject
from kubegang.scheduler.framework.workloads import ControllerInfo, NamespaceInfo, ServiceInfo
from kubegang.scheduler.snapshot.builder import SnapshotBuilder
from kubegang.scheduler.snapshot.snapshot import Snapshot


class Cache:
    """What this scheduler believes of the cluster.

    Invariant: exactly the assumed and bound pods count in the snapshot, each on its node.

    Attributes:
        groups: what is known of pod groups.
    """

    def __init__(self) -> None:
        self._builder = SnapshotBuilder()
        self._pods: dict[PodUid, CachedPod] = {}
        self.groups = CachedGroups(self._builder.snapshot())
        self._assumed = 0
        self._counted = 0

    # --- nodes and group objects ---------------------------------------------------------

    def set_node(self, node: NodeInfo) -> NodeInfo | None:
        """Add a node or replace its object, and return the older form."""
        old = self.node(node.name)
        self._builder.set_node(node)
        return old

    def remove_node(self, name: NodeName) -> None:
        """Remove a node; its pods stay known and count again if it comes back."""
        if self.node(name) is not None:
            self._builder.remove_node(name)

    def set_pod_group(self, group: PodGroupInfo) -> PodGroupInfo | None:
        """Add or replace a group's object, and return the older form."""
        old = self.groups.pod_group(group.key)
        self._builder.set_pod_group(group)
        return old

    def remove_pod_group(self, key: PodGroupKey) -> None:
        """Remove a group's object; its members stay known."""
        self._builder.remove_pod_group(key)

    def set_budget(self, budget: DisruptionBudget) -> None:
        """Add or replace a disruption budget."""
        self._builder.set_budget(budget)

    def remove_budget(self, budget: DisruptionBudget) -> None:
        """Remove a disruption budget."""
        self._builder.remove_budget(budget)

    # --- what says which pods belong together ----------------------------------------------

    def set_namespace(self, namespace: NamespaceInfo) -> None:
        """Add or replace a namespace."""
        self._builder.set_namespace(namespace)

    def remove_namespace(self, name: str) -> None:
        """Remove a namespace."""
        self._builder.remove_namespace(name)

    def set_service(self, service: ServiceInfo) -> None:
        """Add or replace a Service."""
        self._builder.set_service(service)

    def remove_service(self, service: ServiceInfo) -> None:
        """Remove a Service."""
        self._builder.remove_service(service)

    def set_controller(self, controller: ControllerInfo) -> None:
        """Add or replace a controller."""
        self._builder.set_controller(controller)

    def remove_controller(self, key: ControllerKey) -> None:
        """Remove a controller."""
        self._builder.remove_controller(key)

    # --- storage -------------------------------------------------------------------------

    def set_storage(self, obj: StorageObject) -> None:
        """Add or replace a claim, a volume, or what is known of a driver."""
        self._builder.set_storage(obj)

    def remove_storage(self, obj: StorageObject) -> None:
        """Remove a claim, a volume, or what is known of a driver."""
        self._builder.remove_storage(obj)

    # --- devices -------------------------------------------------------------------------

    def set_device_object(self, obj: DeviceObject) -> None:
        """Add or replace a device claim, a class or a slice."""
        self._builder.set_device_object(obj)

    def remove_device_object(self, obj: DeviceObject) -> None:
        """Remove a device claim, a class or a slice."""
        self._builder.remove_device_object(obj)

    # --- pods ----------------------------------------------------------------------------

    def set_pod(self, pod: PodInfo) -> CachedPod | None:
        """Take over a pod as the API shows it, and return what was known before.

        A pod with a node is bound there, whatever was assumed. One without stays assumed
        if it is.
        """
        old = self._pods.get(pod.uid)
        if pod.node_name:
            self._change(old, CachedPod(pod, pod.node_name, PodState.BOUND))
        elif old is not None and old.state is PodState.ASSUMED:
            self._pods[pod.uid] = old._replace(pod=pod)
        elif old is None or old.state is PodState.PENDING:
            self._change(old, CachedPod(pod, NodeName(""), PodState.PENDING))
            self._renominate(old, pod)
        else:
            raise InvariantError(f"pod {pod.key} is on {old.node} but now has no node")
        return old

    def remove_pod(self, uid: PodUid) -> CachedPod | None:
        """Forget a pod that is deleted or finished, and return what was known of it."""
        old = self._pods.get(uid)
        if old is not None:
            self._change(old, old._replace(node=NodeName(""), state=PodState.NOWHERE))
        return old

    def assume(self, uid: PodUid, node: NodeName) -> PodInfo:
        """Count a pending pod on a node before the API confirms it.

        Returns:
            The pod as it was last seen.
        """
        old = self._pods.get(uid)
        if old is None or old.state is not PodState.PENDING:
            raise InvariantError(f"pod {uid} is assumed on {node} but is {old or 'not known'}")
        self._change(old, CachedPod(old.pod, node, PodState.ASSUMED))
        return old.pod

    def forget(self, uid: PodUid) -> PodInfo | None:
        """Take an assumption back.

        Returns:
            The pod as last seen; ``None`` if it is gone, or was bound meanwhile.
        """
        old = self._pods.get(uid)
        if old is None or old.state is not PodState.ASSUMED:
            return None
        self._change(old, CachedPod(old.pod, NodeName(""), PodState.PENDING))
        return old.pod

    # --- promises of nodes -----------------------------------------------------------------

    def nominate(self, uid: PodUid, node: NodeName) -> None:
        """Promise a node to a pending pod before the API shows it; empty takes it back."""
        known = self._pods.get(uid)
        if known is None or known.state is not PodState.PENDING:
            return
        if node:
            self._builder.nominate(known.pod, node)
        else:
            self._builder.withdraw_nomination(uid)

    # --- asking --------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return the cluster as it is now; use it up before anything else changes."""
        return self._builder.snapshot()

    def set_scan_start(self, position: int) -> None:
        """Let the next search for a node begin where the last one ended."""
        self._builder.set_scan_start(position)

    def node(self, name: NodeName) -> NodeInfo | None:
        """Return a node's object, or ``None``."""
        nodes = self.snapshot().nodes
        row = nodes.row(name)
        return None if row is None else nodes.infos[row]

    def pod(self, uid: PodUid) -> CachedPod | None:
        """Return what is known of a pod, or ``None``."""
        return self._pods.get(uid)

    def pods(self) -> Collection[CachedPod]:
        """Return all pods."""
        return self._pods.values()

    def is_assumed(self, uid: PodUid) -> bool:
        """Return whether a pod was given a node that the API has not confirmed."""
        known = self._pods.get(uid)
        return known is not None and known.state is PodState.ASSUMED

    @property
    def assumed_count(self) -> int:
        """How many pods are assumed."""
        return self._assumed

    @property
    def counted_pods(self) -> int:
        """How many pods count on a node: bound and assumed ones."""
        return self._counted

    def validate(self) -> None:
        """Check that the snapshot counts what the cache knows, and nothing else.

        Raises:
            InvariantError: it does not.
        """
        snapshot = self.snapshot()
        counted = {uid: known for uid, known in self._pods.items() if known.node}
        placed = {entry.pod.uid: entry for entry in snapshot.placed_pods()}
        if counted.keys() != placed.keys():
            wrong = sorted(counted.keys() ^ placed.keys())
            raise InvariantError(f"cache and snapshot disagree about the pods {wrong}")
        for uid, known in counted.items():
            if placed[uid].node != known.node:
                raise InvariantError(
                    f"pod {uid} is {known.state.value} on {known.node} "
                    f"but counts on {placed[uid].node}"
                )
        assumed = sum(known.state is PodState.ASSUMED for known in self._pods.values())
        if (assumed, len(counted)) != (self._assumed, self._counted):
            raise InvariantError(
                f"{assumed} of {len(counted)} pods are assumed, "
                f"but {self._assumed} of {self._counted} were counted"
            )

    # --- steps ---------------------------------------------------------------------------

    def _change(self, old: CachedPod | None, new: CachedPod) -> None:
        uid, start = new.pod.uid, old.state if old else PodState.NOWHERE
        if new.state not in TRANSITIONS[start] and new.state is not start:
            raise InvariantError(f"pod {new.pod.key} cannot go from {start} to {new.state}")
        self._count(old, new)
        if new.state is not PodState.PENDING:
            self._builder.withdraw_nomination(uid)
        if new.state is PodState.NOWHERE:
            del self._pods[uid]
        else:
            self._pods[uid] = new
        self._assumed += (new.state is PodState.ASSUMED) - (start is PodState.ASSUMED)
        self._counted += bool(new.node) - bool(old is not None and old.node)
        if new.pod.pod_group is not None and new.state is not start:
            self.groups.members.note(new.pod.pod_group, uid, new.state)

    def _count(self, old: CachedPod | None, new: CachedPod) -> None:
        if new.node:
            if old is None or old.node != new.node or not counts_alike(old.pod, new.pod):
                self._builder.set_pod(new.as_counted())
            elif not looks_alike(old.pod, new.pod):
                self._builder.replace_pod(new.as_counted())
        elif old is not None and old.node:
            self._builder.remove_pod(new.pod.uid)

    def _renominate(self, old: CachedPod | None, pod: PodInfo) -> None:
        node = pod.nominated_node_name
        if not node and not (old is not None and old.pod.nominated_node_name):
            # The API does not show yet what was decided here.
            node = self.snapshot().nominations.node_of(pod.uid) or NodeName("")
        self.nominate(pod.uid, node)
