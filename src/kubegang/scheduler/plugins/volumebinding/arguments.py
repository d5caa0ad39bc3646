"""The arguments of VolumeBinding."""

from __future__ import annotations

import msgspec

from kubegang.scheduler.framework.utilization import UtilizationShapePoint

_BY_DEFAULT = (UtilizationShapePoint(0, 10), UtilizationShapePoint(100, 0))


class VolumeBindingArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What a configuration may say.

    Attributes:
        bind_timeout_seconds: how long to wait for claims to be bound.
        shape: how nodes score by how much of their storage is used: more for more room left,
            unless told otherwise. Without the gate StorageCapacityScoring nobody asks.
    """

    bind_timeout_seconds: int = 600
    shape: tuple[UtilizationShapePoint, ...] = _BY_DEFAULT
