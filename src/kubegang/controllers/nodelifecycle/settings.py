"""The flags of kube-controller-manager about nodes that fail; the defaults are its own."""

from __future__ import annotations

import msgspec


class Monitoring(msgspec.Struct, frozen=True, kw_only=True):
    """How long nodes may be silent, and how fast they are emptied.

    Attributes:
        look_seconds: ``--node-monitor-period``.
        grace_seconds: ``--node-monitor-grace-period``: so long a node may be silent.
        startup_seconds: ``--node-startup-grace-period``: so long a node may take to be heard
            of at all.
        nodes_per_second: ``--node-eviction-rate``.
        secondary_per_second: ``--secondary-node-eviction-rate``, in a large zone that is
            unhealthy.
        unhealthy_share: ``--unhealthy-zone-threshold``.
        large_zone: ``--large-cluster-size-threshold``.
    """

    look_seconds: float = 5.0
    grace_seconds: float = 50.0
    startup_seconds: float = 60.0
    nodes_per_second: float = 0.1
    secondary_per_second: float = 0.01
    unhealthy_share: float = 0.55
    large_zone: int = 50


DEFAULTS = Monitoring()
