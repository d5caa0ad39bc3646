"""Where a volume could be made for a claim that finds none. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from kubegang.scheduler.framework.nodeselection import matching_nodes
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, NodeTable
from kubegang.scheduler.framework.storage import (
    CapacityInfo,
    ClaimInfo,
    StorageClassInfo,
    whole_bytes,
)
from kubegang.scheduler.framework.storageview import Storage
from kubegang.scheduler.framework.terms import NodeSelectorTerm, Requirement

NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"


class Provision(NamedTuple):
    """Where a volume can be made for a claim.

    Attributes:
        possible: whether the class makes volumes for the node at all.
        has_room: whether there is room for this one, as far as the driver says.
        capacities: what the driver says.
        room: per node the position in ``capacities`` of the room found, or -1.
    """

    claim: ClaimInfo
    possible: BoolArray
    has_room: BoolArray
    capacities: Sequence[CapacityInfo] = ()
    room: IntArray | None = None

    def capacity_on(self, row: int) -> CapacityInfo | None:
        """Return the room found on a node, if any was looked for."""
        if self.room is None or self.room[row] < 0:
            return None
        return self.capacities[int(self.room[row])]


def provision(claim: ClaimInfo, *, storage: Storage, table: NodeTable) -> Provision:
    """Return where a volume can be made for a claim."""
    everywhere = np.ones(table.size, dtype=np.bool_)
    storage_class = storage.storage_class(claim.storage_class)
    if storage_class is None or storage_class.provisioner in ("", NO_PROVISIONER):
        return Provision(claim, ~everywhere, everywhere)
    possible = _topology(storage_class, table)
    driver = storage.csi_driver(storage_class.provisioner)
    if claim.requested is None or driver is None or not driver.storage_capacity:
        return Provision(claim, possible, everywhere)
    wanted = whole_bytes(claim.requested)
    capacities = [
        capacity
        for capacity in storage.capacities(storage_class.name)
        if capacity.limit is not None and whole_bytes(capacity.limit) >= wanted
    ]
    room = np.full(table.size, -1, dtype=np.int64)
    for position, capacity in enumerate(capacities):
        room[(room < 0) & _in_reach(capacity, table)] = position
    return Provision(claim, possible, room >= 0, capacities, room)


def _topology(storage_class: StorageClassInfo, table: NodeTable) -> BoolArray:
    if not storage_class.allowed_topologies:
        return np.ones(table.size, dtype=np.bool_)
    mask = np.zeros(table.size, dtype=np.bool_)
    for labels in storage_class.allowed_topologies:
        terms = tuple(Requirement(key, "In", values) for key, values in labels)
        mask |= matching_nodes(table, NodeSelectorTerm(terms, ()))
    return mask


def _in_reach(capacity: CapacityInfo, table: NodeTable) -> BoolArray:
    if capacity.nodes is None:
        return np.zeros(table.size, dtype=np.bool_)
    if not capacity.nodes:
        return np.ones(table.size, dtype=np.bool_)
    return matching_nodes(table, NodeSelectorTerm(capacity.nodes, ()))
