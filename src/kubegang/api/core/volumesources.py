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


class CSIVolumeSource(Form, frozen=True):
    """A volume of a CSI driver that stands in the pod itself."""

    driver: str = ""


class CSIPersistentVolumeSource(Form, frozen=True):
    """A PersistentVolume of a CSI driver."""

    driver: str = ""
    volume_handle: str = ""


class VolumeIDDisk(Form, frozen=True):
    """A disk of AWS, OpenStack or Portworx."""

    volume_id: str = msgspec.field(name="volumeID", default="")
    read_only: bool = False

    @property
    def name(self) -> str:
        """The disk's name at its cloud."""
        return self.volume_id


class GCEPersistentDisk(Form, frozen=True):
    """A disk of Google Compute Engine."""

    pd_name: str = ""
    read_only: bool = False

    @property
    def name(self) -> str:
        """The disk's name at its cloud."""
        return self.pd_name


class AzureDisk(Form, frozen=True):
    """A disk of Azure."""

    disk_name: str = ""
    disk_uri: str = msgspec.field(name="diskURI", default="")
    read_only: bool = False

    @property
    def name(self) -> str:
        """The disk's name at its cloud."""
        return self.disk_uri or self.disk_name


CloudDisk = VolumeIDDisk | GCEPersistentDisk | AzureDisk


class ISCSIVolumeSource(Form, frozen=True):
    """A disk behind iSCSI."""

    iqn: str = ""
    read_only: bool = False


class RBDVolumeSource(Form, frozen=True):
    """An image of Ceph."""

    monitors: tuple[str, ...] | None = None
    pool: str = ""
    image: str = ""
    read_only: bool = False
