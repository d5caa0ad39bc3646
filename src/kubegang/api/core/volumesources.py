"""Kinds of storage behind a volume, as pods and PersistentVolumes name them."""

from __future__ import annotations

import msgspec

from kubegang.api.meta import Form


class PersistentVolumeClaimVolumeSource(Form, frozen=True):
    """A volume that is somebody's claim."""

    claim_name: str = ""
    read_only: bool = False


class EphemeralVolumeSource(Form, frozen=True):
    """A volume for which a claim named ``<pod>-<volume>`` is made."""


class CSISource(Form, frozen=True):
    """A volume behind a CSI driver; one that stands in a pod has no handle."""

    driver: str = ""
    volume_handle: str = ""


class NamedDisk(Form, frozen=True):
    """A disk of a cloud; each cloud has its own field for the name."""

    volume_id: str = msgspec.field(name="volumeID", default="")
    pd_name: str = ""
    disk_name: str = ""
    disk_uri: str = msgspec.field(name="diskURI", default="")
    read_only: bool = False

    @property
    def name(self) -> str:
        """Whichever of the names is there."""
        return self.volume_id or self.pd_name or self.disk_uri or self.disk_name


class ISCSIVolumeSource(Form, frozen=True):
    """A disk behind iSCSI."""

    iqn: str = ""
    read_only: bool = False


class RBDVolumeSource(Form, frozen=True):
    """An image of Ceph."""

    monitors: tuple[str, ...] = ()
    pool: str = ""
    image: str = ""
    read_only: bool = False
