"""The pools of devices that a node can reach, in the order in which they are tried. Pure.

Pools are ordered by driver and name, those with binding conditions last; the slices of a pool
by name; devices as they stand in their slice (measured on 1.37.2). Only slices of a pool's
newest generation count, and nothing is taken from a pool while some of them are missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kubegang.api.core.affinity import NodeSelector
from kubegang.api.resource.types import CounterSet, Device, ResourceSlice, ResourceSliceSpec
from kubegang.scheduler.framework.devices import DeviceId
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.nodeselection import node_is_demanded
from kubegang.scheduler.framework.nodeterms import node_selector_terms
from kubegang.scheduler.framework.terms import NodeAffinityTerms


class PoolId(NamedTuple):
    """A pool: names are unique per driver."""

    driver: str
    pool: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}"


class Candidate(NamedTuple):
    """A device that a node may be able to reach, and where it was published."""

    id: DeviceId
    device: Device
    published: ResourceSliceSpec

    @property
    def pool(self) -> PoolId:
        """Return the pool of the device."""
        return PoolId(self.id.driver, self.id.pool)


class Pool(NamedTuple):
    """What is known of a pool.

    Attributes:
        incomplete: slices of the generation are missing.
        invalid: why nothing can be taken from it; empty if something can.
        candidates: devices of the slices that target the node.
        elsewhere: the other devices; what they take of shared counters matters.
        counter_sets: the shared counters, by name of their set.
    """

    id: PoolId
    incomplete: bool = False
    invalid: str = ""
    candidates: tuple[Candidate, ...] = ()
    elsewhere: tuple[Candidate, ...] = ()
    counter_sets: Mapping[str, CounterSet] = {}

    @property
    def usable(self) -> bool:
        """Return whether devices can be taken from it."""
        return not self.incomplete and not self.invalid

    @property
    def has_binding_conditions(self) -> bool:
        """Return whether some device must be made ready before a pod is bound."""
        return any(c.device.binding_conditions for c in self.candidates)


class PublishedDevices:
    """All slices, by pool, and which pools name a node. Never changed after it was made."""

    __slots__ = ("_by_node", "_pools", "_shared")

    def __init__(self, slices: Iterable[ResourceSlice]) -> None:
        self._pools: dict[PoolId, list[ResourceSlice]] = defaultdict(list)
        self._by_node: dict[str, set[PoolId]] = defaultdict(set)
        self._shared: set[PoolId] = set()
        for published in slices:
            id_ = PoolId(published.spec.driver, published.spec.pool.name)
            self._pools[id_].append(published)
            if published.spec.node_name:
                self._by_node[published.spec.node_name].add(id_)
            else:
                self._shared.add(id_)

    def pools_near(self, node: str) -> list[tuple[PoolId, Sequence[ResourceSlice]]]:
        """Return the pools that name the node, or no single node, ordered by driver and name."""
        ids = self._by_node.get(node, set()) | self._shared
        return [(id_, self._pools[id_]) for id_ in sorted(ids)]


def gather_pools(
    published: PublishedDevices, node: NodeInfo, *, partitionable: bool
) -> tuple[Pool, ...]:
    """Return the pools with devices for the node.

    Args:
        published: all slices, for this node and for others.
        node: the node.
        partitionable: whether the gate DRAPartitionableDevices is on; if not, slices that
            need it do not exist.
    """
    found = (
        _pool(id_, slices, node=node, partitionable=partitionable)
        for id_, slices in published.pools_near(node.name)
    )
    return tuple(
        sorted(
            (pool for pool in found if pool is not None),
            key=lambda pool: pool.has_binding_conditions,
        )
    )


def reaches(
    node: NodeInfo, *, node_name: str, all_nodes: bool, selector: NodeSelector | None
) -> bool:
    """Return whether a slice or device can be reached from a node."""
    if node_name:
        return node.name == node_name
    if all_nodes:
        return True
    if selector is None:
        return False
    terms = node_selector_terms(selector.node_selector_terms or ())
    return node_is_demanded(node, NodeAffinityTerms(selector=(), required=terms, preferred=()))


def device_is_reached(candidate: Candidate, node: NodeInfo) -> bool:
    """Return whether a device of a slice that targets the node can be reached from it."""
    if not candidate.published.per_device_node_selection:
        return True
    return _device_targets(candidate.device, node)


def _pool(
    id_: PoolId, published: Sequence[ResourceSlice], *, node: NodeInfo, partitionable: bool
) -> Pool | None:
    targeting = [
        s
        for s in published
        if (partitionable or not _needs_partitions(s.spec)) and _targets(s.spec, node)
    ]
    if not targeting:
        return None
    generation = max(s.spec.pool.generation for s in targeting)
    targeting = [s for s in targeting if s.spec.pool.generation == generation]
    present = [s for s in published if s.spec.pool.generation == generation]
    wanted = targeting[0].spec.pool.resource_slice_count
    if len(targeting) != wanted:
        if any(s.spec.pool.generation > generation for s in published):
            # A newer generation is being published, without anything for this node so far.
            return None
        if len(present) != wanted:
            return Pool(id_, incomplete=True)
    if not partitionable:
        return _with_unique_names(id_, _candidates(targeting))
    return _with_counters(id_, targeting, others=[s for s in present if s not in targeting])


def _with_unique_names(id_: PoolId, candidates: tuple[Candidate, ...]) -> Pool:
    names: set[str] = set()
    for candidate in candidates:
        if candidate.id.device in names:
            return Pool(id_, invalid=f"duplicate device name {candidate.id.device}")
        names.add(candidate.id.device)
    return Pool(id_, candidates=candidates)


def _with_counters(
    id_: PoolId, targeting: list[ResourceSlice], *, others: list[ResourceSlice]
) -> Pool:
    pool = _with_unique_names(id_, _candidates(s for s in targeting if not s.spec.shared_counters))
    if pool.invalid:
        return pool
    elsewhere = _candidates(s for s in others if not s.spec.shared_counters)
    sets: dict[str, CounterSet] = {}
    for counters in (c for s in (*targeting, *others) for c in s.spec.shared_counters):
        if counters.name in sets:
            return Pool(id_, invalid=f"duplicate counter set name {counters.name}")
        sets[counters.name] = counters
    for candidate in (*pool.candidates, *elsewhere):
        fault = _counter_fault(candidate.device, sets)
        if fault:
            return Pool(id_, invalid=fault)
    return pool._replace(elsewhere=elsewhere, counter_sets=sets)


def _counter_fault(device: Device, sets: Mapping[str, CounterSet]) -> str:
    for consumption in device.consumes_counters:
        counters = sets.get(consumption.counter_set)
        if counters is None:
            return f"counter set {consumption.counter_set} not found"
        for name in consumption.counters:
            if name not in counters.counters:
                return f"counter {name} not found in counter set {counters.name}"
    return ""


def _candidates(slices: Iterable[ResourceSlice]) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(DeviceId(s.spec.driver, s.spec.pool.name, device.name), device, s.spec)
        for s in sorted(slices, key=lambda s: s.metadata.name)
        for device in s.spec.devices
    )


def _targets(spec: ResourceSliceSpec, node: NodeInfo) -> bool:
    if spec.per_device_node_selection:
        return any(_device_targets(device, node) for device in spec.devices)
    return reaches(
        node, node_name=spec.node_name, all_nodes=spec.all_nodes, selector=spec.node_selector
    )


def _device_targets(device: Device, node: NodeInfo) -> bool:
    return reaches(
        node, node_name=device.node_name, all_nodes=device.all_nodes, selector=device.node_selector
    )


def _needs_partitions(spec: ResourceSliceSpec) -> bool:
    return spec.per_device_node_selection or bool(spec.shared_counters)
