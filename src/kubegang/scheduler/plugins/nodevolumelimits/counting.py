"""Which volumes of a pod count against the limit of which driver. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kubegang.scheduler.framework.migration import (
    DRIVER_OF_PLUGIN,
    PLUGIN_OF_DISK,
    UNCOUNTED_PLUGINS,
    counts_for_driver,
)
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.podvolumes import PodVolume
from kubegang.scheduler.framework.storage import ClaimInfo, CSINodeInfo
from kubegang.scheduler.framework.storageview import Storage


class CountedVolume(NamedTuple):
    """A volume that takes one of the places that a driver has on a node.

    Attributes:
        handle: tells volumes of a driver apart; one that several pods share counts once.
        plugin: if it is of a plugin of old: it then counts only where that is migrated.
    """

    driver: str
    handle: str
    plugin: str = ""


def has_counted_volumes(pod: PodInfo) -> bool:
    """Return whether any of the pod's volumes may count."""
    return any(
        v.claim is not None or (v.disk is not None and v.disk.kind in PLUGIN_OF_DISK)
        for v in pod.volumes
    )


def counted_volumes(storage: Storage, pod: PodInfo) -> list[CountedVolume]:
    """Return the pod's volumes that count, on nodes where their plugins are migrated.

    Claims that do not exist, or are not the pod's own ephemeral ones, are left out.
    """
    found = (_counted(storage, pod, volume) for volume in pod.volumes)
    return [volume for volume in found if volume is not None]


def on_node(
    volumes: Iterable[CountedVolume], node: CSINodeInfo | None, *, only_if_listed: bool
) -> set[tuple[str, str]]:
    """Return driver and handle of the volumes that count on this node."""
    return {
        (volume.driver, volume.handle)
        for volume in volumes
        if not volume.plugin
        or counts_for_driver(node, volume.plugin, only_if_listed=only_if_listed)
    }


def attached_volumes(storage: Storage, node: NodeName) -> set[tuple[str, str]]:
    """Return driver and handle of the volumes that are attached to a node, of CSI drivers."""
    attached: set[tuple[str, str]] = set()
    for attachment in storage.attachments(node):
        volume = storage.seen_volume(attachment.volume_name)
        source = None if volume is None else volume.source
        if attachment.attacher and source is not None and source.driver not in DRIVER_OF_PLUGIN:
            attached.add((attachment.attacher, source.handle))
    return attached


def _counted(storage: Storage, pod: PodInfo, volume: PodVolume) -> CountedVolume | None:
    if volume.claim is not None:
        claim = storage.seen_claim(pod.namespace, volume.claim)
        if claim is None or (volume.ephemeral and not claim.is_for(pod)):
            return None
        return _of_claim(storage, claim)
    plugin = None if volume.disk is None else PLUGIN_OF_DISK.get(volume.disk.kind)
    if plugin is None or volume.disk is None:
        return None
    return CountedVolume(DRIVER_OF_PLUGIN[plugin], volume.disk.name, plugin)


def _of_claim(storage: Storage, claim: ClaimInfo) -> CountedVolume | None:
    volume = storage.seen_volume(claim.volume_name) if claim.volume_name else None
    if volume is None:
        return _of_class(storage, claim)
    if volume.source is None:
        return None
    driver, handle = volume.source
    if driver in DRIVER_OF_PLUGIN:
        return CountedVolume(DRIVER_OF_PLUGIN[driver], handle, driver)
    return CountedVolume(driver, handle) if driver and handle else None


def _of_class(storage: Storage, claim: ClaimInfo) -> CountedVolume | None:
    """Return the volume that a claim is going to have, by its class."""
    storage_class = storage.storage_class(claim.storage_class) if claim.storage_class else None
    if storage_class is None or storage_class.provisioner in UNCOUNTED_PLUGINS:
        return None
    provisioner = storage_class.provisioner
    # No driver uses such a handle, so it cannot be mistaken for a volume that exists.
    handle = f"claim {claim.key}"
    if provisioner in DRIVER_OF_PLUGIN:
        return CountedVolume(DRIVER_OF_PLUGIN[provisioner], handle, provisioner)
    return CountedVolume(provisioner, handle)
