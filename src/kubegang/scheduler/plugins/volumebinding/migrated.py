"""From which nodes a volume of an in-tree plugin can be reached, where a driver took over. Pure.

On nodes whose CSINode lists the plugin as migrated, the zone that the volume asks for is that
of the driver's own topology label.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.nodetable import BoolArray
from kubegang.scheduler.framework.storage import VolumeInfo
from kubegang.scheduler.framework.terms import NodeSelectorTerm, Requirement
from kubegang.scheduler.plugins.volumebinding.reach import Reach, Terms

_TOPOLOGY_LABELS: Final[Mapping[str, str]] = {
    "kubernetes.io/aws-ebs": "topology.ebs.csi.aws.com/zone",
    "kubernetes.io/cinder": "topology.cinder.csi.openstack.org/zone",
    "kubernetes.io/gce-pd": "topology.gke.io/zone",
}
_OLD_ZONE: Final = "failure-domain.beta.kubernetes.io/zone"
_OLD_REGION: Final = "failure-domain.beta.kubernetes.io/region"
_ZONE: Final = "topology.kubernetes.io/zone"
_REGION: Final = "topology.kubernetes.io/region"
_SEPARATOR: Final = "__"


def reachable(cluster: ClusterView, volume: VolumeInfo, *, reach: Reach) -> BoolArray:
    """Return from which nodes a volume can be reached."""
    mask = reach.mask(cluster.nodes, volume.node_terms)
    plugin = "" if volume.source is None else volume.source.driver
    label = _TOPOLOGY_LABELS.get(plugin)
    if label is None:
        return mask
    translated = reach.mask(cluster.nodes, driver_terms(volume, label))
    return np.where(_migrated(cluster, plugin), translated, mask)


def driver_terms(volume: VolumeInfo, label: str) -> Terms | None:
    """Return what a volume asks of nodes in the words of its driver.

    Args:
        volume: of an in-tree plugin.
        label: the driver's topology label.
    """
    terms = volume.node_terms or ()
    zone = _zone_label(volume, terms)
    names = {zone: label, _OLD_REGION: _REGION} if zone == _OLD_ZONE else {zone: label}
    if any(r.key == zone and r.values for term in terms for r in term.expressions):
        return tuple(_renamed(term, names) for term in terms)
    zones = sorted({part.strip() for part in volume.labels.get(zone, "").split(_SEPARATOR)} - {""})
    if not zones:
        return volume.node_terms
    added = Requirement(label, "In", tuple(zones))
    return tuple(
        NodeSelectorTerm((*_renamed(term, names).expressions, added), term.fields)
        for term in terms or (NodeSelectorTerm((), ()),)
    )


def _zone_label(volume: VolumeInfo, terms: Terms) -> str:
    """Return under which name the volume speaks of zones: in its demand, or in its labels."""
    asked = {r.key for term in terms for r in term.expressions}
    for keys in (asked, volume.labels.keys()):
        for label in (_ZONE, _OLD_ZONE):
            if label in keys:
                return label
    return _ZONE


def _renamed(term: NodeSelectorTerm, names: Mapping[str, str]) -> NodeSelectorTerm:
    renamed = tuple(r._replace(key=names.get(r.key, r.key)) for r in term.expressions)
    return NodeSelectorTerm(renamed, term.fields)


def _migrated(cluster: ClusterView, plugin: str) -> BoolArray:
    mask = np.zeros(cluster.nodes.size, dtype=np.bool_)
    for node in cluster.storage.csi_nodes():
        row = cluster.nodes.row(node.name) if plugin in node.migrated else None
        if row is not None:
            mask[row] = True
    return mask
