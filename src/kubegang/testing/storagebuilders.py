"""Builders of claims, volumes, classes and what CSI drivers say about nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from kubegang.api.core.affinity import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kubegang.api.core.types import ResourceRequirements
from kubegang.api.core.volumeannotations import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    MIGRATED_PLUGINS,
    SELECTED_NODE,
)
from kubegang.api.core.volumes import (
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus,
    PersistentVolumeSpec,
    PersistentVolumeStatus,
    VolumeNodeAffinity,
)
from kubegang.api.core.volumesources import CSIPersistentVolumeSource
from kubegang.api.meta import LabelSelector, OwnerReference
from kubegang.api.storage.types import (
    CSIDriver,
    CSIDriverSpec,
    CSINode,
    CSINodeDriver,
    CSINodeSpec,
    CSIStorageCapacity,
    StorageClass,
    TopologySelectorLabelRequirement,
    TopologySelectorTerm,
    VolumeAttachment,
    VolumeAttachmentSource,
    VolumeAttachmentSpec,
    VolumeNodeResources,
)
from kubegang.scheduler.framework.storage import ClaimInfo, StorageObject, VolumeInfo
from kubegang.scheduler.framework.storageconversion import (
    attachment_info,
    capacity_info,
    claim_info,
    csi_driver_info,
    csi_node_info,
    storage_class_info,
    volume_info,
)
from kubegang.testing.building import Builder, metadata_of, replaced

HOSTNAME = "kubernetes.io/hostname"


@dataclasses.dataclass(frozen=True)
class ClaimBuilder(Builder):
    """Builds PersistentVolumeClaims."""

    spec: PersistentVolumeClaimSpec
    status: PersistentVolumeClaimStatus

    def of_class(self, name: str) -> ClaimBuilder:
        """Ask for a storage class."""
        return self._with_spec(storage_class_name=name)

    def size(self, amount: str) -> ClaimBuilder:
        """Ask for so much storage."""
        return self._with_spec(resources=ResourceRequirements({"storage": amount}))

    def modes(self, *modes: str) -> ClaimBuilder:
        """Set the access modes."""
        return self._with_spec(access_modes=modes)

    def block(self) -> ClaimBuilder:
        """Ask for a raw block device."""
        return self._with_spec(volume_mode="Block")

    def selecting(self, **labels: str) -> ClaimBuilder:
        """Ask for a volume with these labels."""
        return self._with_spec(selector=LabelSelector(labels))

    def bound_to(self, volume: str) -> ClaimBuilder:
        """Give it its volume, as the controller does when it is done."""
        annotated = self.annotated(BIND_COMPLETED, "yes")
        status = replaced(self.status, phase="Bound")
        return dataclasses.replace(annotated, status=status).wanting(volume)

    def wanting(self, volume: str) -> ClaimBuilder:
        """Name a volume, without being bound to it."""
        return self._with_spec(volume_name=volume)

    def lost(self) -> ClaimBuilder:
        """Say that its volume is gone."""
        return dataclasses.replace(self, status=replaced(self.status, phase="Lost"))

    def selected(self, node: str) -> ClaimBuilder:
        """Have its volume made for a node."""
        return self.annotated(SELECTED_NODE, node)

    def made_for(self, pod: str) -> ClaimBuilder:
        """Make it the claim of a pod's ephemeral volume."""
        owner = OwnerReference("v1", "Pod", pod, f"uid-{pod}", controller=True)
        return self._with_meta(owner_references=(owner,))

    def version(self, version: str) -> ClaimBuilder:
        """Set the resource version."""
        return self._with_meta(resource_version=version)

    def annotated(self, key: str, value: str) -> ClaimBuilder:
        """Add an annotation."""
        return self._with_meta(annotations={**self.metadata.annotations, key: value})

    def info(self) -> ClaimInfo:
        """Return the scheduler's view."""
        return claim_info(PersistentVolumeClaim(self.metadata, self.spec, self.status))

    def _with_spec(self, **changes: object) -> ClaimBuilder:
        return dataclasses.replace(self, spec=replaced(self.spec, **changes))


