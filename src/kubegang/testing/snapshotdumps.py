"""A snapshot as plain JSON, and back: so that any cycle can be repeated elsewhere.

The order in which nodes and pods came is kept, since the scan order and plugins follow it;
row numbers are not, since no decision depends on them. Pure.
"""

from __future__ import annotations

import msgspec

from kubegang.api.resource.types import (
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceSlice,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.devices import DeviceObject
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo
from kubegang.scheduler.framework.storage import (
    AttachmentInfo,
    CapacityInfo,
    ClaimInfo,
    CSIDriverInfo,
    CSINodeInfo,
    StorageClassInfo,
    StorageObject,
    VolumeInfo,
)
from kubegang.scheduler.framework.workloads import ControllerInfo, NamespaceInfo, ServiceInfo
from kubegang.scheduler.snapshot.devices import KnownDevices
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.scheduler.snapshot.storage import KnownStorage


class DumpedPod(msgspec.Struct, frozen=True, rename="camel"):
    """A pod and the node it counts on, or that is promised to it."""

    pod: PodInfo
    node: NodeName


class StorageDump(msgspec.Struct, frozen=True, rename="camel"):
    """Everything about storage; what is assumed stands beside what was seen."""

    claims: tuple[ClaimInfo, ...] = ()
    volumes: tuple[VolumeInfo, ...] = ()
    classes: tuple[StorageClassInfo, ...] = ()
    csi_nodes: tuple[CSINodeInfo, ...] = ()
    csi_drivers: tuple[CSIDriverInfo, ...] = ()
    capacities: tuple[CapacityInfo, ...] = ()
    attachments: tuple[AttachmentInfo, ...] = ()
    assumed_claims: tuple[ClaimInfo, ...] = ()
    assumed_volumes: tuple[VolumeInfo, ...] = ()


class DevicesDump(msgspec.Struct, frozen=True, rename="camel"):
    """Everything about devices; what is promised stands beside what was seen.

    Attributes:
        promises: claims with what is promised to them, once per pod that counts on it.
    """

    claims: tuple[ResourceClaim, ...] = ()
    classes: tuple[DeviceClass, ...] = ()
    slices: tuple[ResourceSlice, ...] = ()
    noted_claims: tuple[ResourceClaim, ...] = ()
    promises: tuple[ResourceClaim, ...] = ()
    taint_rules: tuple[DeviceTaintRule, ...] = ()


class SnapshotDump(msgspec.Struct, frozen=True, rename="camel"):
    """The whole of a snapshot, in the order of arrival."""

    nodes: tuple[NodeInfo, ...]
    pods: tuple[DumpedPod, ...]
    pod_groups: tuple[PodGroupInfo, ...]
    scan_start: int
    namespaces: tuple[NamespaceInfo, ...] = ()
    services: tuple[ServiceInfo, ...] = ()
    controllers: tuple[ControllerInfo, ...] = ()
    nominations: tuple[DumpedPod, ...] = ()
    budgets: tuple[DisruptionBudget, ...] = ()
    storage: StorageDump = StorageDump()
    devices: DevicesDump = DevicesDump()


def dump_snapshot(snapshot: Snapshot) -> JsonObject:
    """Return the snapshot as JSON."""
    nodes = snapshot.nodes
    rows = [nodes.row(name) for name in nodes.arrivals()]
    dump = SnapshotDump(
        nodes=tuple(nodes.infos[row] for row in rows if row is not None),
        pods=tuple(DumpedPod(entry.pod, entry.node) for entry in snapshot.placed_pods()),
        pod_groups=tuple(sorted(snapshot.pod_groups(), key=lambda group: group.key)),
        scan_start=snapshot.scan_start,
        namespaces=tuple(snapshot.directory.namespaces.values()),
        services=tuple(snapshot.directory.services()),
        controllers=tuple(snapshot.directory.controllers.values()),
        nominations=tuple(
            DumpedPod(pod, node)
            for node in snapshot.nominations.nodes()
            for pod in snapshot.nominations.on(node)
        ),
        budgets=tuple(snapshot.disruption_budgets()),
        storage=_dump_storage(snapshot.storage),
        devices=_dump_devices(snapshot.devices),
    )
    plain: JsonObject = msgspec.to_builtins(dump)
    return plain


def load_snapshot(dump: JsonObject) -> Snapshot:
    """Return the snapshot that a dump describes.

    Raises:
        msgspec.ValidationError: it is no dump.
    """
    content = msgspec.convert(dump, SnapshotDump)
    snapshot = Snapshot()
    for node in content.nodes:
        snapshot.set_node(node)
    for entry in content.pods:
        snapshot.add_pod(entry.pod, entry.node)
    for group in content.pod_groups:
        snapshot.set_pod_group(group)
    for namespace in content.namespaces:
        snapshot.directory.set_namespace(namespace)
    for service in content.services:
        snapshot.directory.set_service(service)
    for controller in content.controllers:
        snapshot.directory.set_controller(controller)
    for promise in content.nominations:
        snapshot.nominations.set(promise.pod, promise.node)
    for budget in content.budgets:
        snapshot.set_budget(budget)
    _load_storage(snapshot.storage, content.storage)
    _load_devices(snapshot.devices, content.devices)
    snapshot.scan_start = content.scan_start
    return snapshot


def _dump_storage(storage: KnownStorage) -> StorageDump:
    seen, assumed = storage.objects(), storage.assumed()
    return StorageDump(
        claims=tuple(o for o in seen if isinstance(o, ClaimInfo)),
        volumes=tuple(o for o in seen if isinstance(o, VolumeInfo)),
        classes=tuple(o for o in seen if isinstance(o, StorageClassInfo)),
        csi_nodes=tuple(o for o in seen if isinstance(o, CSINodeInfo)),
        csi_drivers=tuple(o for o in seen if isinstance(o, CSIDriverInfo)),
        capacities=tuple(o for o in seen if isinstance(o, CapacityInfo)),
        attachments=tuple(o for o in seen if isinstance(o, AttachmentInfo)),
        assumed_claims=tuple(o for o in assumed if isinstance(o, ClaimInfo)),
        assumed_volumes=tuple(o for o in assumed if isinstance(o, VolumeInfo)),
    )


def _load_storage(storage: KnownStorage, dump: StorageDump) -> None:
    seen: tuple[StorageObject, ...] = (
        *dump.claims,
        *dump.volumes,
        *dump.classes,
        *dump.csi_nodes,
        *dump.csi_drivers,
        *dump.capacities,
        *dump.attachments,
    )
    for obj in seen:
        storage.set(obj)
    for claim in dump.assumed_claims:
        storage.assume_claim(claim)
    for volume in dump.assumed_volumes:
        storage.assume_volume(volume)


def _dump_devices(devices: KnownDevices) -> DevicesDump:
    seen = devices.objects()
    return DevicesDump(
        claims=tuple(o for o in seen if isinstance(o, ResourceClaim)),
        classes=tuple(o for o in seen if isinstance(o, DeviceClass)),
        slices=tuple(o for o in seen if isinstance(o, ResourceSlice)),
        noted_claims=tuple(devices.noted()),
        promises=tuple(devices.promises()),
        taint_rules=tuple(o for o in seen if isinstance(o, DeviceTaintRule)),
    )


def _load_devices(devices: KnownDevices, dump: DevicesDump) -> None:
    seen: tuple[DeviceObject, ...] = (
        *dump.claims,
        *dump.classes,
        *dump.slices,
        *dump.taint_rules,
    )
    for obj in seen:
        devices.set(obj)
    for claim in dump.noted_claims:
        devices.note(claim)
    for claim in dump.promises:
        devices.promise(claim)
