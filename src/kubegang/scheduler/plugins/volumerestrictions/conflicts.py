"""Which disks two pods cannot have on one node. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.podvolumes import PodDisk

_EXCLUSIVE = frozenset({"gce", "ebs", "iscsi", "rbd"})


def disks_of(pod: PodInfo) -> tuple[PodDisk, ...]:
    """Return the disks of a pod that it may not be able to share."""
    return tuple(
        volume.disk
        for volume in pod.volumes
        if volume.disk is not None and volume.disk.kind in _EXCLUSIVE
    )


def in_conflict(wanted: Sequence[PodDisk], taken: Sequence[PodDisk]) -> bool:
    """Return whether any of the disks of one pod conflicts with any of another's."""
    return any(_conflict(one, other) for one in wanted for other in taken)


def _conflict(one: PodDisk, other: PodDisk) -> bool:
    """Return whether it is the same disk, and not all are content with reading it.

    Volumes of EBS conflict even when both only read; images of Ceph are the same if any
    monitor is.
    """
    if one.kind != other.kind or one.name != other.name:
        return False
    if one.kind == "ebs":
        return True
    if one.kind == "rbd" and not set(one.monitors) & set(other.monitors):
        return False
    return not (one.read_only and other.read_only)
