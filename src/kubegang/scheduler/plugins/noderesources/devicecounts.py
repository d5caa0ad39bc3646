"""How many devices nodes reach behind extended resources, for scores. Pure.

As kube-scheduler counts them (its source, 1.35 to 1.37, gate DRAExtendedResource): devices of
all slices, tainted or not; what one claim has, or several share, is taken. Where a class's
expression fails for a device, that device is left out; kube-scheduler then counts none on the
nodes that reach it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kubegang.api.resource.types import DeviceClass
from kubegang.scheduler.framework.classdevices import ClassDevice, devices_of
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.devices import DeviceId
from kubegang.scheduler.framework.nodeselection import demanded_nodes
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, NodeTable, RowArray
from kubegang.scheduler.framework.nodeterms import node_selector_terms
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.framework.terms import NodeAffinityTerms

_Reach = BoolArray | RowArray | slice
_Reached = list[tuple[DeviceId, _Reach]]
"""Each device with the rows that reach it."""


class DeviceTotals(NamedTuple):
    """Of one resource, per row of the table."""

    allocatable: IntArray
    allocated: IntArray


class DeviceCounts:
    """Counts, with the devices of a class and the nodes that reach them kept while they last.

    ``_known`` has them by resource, each with the class they are of.
    """

    def __init__(self) -> None:
        self._table: NodeTable | None = None
        self._versions = (-1, -1)
        self._known: dict[str, tuple[DeviceClass, _Reached]] = {}

    def of(self, cluster: ClusterView, resource: str) -> DeviceTotals | None:
        """Return what stands behind a resource, ``None`` if no class offers it."""
        offered = cluster.devices.class_behind(resource)
        if offered is None:
            return None
        taken = cluster.devices.allocated().every
        totals = DeviceTotals(*np.zeros((2, cluster.nodes.size), dtype=np.int64))
        for id_, rows in self._reached(cluster, resource, offered):
            totals.allocatable[rows] += 1
            if id_ in taken:
                totals.allocated[rows] += 1
        return totals

    def _reached(self, cluster: ClusterView, resource: str, offered: DeviceClass) -> _Reached:
        table, versions = cluster.nodes, (cluster.devices.slices_version, cluster.nodes.version)
        # Another table may have reached the same version by another way.
        if self._table is not table or self._versions != versions:
            self._table, self._versions = table, versions
            self._known.clear()
        known = self._known.get(resource)
        if known is not None and known[0] is offered:
            return known[1]
        found = devices_of(offered, cluster.devices.slices())
        reached = [(one.id, _rows(table, one)) for one in found]
        self._known[resource] = (offered, reached)
        return reached


def _rows(table: NodeTable, device: ClassDevice) -> _Reach:
    if device.all_nodes:
        return slice(None)
    if device.node_selector is not None:
        terms = node_selector_terms(device.node_selector.node_selector_terms or ())
        return demanded_nodes(table, NodeAffinityTerms(selector=(), required=terms, preferred=()))
    row = table.row(NodeName(device.node_name))
    return np.array([] if row is None else [row], dtype=np.intp)
