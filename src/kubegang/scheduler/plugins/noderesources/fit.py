"""Keeps pods off nodes without room, and ranks nodes by the room they have. Pure.

Where a device class stands behind an extended resource, a node that has none of the resource
may have the devices: DynamicResources looks at those (KEP-5004).
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from typing import ClassVar, Final, Literal

import msgspec
import numpy as np

from kubegang.api.resource.types import DeviceClass
from kubegang.scheduler.framework.arguments import decode_arguments
from kubegang.scheduler.framework.cluster import ClusterView, PlacementAssignments
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.devices import Devices
from kubegang.scheduler.framework.events import (
    Action,
    ClusterEvent,
    ClusterObject,
    HintRegistration,
)
from kubegang.scheduler.framework.extendedresources import CLASS_PREFIX
from kubegang.scheduler.framework.interface import PluginContext, Refusal
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, NodeTable, RowArray, Rows
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, unresolvable, unschedulable
from kubegang.scheduler.framework.utilization import UtilizationShapePoint
from kubegang.scheduler.plugins.noderesources.allocation import (
    DEFAULT_RESOURCES,
    ResourceSpec,
    Strategy,
    allocations,
    require_resources,
)
from kubegang.scheduler.plugins.noderesources.devicecounts import DeviceCounts, DeviceTotals
from kubegang.scheduler.plugins.noderesources.placementscore import placement_utilization
from kubegang.scheduler.plugins.noderesources.strategies import (
    least_allocated,
    most_allocated,
    requested_to_capacity_ratio,
)

_TOO_MANY: Final = "Too many pods"
_FIRST: Final = {"cpu": 0, "memory": 1, "ephemeral-storage": 2}


class RequestedToCapacityRatioParam(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The line that RequestedToCapacityRatio follows."""

    shape: tuple[UtilizationShapePoint, ...] = ()


