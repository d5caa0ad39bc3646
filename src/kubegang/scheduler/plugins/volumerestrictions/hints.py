"""What may cure a refusal of VolumeRestrictions. Pure."""

from __future__ import annotations

from kubegang.scheduler.framework.events import ClusterObject
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.storage import ClaimInfo
from kubegang.scheduler.plugins.volumerestrictions.conflicts import disks_of, in_conflict


def is_schedulable_after_pod_deleted(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the deleted pod had a disk or a claim that the waiting one wants."""
    if not isinstance(old, PodInfo) or old.namespace != pod.namespace:
        return False
    if in_conflict(disks_of(pod), disks_of(old)):
        return True
    return bool(_claims(pod) & _claims(old))


def is_schedulable_after_claim_added(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the new claim is one of the waiting pod's."""
    return isinstance(new, ClaimInfo) and new.is_named_by(pod, ephemeral=False)


def _claims(pod: PodInfo) -> set[str]:
    return {v.claim for v in pod.volumes if v.claim is not None and not v.ephemeral}