@dataclasses.dataclass(frozen=True)
class VolumeBuilder(Builder):
    """Builds PersistentVolumes."""

    spec: PersistentVolumeSpec
    status: PersistentVolumeStatus

    def of_class(self, name: str) -> VolumeBuilder:
        """Put it into a storage class."""
        return self._with_spec(storage_class_name=name)

    def size(self, amount: str) -> VolumeBuilder:
        """Set how much it holds."""
        return self._with_spec(capacity={"storage": amount})

    def modes(self, *modes: str) -> VolumeBuilder:
        """Set the access modes."""
        return self._with_spec(access_modes=modes)

    def block(self) -> VolumeBuilder:
        """Make it a raw block device."""
        return self._with_spec(volume_mode="Block")

    def local(self, *nodes: str) -> VolumeBuilder:
        """Let it be reached from these nodes only."""
        return self.on_nodes(HOSTNAME, *nodes)

    def on_nodes(self, key: str, *values: str) -> VolumeBuilder:
        """Let it be reached from nodes with one of these labels only."""
        return self._with_affinity(NodeSelectorRequirement(key, "In", values))

    def csi(self, driver: str, handle: str = "") -> VolumeBuilder:
        """Put it behind a CSI driver."""
        return self._with_spec(csi=CSIPersistentVolumeSource(driver, handle or self.metadata.name))

    def claimed_by(self, claim: str, *, namespace: str = "default", uid: str = "") -> VolumeBuilder:
        """Promise it to a claim; without a uid to whoever has the name."""
        ref = ObjectReference(namespace=namespace, name=claim, uid=uid)
        return self._with_spec(claim_ref=ref)

    def bound_to(self, claim: str) -> VolumeBuilder:
        """Bind it to a claim, as the controller does."""
        annotated = self._with_meta(
            annotations={**self.metadata.annotations, BOUND_BY_CONTROLLER: "yes"}
        )
        return annotated.claimed_by(claim, uid=f"uid-{claim}").phase("Bound")

    def phase(self, phase: str) -> VolumeBuilder:
        """Set status.phase."""
        return dataclasses.replace(self, status=replaced(self.status, phase=phase))

    def version(self, version: str) -> VolumeBuilder:
        """Set the resource version."""
        return self._with_meta(resource_version=version)

    def info(self) -> VolumeInfo:
        """Return the scheduler's view."""
        return volume_info(PersistentVolume(self.metadata, self.spec, self.status))

    def with_spec(self, **changes: object) -> VolumeBuilder:
        """Set fields of the spec for which there is no word here."""
        return self._with_spec(**changes)

    def _with_affinity(self, *requirements: NodeSelectorRequirement) -> VolumeBuilder:
        terms = (NodeSelectorTerm(match_expressions=requirements),)
        return self._with_spec(node_affinity=VolumeNodeAffinity(NodeSelector(terms)))

    def _with_spec(self, **changes: object) -> VolumeBuilder:
        return dataclasses.replace(self, spec=replaced(self.spec, **changes))


@dataclasses.dataclass(frozen=True)
class Seen:
    """Something about storage that needs no building, as the scheduler sees it."""

    view: Callable[[], StorageObject]

    def info(self) -> StorageObject:
        """Return the scheduler's view."""
        return self.view()


StorageBuilder = ClaimBuilder | VolumeBuilder | Seen


def make_claim(name: str = "c") -> ClaimBuilder:
    """Return a builder of a claim for 1 GiB that one node may mount."""
    spec = PersistentVolumeClaimSpec(("ReadWriteOnce",), ResourceRequirements({"storage": "1Gi"}))
    metadata = replaced(metadata_of(name, namespace="default"), resource_version="1")
    return ClaimBuilder(metadata, spec, PersistentVolumeClaimStatus("Pending"))


def make_volume(name: str = "v") -> VolumeBuilder:
    """Return a builder of an available volume of 1 GiB that any node can reach."""
    spec = PersistentVolumeSpec({"storage": "1Gi"}, ("ReadWriteOnce",))
    metadata = replaced(metadata_of(name), resource_version="1")
    return VolumeBuilder(metadata, spec, PersistentVolumeStatus("Available"))


def make_class(
    name: str = "s",
    *,
    provisioner: str = "kubernetes.io/no-provisioner",
    waits: bool = True,
    topologies: tuple[Mapping[str, tuple[str, ...]], ...] = (),
) -> Seen:
    """Return a storage class; its volumes are bound when a pod needs them, unless told not to."""
    terms = tuple(
        TopologySelectorTerm(
            tuple(TopologySelectorLabelRequirement(key, values) for key, values in term.items())
        )
        for term in topologies
    )
    mode = "WaitForFirstConsumer" if waits else "Immediate"
    storage_class = StorageClass(metadata_of(name), provisioner, "Delete", mode, terms)
    return Seen(lambda: storage_class_info(storage_class))


def make_csi_node(node: str, /, *, migrated: str = "", **limits: int | None) -> Seen:
    """Return the drivers of a node with their limits; ``_`` in a name stands for a dot."""
    drivers = tuple(
        CSINodeDriver(name.replace("_", "."), node, VolumeNodeResources(count))
        for name, count in limits.items()
    )
    annotations = {MIGRATED_PLUGINS: migrated} if migrated else {}
    metadata = replaced(metadata_of(node), annotations=annotations)
    return Seen(lambda: csi_node_info(CSINode(metadata, CSINodeSpec(drivers))))


def make_csi_driver(name: str, *, capacity: bool = False, needed: bool = False) -> Seen:
    """Return a driver that may say how much room it has, or be needed on the node."""
    driver = CSIDriver(metadata_of(name), CSIDriverSpec(capacity, needed))
    return Seen(lambda: csi_driver_info(driver))


def make_capacity(
    name: str,
    *,
    storage_class: str,
    labels: Mapping[str, str],
    capacity: str,
    largest: str | None = None,
) -> Seen:
    """Return the room that is left for volumes of a class on nodes with these labels."""
    metadata = metadata_of(name, namespace="default")
    form = CSIStorageCapacity(metadata, storage_class, LabelSelector(labels), capacity, largest)
    return Seen(lambda: capacity_info(form))


def make_attachment(name: str, *, driver: str, node: str, volume: str) -> Seen:
    """Return the attachment of a volume to a node."""
    spec = VolumeAttachmentSpec(driver, node, VolumeAttachmentSource(volume))
    return Seen(lambda: attachment_info(VolumeAttachment(metadata_of(name), spec)))
