"""API objects of storage as the scheduler sees them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kubegang.api.core.affinity import NodeSelector
from kubegang.api.core.types import Amount
from kubegang.api.core.volumeannotations import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    MIGRATED_PLUGINS,
    SELECTED_NODE,
    STORAGE_CLASS,
)
from kubegang.api.core.volumes import PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec
from kubegang.api.core.volumesources import CloudDisk
from kubegang.api.meta import ObjectMeta
from kubegang.api.storage.types import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    StorageClass,
    VolumeAttachment,
)
from kubegang.scheduler.framework.nodeterms import node_selector_terms
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.framework.podterms import label_terms
from kubegang.scheduler.framework.requests import amount_milli
from kubegang.scheduler.framework.storage import (
    AttachmentInfo,
    CapacityInfo,
    ClaimInfo,
    CSIDriverInfo,
    CSINodeInfo,
    InTreePlugin,
    StorageClassInfo,
    VolumeClaimRef,
    VolumeInfo,
    VolumeSource,
)
from kubegang.scheduler.framework.terms import NodeSelectorTerm

_DISKS: Final[Mapping[InTreePlugin, Callable[[PersistentVolumeSpec], CloudDisk | None]]] = {
    "kubernetes.io/aws-ebs": lambda spec: spec.aws_elastic_block_store,
    "kubernetes.io/azure-disk": lambda spec: spec.azure_disk,
    "kubernetes.io/cinder": lambda spec: spec.cinder,
    "kubernetes.io/gce-pd": lambda spec: spec.gce_persistent_disk,
    "kubernetes.io/portworx-volume": lambda spec: spec.portworx_volume,
}


def claim_info(claim: PersistentVolumeClaim) -> ClaimInfo:
    """Return the scheduler's view of a claim."""
    meta, spec = claim.metadata, claim.spec
    selected = meta.annotations.get(SELECTED_NODE)
    controller = meta.controller
    return ClaimInfo(
        namespace=meta.namespace,
        name=meta.name,
        uid=meta.uid,
        resource_version=meta.resource_version,
        storage_class=_class_of(meta, spec.storage_class_name),
        access_modes=spec.access_modes,
        volume_mode=spec.volume_mode or "Filesystem",
        requested=_storage(spec.resources.requests),
        selector=label_terms(spec.selector),
        attributes_class=spec.volume_attributes_class_name or "",
        volume_name=spec.volume_name,
        bound=bool(spec.volume_name) and BIND_COMPLETED in meta.annotations,
        lost=claim.status.phase == "Lost",
        terminating=meta.deletion_timestamp is not None,
        selected_node=None if selected is None else NodeName(selected),
        controller_uid="" if controller is None else controller.uid,
    )


def volume_info(volume: PersistentVolume) -> VolumeInfo:
    """Return the scheduler's view of a volume."""
    meta, spec, ref = volume.metadata, volume.spec, volume.spec.claim_ref
    required = spec.node_affinity.required if spec.node_affinity is not None else None
    return VolumeInfo(
        name=meta.name,
        resource_version=meta.resource_version,
        labels=meta.labels,
        storage_class=_class_of(meta, spec.storage_class_name),
        capacity=_storage(spec.capacity) or 0,
        access_modes=spec.access_modes,
        volume_mode=spec.volume_mode or "Filesystem",
        attributes_class=spec.volume_attributes_class_name or "",
        available=volume.status.phase == "Available",
        claim=None if ref is None else VolumeClaimRef(ref.namespace, ref.name, ref.uid),
        terminating=meta.deletion_timestamp is not None,
        node_terms=None if required is None else _node_terms(required),
        source=_source(spec),
        bound_by_controller=BOUND_BY_CONTROLLER in meta.annotations,
    )


def storage_class_info(storage_class: StorageClass) -> StorageClassInfo:
    """Return the scheduler's view of a storage class."""
    return StorageClassInfo(
        name=storage_class.metadata.name,
        provisioner=storage_class.provisioner,
        waits_for_pod=storage_class.volume_binding_mode == "WaitForFirstConsumer",
        allowed_topologies=tuple(
            tuple((label.key, label.values) for label in term.match_label_expressions)
            for term in storage_class.allowed_topologies
        ),
    )


def csi_node_info(node: CSINode) -> CSINodeInfo:
    """Return the scheduler's view of the drivers of a node."""
    migrated = node.metadata.annotations.get(MIGRATED_PLUGINS, "")
    return CSINodeInfo(
        name=NodeName(node.metadata.name),
        drivers=tuple(
            (driver.name, driver.allocatable.count if driver.allocatable else None)
            for driver in node.spec.drivers
        ),
        migrated=frozenset(migrated.split(",")) if migrated else frozenset(),
    )


def csi_driver_info(driver: CSIDriver) -> CSIDriverInfo:
    """Return the scheduler's view of a driver."""
    return CSIDriverInfo(
        name=driver.metadata.name,
        storage_capacity=bool(driver.spec.storage_capacity),
        needed_on_node=bool(driver.spec.prevent_pod_scheduling_if_missing),
    )


def capacity_info(capacity: CSIStorageCapacity) -> CapacityInfo:
    """Return the scheduler's view of the room that a driver reports."""
    return CapacityInfo(
        namespace=capacity.metadata.namespace,
        name=capacity.metadata.name,
        storage_class=capacity.storage_class_name,
        nodes=label_terms(capacity.node_topology),
        capacity=_optional(capacity.capacity),
        largest=_optional(capacity.maximum_volume_size),
    )


def attachment_info(attachment: VolumeAttachment) -> AttachmentInfo:
    """Return the scheduler's view of an attachment."""
    spec = attachment.spec
    return AttachmentInfo(
        name=attachment.metadata.name,
        attacher=spec.attacher,
        node=NodeName(spec.node_name),
        volume_name=spec.source.persistent_volume_name or "",
    )


def _node_terms(selector: NodeSelector) -> tuple[NodeSelectorTerm, ...] | None:
    """Return a volume's demand on the labels of nodes; ``None`` if all meet it.

    Upstream asks with labels only: so a node's name is never the one that is wanted, and
    always another than one that is not.
    """
    terms: list[NodeSelectorTerm] = []
    for term in node_selector_terms(selector.node_selector_terms or ()):
        if any(field.operator != "NotIn" for field in term.fields):
            continue
        if not term.expressions:
            return None
        terms.append(NodeSelectorTerm(term.expressions, ()))
    return tuple(terms)


def _class_of(meta: ObjectMeta, name: str | None) -> str:
    return meta.annotations.get(STORAGE_CLASS, name or "")


def _storage(amounts: Mapping[str, Amount]) -> int | None:
    return _optional(amounts.get("storage"))


def _optional(amount: Amount | None) -> int | None:
    return None if amount is None else amount_milli(amount)


def _source(spec: PersistentVolumeSpec) -> VolumeSource | None:
    if spec.csi is not None:
        return VolumeSource(spec.csi.driver, spec.csi.volume_handle)
    for plugin, disk_of in _DISKS.items():
        disk = disk_of(spec)
        if disk is not None:
            return VolumeSource(plugin, disk.name)
    return None
