"""How fast nodes may be tainted so that their pods leave. Pure.

When a large part of a zone is silent, it is more likely the network than the nodes. Source:
the eviction flags of kube-controller-manager.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.nodelifecycle.health import readiness
from kubegang.controllers.nodelifecycle.settings import Monitoring

FEW_SILENT = 2
"""So many silent nodes make no zone unhealthy."""

_REGION, _ZONE = "topology.kubernetes.io/region", "topology.kubernetes.io/zone"


def zone_of(node: JsonObject) -> str:
    """Return the name of a node's failure zone; without labels all are in one."""
    labels = node["metadata"].get("labels") or {}
    return f"{labels.get(_REGION, '')}:\x00:{labels.get(_ZONE, '')}"


def rates(nodes: Iterable[JsonObject], *, flags: Monitoring) -> Mapping[str, float]:
    """Return how many nodes per second may be tainted in each zone.

    Where not a single node is ready anywhere, none is.
    """
    ready: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    for node in nodes:
        (ready if readiness(node) == "True" else silent)[zone_of(node)] += 1
    zones = {*ready, *silent}
    if zones and not ready:
        return dict.fromkeys(zones, 0.0)
    return {zone: _rate(ready[zone], silent[zone], flags=flags) for zone in zones}


def _rate(ready: int, silent: int, *, flags: Monitoring) -> float:
    share = silent / (ready + silent)
    if ready and silent > FEW_SILENT and share >= flags.unhealthy_share:
        return flags.secondary_per_second if ready + silent > flags.large_zone else 0.0
    return flags.nodes_per_second
