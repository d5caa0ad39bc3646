"""Whether somebody still waits for victims of an earlier preemption. Pure."""

from __future__ import annotations

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.pods import NodeName


def awaits_victims(
    cluster: ClusterView, node: NodeName, *, priority: int, by_group: bool = True
) -> bool:
    """Return whether a weaker pod on a promised node is going because it was preempted.

    Args:
        cluster: where to look.
        node: the promised node, or empty.
        priority: of who waits.
        by_group: a member of a group has its group's priority; else its own.
    """
    row = cluster.nodes.row(node) if node else None
    if row is None:
        return False
    return any(
        pod.preempted and (cluster.priority_of(pod) if by_group else pod.priority) < priority
        for pod in cluster.pods_on(row)
    )
