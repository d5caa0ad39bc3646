"""What may cure a refusal of VolumeBinding. Pure."""

from __future__ import annotations

from kubegang.scheduler.framework.events import ClusterObject
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.storage import (
    CapacityInfo,
    ClaimInfo,
    CSIDriverInfo,
    CSINodeInfo,
    StorageClassInfo,
    whole_bytes,
)


def is_schedulable_after_class_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the class is new, or makes volumes elsewhere now."""
    if not isinstance(old, StorageClassInfo) or not isinstance(new, StorageClassInfo):
        return True
    return old.allowed_topologies != new.allowed_topologies


def is_schedulable_after_claim_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the claim is one of the waiting pod's."""
    return isinstance(new, ClaimInfo) and new.is_named_by(pod)


def is_schedulable_after_csi_node_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the node's drivers are known only now, or took over other plugins."""
    if not isinstance(old, CSINodeInfo) or not isinstance(new, CSINodeInfo):
        return True
    return old.migrated != new.migrated


def is_schedulable_after_driver_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether a driver of the pod's own volumes no longer minds how much room it has."""
    if not isinstance(old, CSIDriverInfo) or not isinstance(new, CSIDriverInfo):
        return False
    if not old.storage_capacity or new.storage_capacity:
        return False
    return any(volume.driver == new.name for volume in pod.volumes)


def is_schedulable_after_capacity_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the room is new, or larger than before."""
    if not isinstance(old, CapacityInfo) or not isinstance(new, CapacityInfo):
        return True
    if new.limit is None:
        return False
    return old.limit is None or whole_bytes(new.limit) > whole_bytes(old.limit)
