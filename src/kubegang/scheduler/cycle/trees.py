"""The pods and pod groups of a tree, in the order in which they are tried. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo
from kubegang.scheduler.snapshot.snapshot import Snapshot

PodsByGroup = Mapping[PodGroupKey, Sequence[PodInfo]]
"""The pods to be tried, by pod group, in order."""


def in_tree_order(
    snapshot: Snapshot, root: PodGroupInfo, pods: Sequence[PodInfo]
) -> list[PodInfo] | None:
    """Return the pods group by group; ``None`` if one is not in the tree (any more)."""
    by_group = pods_by_group(pods)
    ordered: list[PodInfo] = []
    for leaf in snapshot.forest.leaves(root.key):
        ordered += by_group.pop(leaf, ())
    return None if by_group else ordered


def pods_by_group(pods: Iterable[PodInfo]) -> dict[PodGroupKey, list[PodInfo]]:
    """Return pods by the pod group that they name, each group's in order."""
    by_group: defaultdict[PodGroupKey, list[PodInfo]] = defaultdict(list)
    for pod in pods:
        if pod.pod_group is not None:
            by_group[pod.pod_group].append(pod)
    return dict(by_group)
