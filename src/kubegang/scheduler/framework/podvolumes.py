"""The volumes of a pod, as far as they matter to where it may run."""

from __future__ import annotations

from typing import Literal, NamedTuple

DiskKind = Literal["gce", "ebs", "azure", "cinder", "portworx", "iscsi", "rbd"]


class PodDisk(NamedTuple):
    """A disk that a pod names itself, without a claim.

    Attributes:
        name: the disk; for Ceph ``pool/image``.
        monitors: Ceph's.
    """

    kind: DiskKind
    name: str
    read_only: bool = False
    monitors: tuple[str, ...] = ()


class PodVolume(NamedTuple):
    """A volume that is a claim, a disk or behind a CSI driver; others matter to nobody.

    Attributes:
        claim: the claim's name, if it is one: as written, or ``<pod>-<volume>`` for a generic
            ephemeral volume.
        ephemeral: whether it is a generic ephemeral volume.
        disk: what it is otherwise.
        driver: the CSI driver of a volume that has no claim.
    """

    name: str
    claim: str | None = None
    ephemeral: bool = False
    disk: PodDisk | None = None
    driver: str = ""
