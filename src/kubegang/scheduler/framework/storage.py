"""Claims, volumes and what is known of their drivers, as the scheduler sees them.

Amounts are in thousandths of a byte, as elsewhere in the scheduler, so that they compare
exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.terms import LabelTerms, NodeSelectorTerm

InTreePlugin = Literal[
    "kubernetes.io/aws-ebs",
    "kubernetes.io/azure-disk",
    "kubernetes.io/cinder",
    "kubernetes.io/gce-pd",
    "kubernetes.io/portworx-volume",
]


def whole_bytes(amount: int) -> int:
    """Return an amount in bytes, rounded up: so upstream compares room."""
    return -(-amount // 1000)


class ClaimKey(NamedTuple):
    """Namespace and name of a PersistentVolumeClaim."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class ClaimInfo(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A PersistentVolumeClaim.

    Attributes:
        storage_class: the old annotation counts first; empty if there is none.
        requested: how much storage; ``None`` if it does not say.
        volume_name: the volume to which it is bound, or is to be.
        bound: it has a volume, and the binding is complete.
        lost: its volume is gone.
        selected_node: where its volume is to be made; ``None`` if nobody said.
        controller_uid: of the pod for which it was made, if it was.
    """

    namespace: str
    name: str
    uid: str
    resource_version: str
    storage_class: str = ""
    access_modes: tuple[str, ...] = ()
    volume_mode: str = "Filesystem"
    requested: int | None = None
    selector: LabelTerms = None
    attributes_class: str = ""
    volume_name: str = ""
    bound: bool = False
    lost: bool = False
    terminating: bool = False
    selected_node: NodeName | None = None
    controller_uid: str = ""

    @property
    def key(self) -> ClaimKey:
        """Namespace and name."""
        return ClaimKey(self.namespace, self.name)

    def is_named_by(self, pod: PodInfo, *, ephemeral: bool = True) -> bool:
        """Return whether it is a volume of a pod.

        Args:
            pod: names its claims.
            ephemeral: whether claims made for ephemeral volumes count.
        """
        return self.namespace == pod.namespace and any(
            volume.claim == self.name and (ephemeral or not volume.ephemeral)
            for volume in pod.volumes
        )

    def is_for(self, pod: PodInfo) -> bool:
        """Return whether it was made for a pod's ephemeral volume."""
        return self.namespace == pod.namespace and self.controller_uid == pod.uid


class VolumeClaimRef(NamedTuple):
    """The claim that a volume names; without a uid it is promised to whoever has the name."""

    namespace: str
    name: str
    uid: str

    def means(self, claim: ClaimInfo) -> bool:
        """Return whether this claim is meant."""
        if (self.namespace, self.name) != (claim.namespace, claim.name):
            return False
        return not self.uid or self.uid == claim.uid


class VolumeSource(NamedTuple):
    """What lies behind a volume.

    Attributes:
        driver: a CSI driver, or the name of a plugin of old whose work a driver does now.
        handle: how the driver names the volume.
    """

    driver: str
    handle: str


class VolumeInfo(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A PersistentVolume.

    Attributes:
        node_terms: one of these must match the node; ``None`` is no requirement.
        source: what lies behind it, if that counts against limits.
        bound_by_controller: the binding is a controller's or a scheduler's, not a user's.
    """

    name: str
    resource_version: str
    labels: Mapping[str, str] = {}
    storage_class: str = ""
    capacity: int = 0
    access_modes: tuple[str, ...] = ()
    volume_mode: str = "Filesystem"
    attributes_class: str = ""
    available: bool = False
    claim: VolumeClaimRef | None = None
    terminating: bool = False
    node_terms: tuple[NodeSelectorTerm, ...] | None = None
    source: VolumeSource | None = None
    bound_by_controller: bool = False

    def is_bound_to(self, claim: ClaimInfo) -> bool:
        """Return whether it is bound, or promised, to a claim."""
        return self.claim is not None and self.claim.means(claim)


class StorageClassInfo(msgspec.Struct, frozen=True, gc=False):
    """A StorageClass.

    Attributes:
        waits_for_pod: volumes are bound when a pod needs them (WaitForFirstConsumer).
        allowed_topologies: where volumes can be made: one of these must hold, each being
            labels with the values that will do; none is everywhere.
    """

    name: str
    provisioner: str
    waits_for_pod: bool = False
    allowed_topologies: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...] = ()


class CSINodeInfo(msgspec.Struct, frozen=True, gc=False):
    """The CSI drivers of a node.

    Attributes:
        drivers: their names, each with how many volumes it can attach; ``None`` is no limit.
        migrated: plugins of old whose work drivers do on this node.
    """

    name: NodeName
    drivers: tuple[tuple[str, int | None], ...] = ()
    migrated: frozenset[str] = frozenset()


class CSIDriverInfo(msgspec.Struct, frozen=True, gc=False):
    """A CSIDriver.

    Attributes:
        storage_capacity: it says how much room it has, and wants that looked at.
        needed_on_node: pods with its volumes may only go where it is installed.
    """

    name: str
    storage_capacity: bool = False
    needed_on_node: bool = False


class CapacityInfo(msgspec.Struct, frozen=True, gc=False):
    """A CSIStorageCapacity.

    Attributes:
        nodes: from which nodes the room can be used.
        capacity: how much room there is; ``None`` if that is not known.
        largest: the largest volume that can be made, if that is known.
    """

    namespace: str
    name: str
    storage_class: str
    nodes: LabelTerms = None
    capacity: int | None = None
    largest: int | None = None

    @property
    def limit(self) -> int | None:
        """The largest volume that may find room."""
        return self.capacity if self.largest is None else self.largest


class AttachmentInfo(msgspec.Struct, frozen=True, gc=False):
    """A VolumeAttachment; without a volume name it is of a volume that a pod names itself."""

    name: str
    attacher: str
    node: NodeName
    volume_name: str = ""


StorageObject = (
    ClaimInfo
    | VolumeInfo
    | StorageClassInfo
    | CSINodeInfo
    | CSIDriverInfo
    | CapacityInfo
    | AttachmentInfo
)
