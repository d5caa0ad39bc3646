"""Proposes one placement per topology domain for groups that must stay in one. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView, Placement
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.framework.nodetable import RowArray
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, failure


class TopologyPlacementGenerator:
    """Splits the parent's nodes by the value of the group's topology key.

    Nodes without the label belong to no placement. Once a member has a node, its domain is
    the only one proposed, even if the group would fit elsewhere (1.36 and 1.37).
    """

    NAME: ClassVar[str] = "TopologyPlacementGenerator"

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def generate_placements(
        self, state: CycleState, group: PodGroupInfo, *, cluster: ClusterView, parent: Placement
    ) -> tuple[Status, Sequence[Placement]]:
        """Return one placement per domain, in the order of their first nodes."""
        if not group.topology_key:
            return SUCCESS, (parent,)
        status, pinned = self._pinned_domain(group, cluster)
        if not status.is_success:
            return status, ()
        rows = cluster.nodes.scan_order if parent.rows is None else parent.rows
        placements = _split(cluster, rows, key=group.topology_key)
        if pinned is not None:
            placements = [placement for placement in placements if placement.name == pinned]
        return SUCCESS, placements

    def _pinned_domain(
        self, group: PodGroupInfo, cluster: ClusterView
    ) -> tuple[Status, str | None]:
        """Return the domain of members that have a node; ``None`` if there are none.

        Upstream takes an empty value for "none seen yet", so a second domain goes unnoticed
        after one of that name.
        """
        pinned: str | None = None
        for member in cluster.scheduled_members(group.key):
            domain, problem = _domain_of(member, cluster, key=group.topology_key)
            if domain is None:
                return _undetermined(problem), None
            if pinned and pinned != domain:
                text = f"more than 1 domain found for pod group: {pinned}, {domain}"
                return _undetermined(text), None
            pinned = domain
        return SUCCESS, pinned


def _undetermined(problem: str) -> Status:
    return failure(f"cannot determine domain for already scheduled pods: {problem}")


def _domain_of(member: PodInfo, cluster: ClusterView, *, key: str) -> tuple[str | None, str]:
    row = cluster.row_of(member.uid)
    if row is None:
        missing = f'nodeinfo not found for node name "{member.node_name}"'
        return None, f"getting node for pod {member.key}: {missing}"
    domain = cluster.nodes.infos[row].labels.get(key)
    return domain, f"no topology domain found for pod {member.key}"


def _split(cluster: ClusterView, rows: RowArray, *, key: str) -> list[Placement]:
    column = cluster.nodes.label(key)
    ids = column.ids[rows]
    labelled = ids >= 0
    rows, ids = rows[labelled], ids[labelled]
    # A stable sort keeps the scan order within each domain.
    by_domain = np.argsort(ids, kind="stable")
    distinct, starts = np.unique(ids[by_domain], return_index=True)
    parts = np.split(rows[by_domain], starts[1:]) if len(distinct) else []
    first_seen = np.minimum.reduceat(by_domain, starts) if len(distinct) else by_domain
    return [
        Placement(column.values[int(distinct[index])], parts[index])
        for index in np.argsort(first_seen, kind="stable").tolist()
    ]
