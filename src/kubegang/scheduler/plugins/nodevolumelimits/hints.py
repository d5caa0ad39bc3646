"""What may cure a refusal of NodeVolumeLimits. Pure."""

from __future__ import annotations

from kubegang.scheduler.framework.events import ClusterObject
from kubegang.scheduler.framework.migration import DRIVER_OF_PLUGIN, PLUGIN_OF_DISK
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.storage import AttachmentInfo, ClaimInfo, CSINodeInfo
from kubegang.scheduler.plugins.nodevolumelimits.counting import has_counted_volumes


def is_schedulable_after_pod_deleted(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the deleted pod had a volume that counts, on some node."""
    if not isinstance(old, PodInfo) or not (old.node_name or old.nominated_node_name):
        return False
    return has_counted_volumes(old)


def is_schedulable_after_claim_added(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the new claim is one of the waiting pod's."""
    return isinstance(new, ClaimInfo) and new.is_named_by(pod)


def is_schedulable_after_attachment_deleted(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the waiting pod has a claim, or a disk of the driver that let go."""
    if not isinstance(old, AttachmentInfo):
        return False
    for volume in pod.volumes:
        if volume.claim is not None and not volume.ephemeral:
            return True
        plugin = None if volume.disk is None else PLUGIN_OF_DISK.get(volume.disk.kind)
        if plugin is not None and DRIVER_OF_PLUGIN[plugin] == old.attacher:
            return True
    return False


def is_schedulable_after_csi_node_update(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether any driver can attach more volumes than before."""
    if not isinstance(old, CSINodeInfo) or not isinstance(new, CSINodeInfo):
        return False
    before = dict(old.drivers)
    return any((count or 0) > (before.get(driver) or 0) for driver, count in new.drivers)
