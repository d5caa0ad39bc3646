"""What may be asked about claims and volumes, and assumed of them: the snapshot answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.storage import (
    AttachmentInfo,
    CapacityInfo,
    ClaimInfo,
    ClaimKey,
    CSIDriverInfo,
    CSINodeInfo,
    StorageClassInfo,
    VolumeInfo,
)


class Storage(Protocol):
    """What is known of claims and volumes, with what is assumed for pods being decided about.

    ``version`` changes whenever any of it does.
    """

    @property
    def version(self) -> int:
        """Changes with everything that is known or assumed."""
        ...

    def claim(self, namespace: str, name: str) -> ClaimInfo | None:
        """Return a claim, as it is assumed to be soon, or ``None``."""
        ...

    def volume(self, name: str) -> VolumeInfo | None:
        """Return a volume, as it is assumed to be soon, or ``None``."""
        ...

    def volumes_of_class(self, name: str) -> Sequence[VolumeInfo]:
        """Return the volumes of a class, as they are assumed to be soon, by name."""
        ...

    def seen_claim(self, namespace: str, name: str) -> ClaimInfo | None:
        """Return a claim as the API last showed it, or ``None``."""
        ...

    def seen_volume(self, name: str) -> VolumeInfo | None:
        """Return a volume as the API last showed it, or ``None``."""
        ...

    def storage_class(self, name: str) -> StorageClassInfo | None:
        """Return a storage class, or ``None``."""
        ...

    def csi_node(self, name: NodeName) -> CSINodeInfo | None:
        """Return the drivers of a node, or ``None`` if nothing is known of them."""
        ...

    def csi_nodes(self) -> Collection[CSINodeInfo]:
        """Return the drivers of all nodes."""
        ...

    def csi_driver(self, name: str) -> CSIDriverInfo | None:
        """Return a driver, or ``None``."""
        ...

    def capacities(self, storage_class: str) -> Sequence[CapacityInfo]:
        """Return what room is known to be left for volumes of a class, by name."""
        ...

    def attachments(self, node: NodeName) -> Collection[AttachmentInfo]:
        """Return the volumes that are attached to a node, or will be."""
        ...

    def claim_users(self, key: ClaimKey) -> Sequence[PodInfo]:
        """Return the pods with a node that name a claim, ephemeral ones left out."""
        ...

    def volume_users(self, node: NodeName) -> Sequence[PodInfo]:
        """Return the pods of a node that have any volume that matters."""
        ...

    def nodes_with_volume_users(self) -> Collection[NodeName]:
        """Return the nodes that have such pods."""
        ...

    def assume_volume(self, volume: VolumeInfo) -> VolumeInfo | None:
        """Let a volume be as given until the API shows it anew.

        Returns:
            What was assumed of it before, if anything.
        """
        ...

    def assume_claim(self, claim: ClaimInfo) -> ClaimInfo | None:
        """Let a claim be as given until the API shows it anew.

        Returns:
            What was assumed of it before, if anything.
        """
        ...

    def restore_volume(self, assumed: VolumeInfo, before: VolumeInfo | None) -> None:
        """Take back ``assume_volume``; nothing happens if something else holds by now."""
        ...

    def restore_claim(self, assumed: ClaimInfo, before: ClaimInfo | None) -> None:
        """Take back ``assume_claim``; nothing happens if something else holds by now."""
        ...
