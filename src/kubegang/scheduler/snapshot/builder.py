"""Keeps one snapshot up to date with what the cache learns.

The cache reports each change once; it costs the rows it touches. Handing out the snapshot
costs nothing, so a cluster of 5,000 nodes is not copied for every pod. Since a cycle is
synchronous and takes back what it tried, the same snapshot serves all cycles. Pure.
"""

from __future__ import annotations

from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.devices import DeviceObject
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
from kubegang.scheduler.snapshot.snapshot import Snapshot


class SnapshotBuilder:
    """The only way to change a snapshot between cycles."""

    def __init__(self, snapshot: Snapshot | None = None) -> None:
        """Start empty, or from a snapshot that was loaded."""
        self._snapshot = Snapshot() if snapshot is None else snapshot

    def snapshot(self) -> Snapshot:
        """Return the cluster as it is now; use it up before the next change."""
        return self._snapshot

    def set_node(self, node: NodeInfo) -> None:
        """Add a node or replace its object."""
        self._snapshot.set_node(node)

    def remove_node(self, name: NodeName) -> None:
        """Remove a node; pods that are still on it come back with it.

        Raises:
            NodeNotFoundError: there is no such node.
        """
        self._snapshot.remove_node(name)

    def set_pod(self, pod: PodInfo) -> None:
        """Count a bound or assumed pod on its node, in place of its older form."""
        old = self._snapshot.pod(pod.uid)
        if old is not None:
            self._snapshot.remove_pod(pod.uid)
        self._snapshot.add_pod(pod, pod.node_name)
        # Who has a node needs no promise of one.
        self._snapshot.nominations.remove(pod.uid)
        # Here, since no trial is under way that may hold on to what is forgotten.
        self._snapshot.counts.tidy()

    def replace_pod(self, pod: PodInfo) -> None:
        """Take over a pod of which nothing changed that anybody counts."""
        self._snapshot.replace_pod(pod)

    def remove_pod(self, uid: PodUid) -> None:
        """Stop counting a pod: deleted, finished, or its binding was refused.

        Raises:
            InvariantError: the pod is not counted.
        """
        self._snapshot.remove_pod(uid)

    def set_pod_group(self, group: PodGroupInfo) -> None:
        """Add or replace a group's object."""
        self._snapshot.set_pod_group(group)

    def remove_pod_group(self, key: PodGroupKey) -> None:
        """Remove a group's object."""
        self._snapshot.remove_pod_group(key)

    def nominate(self, pod: PodInfo, node: NodeName) -> None:
        """Promise a node to a pod that has none, in place of an earlier promise."""
        self._snapshot.nominations.set(pod, node)

    def withdraw_nomination(self, uid: PodUid) -> None:
        """Take a promise back, if there is one."""
        self._snapshot.nominations.remove(uid)

    def set_budget(self, budget: DisruptionBudget) -> None:
        """Add or replace a disruption budget."""
        self._snapshot.set_budget(budget)

    def remove_budget(self, budget: DisruptionBudget) -> None:
        """Remove a disruption budget."""
        self._snapshot.remove_budget(budget)

    def set_namespace(self, namespace: NamespaceInfo) -> None:
        """Add or replace a namespace."""
        self._snapshot.directory.set_namespace(namespace)

    def remove_namespace(self, name: str) -> None:
        """Remove a namespace; its pods stay until they go themselves."""
        self._snapshot.directory.remove_namespace(name)

    def set_service(self, service: ServiceInfo) -> None:
        """Add or replace a Service."""
        self._snapshot.directory.set_service(service)

    def remove_service(self, service: ServiceInfo) -> None:
        """Remove a Service."""
        self._snapshot.directory.remove_service(service)

    def set_controller(self, controller: ControllerInfo) -> None:
        """Add or replace a controller."""
        self._snapshot.directory.set_controller(controller)

    def remove_controller(self, key: ControllerKey) -> None:
        """Remove a controller."""
        self._snapshot.directory.remove_controller(key)

    def set_storage(self, obj: StorageObject) -> None:
        """Add or replace a claim, a volume, or what is known of a driver."""
        self._snapshot.storage.set(obj)

    def remove_storage(self, obj: StorageObject) -> None:
        """Remove a claim, a volume, or what is known of a driver."""
        self._snapshot.storage.remove(obj)

    def set_device_object(self, obj: DeviceObject) -> None:
        """Add or replace a device claim, a class or a slice."""
        self._snapshot.devices.set(obj)

    def remove_device_object(self, obj: DeviceObject) -> None:
        """Remove a device claim, a class or a slice."""
        self._snapshot.devices.remove(obj)

    def set_scan_start(self, position: int) -> None:
        """Let the next search begin where the last one ended (``Decision.scan_start``)."""
        self._snapshot.scan_start = position
