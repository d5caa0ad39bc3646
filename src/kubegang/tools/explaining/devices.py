"""Devices behind extended resources: how many there are, how many are free, who has them. Pure.

A device counts as free when no claim has it and no taint keeps claims off: those made for
extended resources tolerate nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from kubegang.api.resource.types import ResourceClaim, ResourceSlice
from kubegang.scheduler.framework.classdevices import ClassDevice, devices_of
from kubegang.scheduler.framework.devices import DeviceId, Devices
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.nodetable import NodeTable, Rows
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.plugins.dynamicresources.pools import reaches

_KEEPS_OFF = ("NoSchedule", "NoExecute")


class DeviceStock:
    """Counts the devices that stand behind resources."""

    def __init__(self, devices: Devices) -> None:
        self._devices = devices
        self._of_resource: dict[str, list[ClassDevice]] = {}

    def stands_behind(self, resource: str) -> bool:
        """Return whether a class offers devices under the name of a resource."""
        return self._devices.class_behind(resource) is not None

    def exist(self, table: NodeTable, rows: Rows, resource: str) -> int:
        """Return how many devices some nodes can reach; taken ones are among them."""
        return len(self._near(table, rows, resource))

    def free(self, table: NodeTable, rows: Rows, resource: str) -> int:
        """Return how many of them a pod could have."""
        taken = self._devices.allocated().every
        return sum(
            found.id not in taken
            and not any(taint.effect in _KEEPS_OFF for taint in found.device.taints)
            for found in self._near(table, rows, resource)
        )

    def holding(self, resource: str) -> Iterator[tuple[ResourceClaim, int]]:
        """Yield the claims that have such devices, and how many."""
        wanted = {found.id for found in self._all(resource)}
        for claim in self._devices.claims():
            allocation = claim.status.allocation or self._devices.promised(claim.metadata.uid)
            results = () if allocation is None else allocation.devices.results
            held = sum(
                not result.admin_access
                and DeviceId(result.driver, result.pool, result.device) in wanted
                for result in results
            )
            if held:
                yield claim, held

    def _near(self, table: NodeTable, rows: Rows, resource: str) -> list[ClassDevice]:
        found = self._all(resource)
        if not found:
            return []
        counted = table.allocatable(resource)
        # A node that has the resource itself gives of that, and its devices are not looked at.
        chosen = range(table.size)[rows] if isinstance(rows, slice) else rows.tolist()
        nodes = {table.names[row]: table.infos[row] for row in chosen if not counted[row]}
        return [one for one in found if _is_near(one, nodes)]

    def _all(self, resource: str) -> list[ClassDevice]:
        known = self._of_resource.get(resource)
        if known is None:
            offered = self._devices.class_behind(resource)
            slices = self._devices.slices()
            known = [] if offered is None else list(devices_of(offered, _newest(slices)))
            self._of_resource[resource] = known
        return known


def _newest(slices: Collection[ResourceSlice]) -> Iterator[ResourceSlice]:
    """Yield the slices of each pool's newest generation."""
    newest: dict[tuple[str, str], int] = defaultdict(int)
    for one in slices:
        pool = (one.spec.driver, one.spec.pool.name)
        newest[pool] = max(newest[pool], one.spec.pool.generation)
    for one in slices:
        if one.spec.pool.generation == newest[one.spec.driver, one.spec.pool.name]:
            yield one


def _is_near(found: ClassDevice, nodes: Mapping[NodeName, NodeInfo]) -> bool:
    if found.node_name:
        # The usual case: not one of thousands of nodes after the other.
        return found.node_name in nodes
    return any(
        reaches(node, node_name="", all_nodes=found.all_nodes, selector=found.node_selector)
        for node in nodes.values()
    )
