"""Prefers nodes whose resources stay used evenly. Pure."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

import msgspec
import numpy as np

from kubegang.scheduler.framework.arguments import decode_arguments
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.devices import Devices
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE, PluginContext
from kubegang.scheduler.framework.nodetable import BoolArray, FloatArray, IntArray, RowArray
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SKIP, SUCCESS, Status
from kubegang.scheduler.plugins.noderesources.allocation import (
    DEFAULT_RESOURCES,
    Allocation,
    ResourceSpec,
    allocations,
    require_resources,
    wanted_amount,
)
from kubegang.scheduler.plugins.noderesources.devicecounts import DeviceCounts, DeviceTotals

_HALF: Final = MAX_NODE_SCORE // 2


class NodeResourcesBalancedAllocationArgs(
    msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True
):
    """The plugin's arguments; weights do not matter to it."""

    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES


class NodeResourcesBalancedAllocation:
    """Scores by how much the pod improves or spoils the balance between resources.

    75 is no change, 100 the largest improvement, 50 the largest harm (1.37; float64 as
    upstream, since a score on the border must fall on the same side). Before 1.36 only the
    balance with the pod counts: 100 for even use.
    """

    NAME: ClassVar[str] = "NodeResourcesBalancedAllocation"
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Read the resources from the arguments.

        Raises:
            PluginConfigError: the arguments cannot be used.
        """
        args = decode_arguments(self.NAME, context.args, NodeResourcesBalancedAllocationArgs)
        self._resources = require_resources(self.NAME, args.resources)
        self._compares = context.rules.balance_is_compared
        self._asks_for_devices = context.gates.enabled_if_known("DRAExtendedResource")
        self._counts = DeviceCounts()
        # As last shown: keys of scores are asked for without a cluster.
        self._devices: Devices | None = None

    def pre_score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Status:
        """Skip pods that ask for nothing: balance would send them all to one node."""
        self._devices = cluster.devices
        asks = any(
            wanted_amount(pod.requests, spec.name, counted_as="requested")
            for spec in self._resources
        )
        return SUCCESS if asks else SKIP

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return what the pod asks for; not what scoring assumes besides (1.37.2, measured)."""
        return pod.requests.items

    def _behind(self, cluster: ClusterView, resource: str) -> DeviceTotals | None:
        return self._counts.of(cluster, resource) if self._asks_for_devices else None

    def score_key(self, pod: PodInfo) -> Hashable:
        """Return the requests, and where devices may count, which are taken."""
        if not pod.extended_requests or self._devices is None:
            return pod.requests
        return pod.requests, self._devices.version

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return the balance with the pod, compared to the balance without it from 1.36 on."""
        parts = allocations(
            cluster.nodes,
            pod.requests,
            resources=self._resources,
            counted_as="requested",
            rows=rows,
            devices=functools.partial(self._behind, cluster),
        )
        balances = _balances(parts, len(rows))
        after: IntArray = balances[1]
        if not self._compares:
            return after
        change: IntArray = after - balances[0]
        return _HALF + (_HALF + change) // 2


def _balances(parts: Sequence[Allocation], count: int) -> IntArray:
    """Return two rows, without and with the pod: 100 for even use, less as shares deviate."""
    shares = [_shares(part) for part in parts]
    if len(parts) == 2 and all(part.everywhere for part in parts):
        deviation = np.abs((shares[0] - shares[1]) / 2)
    else:
        present = [part.allocatable > 0 for part in parts]
        deviation = _deviation(shares, present, count)
    balances: IntArray = ((1 - deviation) * float(MAX_NODE_SCORE)).astype(np.int64)
    return balances


def _shares(part: Allocation) -> FloatArray:
    taken = part.allocated + np.array([[0], [part.wanted]])
    has = part.allocatable if part.everywhere else np.maximum(part.allocatable, 1)
    shares: FloatArray = np.minimum(taken / has, 1.0)
    return shares


def _deviation(
    shares: Sequence[FloatArray], present: Sequence[BoolArray], count: int
) -> FloatArray:
    """Return the standard deviation per node over the resources that the node has.

    Sums go in the order of the resources, as upstream's do: float64 sums depend on it. With
    two resources it is half their difference, which upstream computes directly.
    """
    number = np.zeros(count, dtype=np.int64)
    total, first, last, squares = np.zeros((4, 2, count), dtype=np.float64)
    for share, has in zip(shares, present, strict=True):
        first = np.where(has & (number == 0), share, first)
        last = np.where(has, share, last)
        total += np.where(has, share, 0.0)
        number += has
    mean = total / np.maximum(number, 1)
    for share, has in zip(shares, present, strict=True):
        squares += np.where(has, (share - mean) * (share - mean), 0.0)
    spread = np.sqrt(squares / np.maximum(number, 1))
    return np.where(number < 2, 0.0, np.where(number == 2, np.abs((first - last) / 2), spread))