class ScoringStrategy(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """How free room becomes a score."""

    type: Literal["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"] = "LeastAllocated"
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES
    requested_to_capacity_ratio: RequestedToCapacityRatioParam = RequestedToCapacityRatioParam()


class NodeResourcesFitArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The plugin's arguments.

    Attributes:
        ignored_resources: extended resources that this plugin does not look at.
        ignored_resource_groups: prefixes of such, up to the slash.
    """

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy = ScoringStrategy()


class NodeResourcesFit:
    """Refuses nodes where a request exceeds what is left; never lets a node be overfilled."""

    NAME: ClassVar[str] = "NodeResourcesFit"
    OWN_NODE_ONLY: ClassVar[bool] = True
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Read strategy and ignored resources from the arguments.

        Raises:
            PluginConfigError: the arguments cannot be used.
        """
        args = decode_arguments(self.NAME, context.args, NodeResourcesFitArgs)
        self._ignored = frozenset(args.ignored_resources)
        self._ignored_groups = frozenset(args.ignored_resource_groups)
        self._resources = require_resources(self.NAME, args.scoring_strategy.resources)
        self._strategy = _strategy(args.scoring_strategy)
        self._asks_for_devices = context.gates.enabled_if_known("DRAExtendedResource")
        self._counts = DeviceCounts()
        # As last shown: hints and signatures are asked for without a cluster.
        self._devices: Devices | None = None

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a pod goes or shrinks, or a node comes or grows."""
        return (
            HintRegistration(
                ClusterEvent("AssignedPod", Action.DELETE), is_schedulable_after_pod_deleted
            ),
            HintRegistration(
                ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_ALLOCATABLE),
                self._is_schedulable_after_node_change,
            ),
            HintRegistration(
                ClusterEvent("AssignedPod", Action.UPDATE_POD_SCALE_DOWN),
                is_schedulable_after_pod_shrunk,
            ),
            HintRegistration(ClusterEvent("TargetPod", Action.UPDATE_POD_SCALE_DOWN)),
            *self._class_hints(),
        )

    def _class_hints(self) -> Sequence[HintRegistration]:
        if not self._asks_for_devices:
            return ()
        changed = ClusterEvent("DeviceClass", Action.ADD | Action.UPDATE_OTHER)
        return (HintRegistration(changed, is_schedulable_after_class_change),)

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes with a free pod slot and room for every request."""
        table = cluster.nodes
        self._devices = cluster.devices
        passed: BoolArray = table.pod_count[rows] < table.allowed_pods[rows]
        for resource, amount in self._looked_at(pod):
            enough = _free(table, resource, rows) >= amount
            if self._is_delegated(pod, resource):
                enough |= table.allocatable(resource)[rows] == 0
            passed &= enough
        return passed

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Name everything a node is short of; rows short of the same are put together.

        What exceeds even the empty node cannot be cured by evictions.
        """
        table = cluster.nodes
        reasons = [_TOO_MANY]
        # One bit per reason and the lowest for "hopeless": rows with equal numbers lack the same.
        patterns = (table.pod_count[rows] >= table.allowed_pods[rows]).astype(np.int64) << 1
        for resource, amount in self._looked_at(pod):
            short = _free(table, resource, rows) < amount
            if self._is_delegated(pod, resource):
                short &= table.allocatable(resource)[rows] != 0
            patterns |= short.astype(np.int64) << (len(reasons) + 1)
            patterns |= short & (table.allocatable(resource)[rows] < amount)
            reasons.append(f"Insufficient {resource}")
        distinct = np.unique(patterns).tolist()
        if len(distinct) == 1:
            return (Refusal(rows, _refusal(reasons, distinct[0])),)
        return [
            Refusal(rows[patterns == pattern], _refusal(reasons, pattern)) for pattern in distinct
        ]

    def sign_pod(self, pod: PodInfo) -> Hashable | None:
        """Return what the pod asks for; not what scoring assumes besides (1.37.2, measured).

        Who gets which device depends on other pods.
        """
        if any(self._is_delegated(pod, request.resource) for request in pod.extended_requests):
            return None
        return pod.requests.items

    def score_key(self, pod: PodInfo) -> Hashable:
        """Return the requests, and where devices may count, which are taken."""
        if not pod.extended_requests or self._devices is None:
            return pod.requests
        return pod.requests, self._devices.version

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return the strategy's score."""
        parts = allocations(
            cluster.nodes,
            pod.requests,
            resources=self._resources,
            counted_as="scored",
            rows=rows,
            devices=functools.partial(self._behind, cluster),
        )
        return self._strategy(parts, len(rows))

    def _behind(self, cluster: ClusterView, resource: str) -> DeviceTotals | None:
        return self._counts.of(cluster, resource) if self._asks_for_devices else None

    def score_placement(
        self,
        state: CycleState,
        group: PodGroupInfo,
        *,
        cluster: ClusterView,
        proposal: PlacementAssignments,
    ) -> tuple[Status, int]:
        """Return how full the placement would be: fuller, and so smaller, domains win.

        Always MostAllocated, whatever the strategy for nodes (as in 1.36 and 1.37).
        """
        return SUCCESS, placement_utilization(cluster.nodes, proposal, resources=self._resources)

    def _looked_at(self, pod: PodInfo) -> list[tuple[str, int]]:
        items = pod.requests.items
        if self._ignored or self._ignored_groups:
            items = tuple(item for item in items if not self._is_ignored(item[0]))
        return sorted(items, key=_report_order)

    def _is_delegated(self, pod: PodInfo, resource: str) -> bool:
        """Return whether devices do where a node has none of a resource."""
        if not pod.extended_requests or not self._asks_for_devices or self._devices is None:
            return False
        return self._devices.class_behind(resource) is not None

    def _is_ignored(self, resource: str) -> bool:
        group, slash, _ = resource.partition("/")
        return bool(slash) and (resource in self._ignored or group in self._ignored_groups)

    def _is_schedulable_after_node_change(
        self, pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
    ) -> bool:
        """Return whether the node, were it empty, has room, and more than before."""
        if not isinstance(new, NodeInfo) or new.allowed_pods < 1:
            return False
        has = dict(new.allocatable)
        wanted = [
            (resource, amount)
            for resource, amount in self._looked_at(pod)
            if has.get(resource, 0) or not self._is_delegated(pod, resource)
        ]
        if any(has.get(resource, 0) < amount for resource, amount in wanted):
            return False
        if not isinstance(old, NodeInfo) or new.allowed_pods > old.allowed_pods:
            return True
        had = dict(old.allocatable)
        return any(has.get(resource, 0) > had.get(resource, 0) for resource, _ in wanted)


def is_schedulable_after_pod_deleted(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the deleted pod had, or was promised, a place on a node."""
    return isinstance(old, PodInfo) and bool(old.node_name or old.nominated_node_name)


def is_schedulable_after_pod_shrunk(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether a pod gave back something that the waiting one asks for."""
    if not isinstance(old, PodInfo) or not isinstance(new, PodInfo) or not new.node_name:
        return False
    before, after = dict(old.requests.items), dict(new.requests.items)
    return any(before.get(name, 0) > after.get(name, 0) for name, _ in pod.requests.items)


def is_schedulable_after_class_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether a class offers something now that the pod asks for."""
    if not isinstance(new, DeviceClass):
        return False
    offered = new.spec.extended_resource_name
    if isinstance(old, DeviceClass):
        names = {offered} if offered != old.spec.extended_resource_name else set()
    else:
        names = {offered, CLASS_PREFIX + new.metadata.name}
    return any(request.resource in names for request in pod.extended_requests)


def _strategy(strategy: ScoringStrategy) -> Strategy:
    if strategy.type == "MostAllocated":
        return most_allocated
    if strategy.type == "RequestedToCapacityRatio":
        return requested_to_capacity_ratio(strategy.requested_to_capacity_ratio.shape)
    return least_allocated


def _free(table: NodeTable, resource: str, rows: Rows) -> IntArray:
    free: IntArray = table.allocatable(resource)[rows] - table.requested(resource)[rows]
    return free


def _refusal(reasons: Sequence[str], pattern: int) -> Status:
    said = [reason for bit, reason in enumerate(reasons, start=1) if pattern >> bit & 1]
    return unresolvable(*said) if pattern & 1 else unschedulable(*said)


def _report_order(item: tuple[str, int]) -> tuple[int, str]:
    resource, _ = item
    return (_FIRST.get(resource, len(_FIRST)), resource)
