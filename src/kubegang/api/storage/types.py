"""The kinds of storage.k8s.io, as the scheduler reads them."""

from __future__ import annotations

import msgspec

from kubegang.api.core.types import Amount
from kubegang.api.meta import Form, LabelSelector, ObjectMeta


class TopologySelectorLabelRequirement(Form, frozen=True):
    """A node label and the values that will do."""

    key: str = ""
    values: tuple[str, ...] = ()


class TopologySelectorTerm(Form, frozen=True):
    """Labels that a node must have, all of them."""

    match_label_expressions: tuple[TopologySelectorLabelRequirement, ...] = ()


class StorageClass(Form, frozen=True):
    """How volumes are made; its fields stand at the top."""

    metadata: ObjectMeta = ObjectMeta()
    provisioner: str = ""
    reclaim_policy: str | None = None
    volume_binding_mode: str | None = None
    allowed_topologies: tuple[TopologySelectorTerm, ...] = ()


class VolumeNodeResources(Form, frozen=True):
    """How many volumes of a driver a node can have; no count is no limit."""

    count: int | None = None


class CSINodeDriver(Form, frozen=True):
    """A driver that is installed on a node."""

    name: str = ""
    node_id: str = msgspec.field(name="nodeID", default="")
    allocatable: VolumeNodeResources | None = None


class CSINodeSpec(Form, frozen=True):
    """``spec`` of a CSINode."""

    drivers: tuple[CSINodeDriver, ...] = ()


class CSINode(Form, frozen=True):
    """The drivers on the node of the same name."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CSINodeSpec = CSINodeSpec()


class CSIDriverSpec(Form, frozen=True):
    """``spec`` of a CSIDriver."""

    storage_capacity: bool | None = None
    prevent_pod_scheduling_if_missing: bool | None = None


class CSIDriver(Form, frozen=True):
    """A driver and what it wants of the cluster."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CSIDriverSpec = CSIDriverSpec()


class CSIStorageCapacity(Form, frozen=True):
    """Room left for volumes of a class on some nodes; its fields stand at the top."""

    metadata: ObjectMeta = ObjectMeta()
    storage_class_name: str = ""
    node_topology: LabelSelector | None = None
    capacity: Amount | None = None
    maximum_volume_size: Amount | None = None


class VolumeAttachmentSource(Form, frozen=True):
    """What is attached."""

    persistent_volume_name: str | None = None


class VolumeAttachmentSpec(Form, frozen=True):
    """``spec`` of a VolumeAttachment."""

    attacher: str = ""
    node_name: str = ""
    source: VolumeAttachmentSource = VolumeAttachmentSource()


class VolumeAttachment(Form, frozen=True):
    """A volume on its way to a node, or there."""

    metadata: ObjectMeta = ObjectMeta()
    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()
