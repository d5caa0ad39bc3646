"""How full a placement would be with a group in it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.scheduler.framework.cluster import PlacementAssignments
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE
from kubegang.scheduler.framework.nodetable import NodeTable, Rows
from kubegang.scheduler.plugins.noderesources.allocation import (
    ResourceSpec,
    allocated_amounts,
    wanted_amount,
)


def placement_utilization(
    table: NodeTable, proposal: PlacementAssignments, *, resources: Sequence[ResourceSpec]
) -> int:
    """Return the share of the placement's room that would be taken, 0 to 100.

    Existing pods and proposed members count together over all nodes of the placement; a
    resource that the placement does not have is left out of the mean.
    """
    rows: Rows = slice(None) if proposal.placement.rows is None else proposal.placement.rows
    total = weights = 0
    for spec in resources:
        wanted = sum(
            wanted_amount(assignment.pod.requests, spec.name, counted_as="scored")
            for assignment in proposal.assignments
        )
        has, taken = _room(table, spec, wanted=wanted, rows=rows)
        if has:
            total += min(taken, has) * MAX_NODE_SCORE // has * spec.weight
            weights += spec.weight
    return total // weights if weights else 0


def _room(table: NodeTable, spec: ResourceSpec, *, wanted: int, rows: Rows) -> tuple[int, int]:
    if not wanted and spec.name not in ("cpu", "memory", "ephemeral-storage"):
        return 0, 0
    allocatable = table.allocatable(spec.name)[rows]
    allocated = allocated_amounts(table, spec.name, counted_as="scored")[rows]
    # A node without the resource cannot have pods that use it, whatever they ask for.
    return int(allocatable.sum()), wanted + int(allocated[allocatable > 0].sum())
