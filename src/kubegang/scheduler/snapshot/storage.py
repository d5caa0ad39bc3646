"""Claims, volumes and drivers as the cache last saw them, and what is assumed of some. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.storage import (
    AttachmentInfo,
    CapacityInfo,
    ClaimInfo,
    ClaimKey,
    CSIDriverInfo,
    CSINodeInfo,
    StorageClassInfo,
    StorageObject,
    VolumeInfo,
)
from kubegang.scheduler.snapshot.volumeusers import VolumeUsers

_NONE: Final[Mapping[str, AttachmentInfo]] = {}


class KnownStorage:
    """Fulfils ``Storage``.

    What the API shows is changed between cycles only. What is assumed, a cycle may change too;
    it holds until the API shows the object anew.

    Attributes:
        version: changes with everything that is known or assumed.
        users: the pods that have volumes.
    """

    def __init__(self) -> None:
        self.version = 0
        self.users = VolumeUsers()
        self._claims: dict[ClaimKey, ClaimInfo] = {}
        self._volumes: dict[str, VolumeInfo] = {}
        self._volumes_by_class: dict[str, dict[str, VolumeInfo]] = {}
        self._assumed_claims: dict[ClaimKey, ClaimInfo] = {}
        self._assumed_volumes: dict[str, VolumeInfo] = {}
        self._classes: dict[str, StorageClassInfo] = {}
        self._csi_nodes: dict[NodeName, CSINodeInfo] = {}
        self._csi_drivers: dict[str, CSIDriverInfo] = {}
        self._capacities: dict[tuple[str, str], CapacityInfo] = {}
        self._attachments: dict[NodeName, dict[str, AttachmentInfo]] = {}

    # --- reading -------------------------------------------------------------------------

    def claim(self, namespace: str, name: str) -> ClaimInfo | None:
        """Return a claim, as it is assumed to be soon, or ``None``."""
        key = ClaimKey(namespace, name)
        return self._assumed_claims.get(key) or self._claims.get(key)

    def volume(self, name: str) -> VolumeInfo | None:
        """Return a volume, as it is assumed to be soon, or ``None``."""
        return self._assumed_volumes.get(name) or self._volumes.get(name)

    def volumes_of_class(self, name: str) -> Sequence[VolumeInfo]:
        """Return the volumes of a class, as they are assumed to be soon, by name."""
        volumes = self._volumes_by_class.get(name, {})
        assumed = self._assumed_volumes
        return [assumed.get(key) or volume for key, volume in sorted(volumes.items())]

    def seen_claim(self, namespace: str, name: str) -> ClaimInfo | None:
        """Return a claim as the API last showed it, or ``None``."""
        return self._claims.get(ClaimKey(namespace, name))

    def seen_volume(self, name: str) -> VolumeInfo | None:
        """Return a volume as the API last showed it, or ``None``."""
        return self._volumes.get(name)

    def storage_class(self, name: str) -> StorageClassInfo | None:
        """Return a storage class, or ``None``."""
        return self._classes.get(name)

    def csi_node(self, name: NodeName) -> CSINodeInfo | None:
        """Return the drivers of a node, or ``None`` if nothing is known of them."""
        return self._csi_nodes.get(name)

    def csi_nodes(self) -> Collection[CSINodeInfo]:
        """Return the drivers of all nodes."""
        return self._csi_nodes.values()

    def csi_driver(self, name: str) -> CSIDriverInfo | None:
        """Return a driver, or ``None``."""
        return self._csi_drivers.get(name)

    def capacities(self, storage_class: str) -> Sequence[CapacityInfo]:
        """Return what room is known to be left for volumes of a class, by name."""
        return [
            capacity
            for _, capacity in sorted(self._capacities.items())
            if capacity.storage_class == storage_class
        ]

    def attachments(self, node: NodeName) -> Collection[AttachmentInfo]:
        """Return the volumes that are attached to a node, or will be."""
        return self._attachments.get(node, _NONE).values()

    def claim_users(self, key: ClaimKey) -> Sequence[PodInfo]:
        """Return the pods with a node that name a claim, ephemeral ones left out."""
        return self.users.of_claim(key)

    def volume_users(self, node: NodeName) -> Sequence[PodInfo]:
        """Return the pods of a node that have any volume that matters."""
        return self.users.on(node)

    def nodes_with_volume_users(self) -> Collection[NodeName]:
        """Return the nodes that have such pods."""
        return self.users.nodes()

    def objects(self) -> list[StorageObject]:
        """Return everything that the API showed."""
        return [
            *self._claims.values(),
            *self._volumes.values(),
            *self._classes.values(),
            *self._csi_nodes.values(),
            *self._csi_drivers.values(),
            *self._capacities.values(),
            *(a for attached in self._attachments.values() for a in attached.values()),
        ]

    def assumed(self) -> list[ClaimInfo | VolumeInfo]:
        """Return everything that is assumed."""
        return [*self._assumed_claims.values(), *self._assumed_volumes.values()]

    # --- assuming ------------------------------------------------------------------------

    def assume_volume(self, volume: VolumeInfo) -> VolumeInfo | None:
        """Let a volume be as given until the API shows it anew; return what was assumed."""
        self.version += 1
        before = self._assumed_volumes.get(volume.name)
        self._assumed_volumes[volume.name] = volume
        return before

    def assume_claim(self, claim: ClaimInfo) -> ClaimInfo | None:
        """Let a claim be as given until the API shows it anew; return what was assumed."""
        self.version += 1
        before = self._assumed_claims.get(claim.key)
        self._assumed_claims[claim.key] = claim
        return before

    def restore_volume(self, assumed: VolumeInfo, before: VolumeInfo | None) -> None:
        """Take back ``assume_volume``; nothing happens if something else holds by now."""
        name = assumed.name
        if self._assumed_volumes.get(name) is not assumed:
            return
        self.version += 1
        if before is None:
            del self._assumed_volumes[name]
        else:
            self._assumed_volumes[name] = before

    def restore_claim(self, assumed: ClaimInfo, before: ClaimInfo | None) -> None:
        """Take back ``assume_claim``; nothing happens if something else holds by now."""
        key = assumed.key
        if self._assumed_claims.get(key) is not assumed:
            return
        self.version += 1
        if before is None:
            del self._assumed_claims[key]
        else:
            self._assumed_claims[key] = before

    # --- changing ------------------------------------------------------------------------

    def set(self, obj: StorageObject) -> None:
        """Add or replace an object, as the API shows it."""
        self.version += 1
        match obj:
            case ClaimInfo():
                self._set_claim(obj)
            case VolumeInfo():
                self._set_volume(obj)
            case StorageClassInfo():
                self._classes[obj.name] = obj
            case CSINodeInfo():
                self._csi_nodes[obj.name] = obj
            case CSIDriverInfo():
                self._csi_drivers[obj.name] = obj
            case CapacityInfo():
                self._capacities[obj.namespace, obj.name] = obj
            case AttachmentInfo():
                self._attachments.setdefault(obj.node, {})[obj.name] = obj

    def remove(self, obj: StorageObject) -> None:
        """Remove an object."""
        self.version += 1
        match obj:
            case ClaimInfo():
                self._claims.pop(obj.key, None)
                self._assumed_claims.pop(obj.key, None)
            case VolumeInfo():
                self._drop_volume(obj.name)
            case StorageClassInfo():
                self._classes.pop(obj.name, None)
            case CSINodeInfo():
                self._csi_nodes.pop(obj.name, None)
            case CSIDriverInfo():
                self._csi_drivers.pop(obj.name, None)
            case CapacityInfo():
                self._capacities.pop((obj.namespace, obj.name), None)
            case AttachmentInfo():
                self._drop_attachment(obj)

    def _set_claim(self, claim: ClaimInfo) -> None:
        assumed = self._assumed_claims.get(claim.key)
        if assumed is not None and assumed.resource_version != claim.resource_version:
            del self._assumed_claims[claim.key]
        self._claims[claim.key] = claim

    def _set_volume(self, volume: VolumeInfo) -> None:
        assumed = self._assumed_volumes.get(volume.name)
        self._drop_volume(volume.name)
        # An informer may show again what it showed before; that is no news.
        if assumed is not None and assumed.resource_version == volume.resource_version:
            self._assumed_volumes[volume.name] = assumed
        self._volumes[volume.name] = volume
        self._volumes_by_class.setdefault(volume.storage_class, {})[volume.name] = volume

    def _drop_volume(self, name: str) -> None:
        self._assumed_volumes.pop(name, None)
        old = self._volumes.pop(name, None)
        if old is not None:
            of_class = self._volumes_by_class[old.storage_class]
            del of_class[name]
            if not of_class:
                del self._volumes_by_class[old.storage_class]

    def _drop_attachment(self, attachment: AttachmentInfo) -> None:
        attached = self._attachments.get(attachment.node, {})
        attached.pop(attachment.name, None)
        if not attached:
            self._attachments.pop(attachment.node, None)
