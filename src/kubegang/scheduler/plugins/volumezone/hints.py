"""What may cure a refusal of VolumeZone. Pure."""

from __future__ import annotations

from kubegang.scheduler.framework.events import ClusterObject
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.storage import ClaimInfo, StorageClassInfo, VolumeInfo
from kubegang.scheduler.plugins.volumezone.zones import zone_demands


def is_schedulable_after_class_added(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether volumes of the new class are bound when a pod needs them."""
    return isinstance(new, StorageClassInfo) and new.waits_for_pod


def is_schedulable_after_claim_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the claim is one of the waiting pod's."""
    return isinstance(new, ClaimInfo) and new.is_named_by(pod, ephemeral=False)


def is_schedulable_after_volume_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the volume is new, or is somewhere else now."""
    if not isinstance(new, VolumeInfo):
        return False
    return not isinstance(old, VolumeInfo) or zone_demands(old) != zone_demands(new)
