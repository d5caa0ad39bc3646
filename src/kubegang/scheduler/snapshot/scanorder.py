"""The order in which nodes are looked at: zones take turns.

With a large cluster only a part of the nodes is looked at per pod. Taking one node of each
zone in turn makes every such part a fair sample of all zones (measured: kube-scheduler
lists its nodes like this). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kubegang.scheduler.framework.nodes import NodeInfo

_ZONE_LABELS: Final = (
    "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/zone",
)
_REGION_LABELS: Final = (
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/region",
)


def zone_of(labels: Mapping[str, str]) -> tuple[str, str]:
    """Return region and zone of a node, each empty if unknown."""
    return _first(labels, _REGION_LABELS), _first(labels, _ZONE_LABELS)


def _first(labels: Mapping[str, str], keys: Iterable[str]) -> str:
    for key in keys:
        if key in labels:
            return labels[key]
    return ""


def interleave_zones(nodes: Iterable[tuple[int, NodeInfo]]) -> list[int]:
    """Return row numbers with zones taking turns.

    Args:
        nodes: row and node in the order in which the nodes were added; so zones take turns
            in the order of their first node.
    """
    zones: dict[tuple[str, str], list[int]] = {}
    for row, node in nodes:
        zones.setdefault(zone_of(node.labels), []).append(row)
    order: list[int] = []
    turn = 0
    while zones:
        order.extend(rows[turn] for rows in zones.values())
        turn += 1
        zones = {zone: rows for zone, rows in zones.items() if len(rows) > turn}
    return order
