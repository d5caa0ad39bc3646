"""Zone and region labels of volumes. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

from kubegang.scheduler.framework.storage import VolumeInfo

_OLD_ZONE: Final = "failure-domain.beta.kubernetes.io/zone"
_OLD_REGION: Final = "failure-domain.beta.kubernetes.io/region"
_ZONE: Final = "topology.kubernetes.io/zone"
_REGION: Final = "topology.kubernetes.io/region"

ZONE_LABELS: Final = (_OLD_ZONE, _OLD_REGION, _ZONE, _REGION)

_SEPARATOR: Final = "__"


class ZoneDemand(NamedTuple):
    """A label that nodes must have, with one of the values."""

    key: str
    values: frozenset[str]


def stable_label(key: str) -> str:
    """Return the label that took the place of an old one, or the label itself."""
    return {_OLD_ZONE: _ZONE, _OLD_REGION: _REGION}.get(key, key)


def zone_demands(volume: VolumeInfo) -> list[ZoneDemand]:
    """Return what a volume's labels ask of nodes; a label with an empty part asks for nothing."""
    demands: list[ZoneDemand] = []
    for key in ZONE_LABELS:
        text = volume.labels.get(key)
        if text is None:
            continue
        values = frozenset(part.strip() for part in text.split(_SEPARATOR))
        if "" not in values:
            demands.append(ZoneDemand(key, values))
    return demands
