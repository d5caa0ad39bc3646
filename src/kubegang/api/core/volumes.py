"""PersistentVolume and PersistentVolumeClaim, as the code reads them."""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.core.affinity import NodeSelector
from kubegang.api.core.types import Amount, ResourceRequirements
from kubegang.api.core.volumesources import (
    AzureDisk,
    CSIPersistentVolumeSource,
    GCEPersistentDisk,
    VolumeIDDisk,
)
from kubegang.api.meta import Form, LabelSelector, ObjectMeta


class PersistentVolumeClaimSpec(Form, frozen=True):
    """``spec`` of a claim; no class name is not the same as an empty one."""

    access_modes: tuple[str, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    selector: LabelSelector | None = None
    storage_class_name: str | None = None
    volume_mode: str | None = None
    volume_name: str = ""
    volume_attributes_class_name: str | None = None


class PersistentVolumeClaimStatus(Form, frozen=True):
    """``status`` of a claim."""

    phase: str = ""
    access_modes: tuple[str, ...] = ()
    capacity: Mapping[str, Amount] = {}


class PersistentVolumeClaim(Form, frozen=True):
    """What a pod asks of storage."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()


class ObjectReference(Form, frozen=True):
    """Names another object."""

    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    api_version: str = ""
    resource_version: str = ""


class VolumeNodeAffinity(Form, frozen=True):
    """From which nodes a volume can be reached."""

    required: NodeSelector | None = None


class PersistentVolumeSpec(Form, frozen=True):
    """``spec`` of a volume."""

    capacity: Mapping[str, Amount] = {}
    access_modes: tuple[str, ...] = ()
    claim_ref: ObjectReference | None = None
    persistent_volume_reclaim_policy: str = ""
    storage_class_name: str = ""
    volume_mode: str | None = None
    node_affinity: VolumeNodeAffinity | None = None
    volume_attributes_class_name: str | None = None
    csi: CSIPersistentVolumeSource | None = None
    aws_elastic_block_store: VolumeIDDisk | None = None
    gce_persistent_disk: GCEPersistentDisk | None = None
    azure_disk: AzureDisk | None = None
    cinder: VolumeIDDisk | None = None
    portworx_volume: VolumeIDDisk | None = None


class PersistentVolumeStatus(Form, frozen=True):
    """``status`` of a volume."""

    phase: str = ""
    message: str = ""
    reason: str = ""


class PersistentVolume(Form, frozen=True):
    """A piece of storage."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeSpec = PersistentVolumeSpec()
    status: PersistentVolumeStatus = PersistentVolumeStatus()
