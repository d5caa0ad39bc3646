"""Plugins of old for the disks of clouds, and the CSI drivers that do their work now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubegang.scheduler.framework.podvolumes import DiskKind
from kubegang.scheduler.framework.storage import CSINodeInfo, InTreePlugin

PLUGIN_OF_DISK: Final[Mapping[DiskKind, InTreePlugin]] = {
    "ebs": "kubernetes.io/aws-ebs",
    "azure": "kubernetes.io/azure-disk",
    "cinder": "kubernetes.io/cinder",
    "gce": "kubernetes.io/gce-pd",
    "portworx": "kubernetes.io/portworx-volume",
}

DRIVER_OF_PLUGIN: Final[Mapping[str, str]] = {
    "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
    "kubernetes.io/azure-disk": "disk.csi.azure.com",
    "kubernetes.io/cinder": "cinder.csi.openstack.org",
    "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
    "kubernetes.io/portworx-volume": "pxd.portworx.com",
}

UNCOUNTED_PLUGINS: Final = frozenset({"kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"})
"""Migrated as well, but their volumes count against nobody's limit."""


def counts_for_driver(node: CSINodeInfo | None, plugin: str, *, only_if_listed: bool) -> bool:
    """Return whether volumes of a plugin of old count against its driver's limit on a node.

    Args:
        node: what is known of the node's drivers.
        plugin: the plugin's name.
        only_if_listed: whether the node must say that the plugin is migrated.
    """
    if node is None or plugin not in DRIVER_OF_PLUGIN:
        return False
    return not only_if_listed or plugin in node.migrated
