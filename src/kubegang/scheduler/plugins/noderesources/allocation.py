"""The resources by which nodes are scored: what a node has, and what would be taken. Pure."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple

import msgspec
import numpy as np

from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.nodetable import IntArray, NodeTable, Rows
from kubegang.scheduler.framework.pods import Requests
from kubegang.scheduler.plugins.noderesources.devicecounts import DeviceTotals

_NATIVE: Final = frozenset({"cpu", "memory", "ephemeral-storage"})


class ResourceSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A resource that counts in scores.

    Attributes:
        weight: 0 stands for the default of 1.
    """

    name: str
    weight: int = 1


DEFAULT_RESOURCES: Final = (ResourceSpec("cpu"), ResourceSpec("memory"))

CountedAs = Literal["requested", "scored"]
"""Whether a container that asks for no cpu or memory counts with nothing or with a default."""


class Allocation(NamedTuple):
    """One resource on some nodes; the arrays are parallel.

    Attributes:
        allocated: what pods there ask for.
        wanted: what the pod adds to it.
        everywhere: every node of the cluster has some of it.
    """

    weight: int
    allocatable: IntArray
    allocated: IntArray
    wanted: int
    everywhere: bool


def require_resources(plugin: str, resources: Sequence[ResourceSpec]) -> tuple[ResourceSpec, ...]:
    """Return the resources with their weights filled in; one that occurs twice counts twice.

    Raises:
        PluginConfigError: a weight is not between 1 and 100.
    """
    filled = tuple(ResourceSpec(spec.name, spec.weight or 1) for spec in resources)
    for spec in filled:
        if not 1 <= spec.weight <= 100:
            raise PluginConfigError(
                f"arguments of plugin {plugin}: weight of resource {spec.name} is"
                f" {spec.weight}, it must be from 1 to 100"
            )
    return filled


def wanted_amount(requests: Requests, resource: str, *, counted_as: CountedAs) -> int:
    """Return what a pod adds to a resource."""
    if counted_as == "scored" and resource == "cpu":
        return requests.score_milli_cpu
    if counted_as == "scored" and resource == "memory":
        return requests.score_memory_bytes
    return next((amount for name, amount in requests.items if name == resource), 0)


def allocated_amounts(table: NodeTable, resource: str, *, counted_as: CountedAs) -> IntArray:
    """Return what is taken of a resource on all nodes."""
    if counted_as == "scored" and resource == "cpu":
        return table.score_milli_cpu
    if counted_as == "scored" and resource == "memory":
        return table.score_memory_bytes
    return table.requested(resource)


def allocations(
    table: NodeTable,
    requests: Requests,
    *,
    resources: Iterable[ResourceSpec],
    counted_as: CountedAs,
    rows: Rows,
    devices: Callable[[str], DeviceTotals | None],
) -> list[Allocation]:
    """Return the resources that count for this pod on these nodes.

    An extended resource that the pod does not ask for is left out, so that nodes are not
    ranked by GPUs the pod has no use for. On nodes that have none of it the devices count
    that stand behind it.
    """
    found: list[Allocation] = []
    for spec in resources:
        wanted = wanted_amount(requests, spec.name, counted_as=counted_as)
        if not wanted and spec.name not in _NATIVE:
            continue
        allocatable = table.allocatable(spec.name)[rows]
        allocated = allocated_amounts(table, spec.name, counted_as=counted_as)[rows]
        everywhere = table.is_everywhere(spec.name)
        behind = None if spec.name in _NATIVE else devices(spec.name)
        if behind is not None:
            none, everywhere = allocatable == 0, False
            allocatable = np.where(none, behind.allocatable[rows], allocatable)
            allocated = np.where(none, behind.allocated[rows], allocated)
        found.append(Allocation(spec.weight, allocatable, allocated, wanted, everywhere))
    return found


Strategy = Callable[[Sequence[Allocation], int], IntArray]
"""(allocations, number of nodes) → score per node, 0 to 100."""


def weighted_mean(
    parts: Sequence[Allocation], count: int, *, of: Callable[[IntArray, IntArray], IntArray]
) -> IntArray:
    """Return the mean of a per-resource score, by weight, over the resources a node has.

    Args:
        parts: the resources.
        count: the number of nodes.
        of: (what would be taken, what the node has) → score; never asked about a node that
            has nothing.
    """
    if parts and all(part.everywhere for part in parts):
        # The usual case, in a third of the steps: every node has every resource.
        scores = [of(part.allocated + part.wanted, part.allocatable) for part in parts]
        if any(part.weight != 1 for part in parts):
            scores = [score * part.weight for score, part in zip(scores, parts, strict=True)]
        total = functools.reduce(np.add, scores)
        return total // sum(part.weight for part in parts)
    total = np.zeros(count, dtype=np.int64)
    weights = np.zeros(count, dtype=np.int64)
    for part in parts:
        present = part.allocatable > 0
        # A node without the resource must not divide by zero; its score is dropped below.
        divisor = np.maximum(part.allocatable, 1)
        total += np.where(present, of(part.allocated + part.wanted, divisor) * part.weight, 0)
        weights += np.where(present, part.weight, 0)
    return np.where(weights > 0, total // np.maximum(weights, 1), 0)
