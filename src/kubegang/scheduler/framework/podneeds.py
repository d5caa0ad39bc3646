"""What a pod's spec says about volumes, and about what its node must be able to do. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from kubegang.api.core.types import Container, PodSpec, Volume
from kubegang.api.core.volumesources import CloudDisk
from kubegang.scheduler.framework.podvolumes import DiskKind, PodDisk, PodVolume

_CLOUD_DISKS: Final[Mapping[DiskKind, Callable[[Volume], CloudDisk | None]]] = {
    "gce": lambda volume: volume.gce_persistent_disk,
    "ebs": lambda volume: volume.aws_elastic_block_store,
    "azure": lambda volume: volume.azure_disk,
    "cinder": lambda volume: volume.cinder,
    "portworx": lambda volume: volume.portworx_volume,
}


def pod_volumes(volumes: Iterable[Volume], *, pod_name: str) -> tuple[PodVolume, ...]:
    """Return the volumes that matter to where the pod may run, in order."""
    seen = (_volume(volume, pod_name) for volume in volumes)
    return tuple(volume for volume in seen if volume is not None)


def volume_sources(volumes: Iterable[Volume]) -> tuple[bytes, ...]:
    """Return the sources of volumes as text, whatever the volumes are called, sorted.

    Without ConfigMaps and Secrets, which often belong to one pod and keep it off no node.
    """
    return tuple(
        sorted(
            msgspec.json.encode(msgspec.structs.replace(volume, name=""), order="deterministic")
            for volume in volumes
            if volume.config_map is None and volume.secret is None
        )
    )


def needed_features(spec: PodSpec) -> tuple[str, ...]:
    """Return what the node must have declared for this pod, sorted.

    Which of them a release knows is that release's business (``NodeFeatureRules``).
    """
    features: list[str] = []
    containers: list[Container] = [*(spec.containers or ()), *spec.init_containers]
    if any(
        rule.action == "RestartAllContainers"
        for container in containers
        for rule in container.restart_policy_rules
    ):
        features.append("RestartAllContainersOnContainerExits")
    if spec.host_network and spec.host_users is False:
        features.append("UserNamespacesHostNetworkSupport")
    if any(mount.bind_mount_options for c in containers for mount in c.volume_mounts):
        features.append("VolumeBindMountOptions")
    return tuple(features)


def _volume(volume: Volume, pod_name: str) -> PodVolume | None:
    if volume.persistent_volume_claim is not None:
        return PodVolume(volume.name, claim=volume.persistent_volume_claim.claim_name)
    if volume.ephemeral is not None:
        return PodVolume(volume.name, claim=f"{pod_name}-{volume.name}", ephemeral=True)
    if volume.csi is not None:
        return PodVolume(volume.name, driver=volume.csi.driver)
    disk = _disk(volume)
    return None if disk is None else PodVolume(volume.name, disk=disk)


def _disk(volume: Volume) -> PodDisk | None:
    if volume.iscsi is not None:
        return PodDisk("iscsi", volume.iscsi.iqn, volume.iscsi.read_only)
    if volume.rbd is not None:
        rbd = volume.rbd
        return PodDisk("rbd", f"{rbd.pool}/{rbd.image}", rbd.read_only, rbd.monitors or ())
    for kind, disk_of in _CLOUD_DISKS.items():
        disk = disk_of(volume)
        if disk is not None:
            return PodDisk(kind, disk.name, disk.read_only)
    return None
