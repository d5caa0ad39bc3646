"""What a tree of groups lacks, told level by level. Pure."""

from __future__ import annotations

from typing import Final

from kubegang.scheduler.framework.podgroups import DEEPEST_TREE, PodGroupStates, has_quorum
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey

_MOST_NAMED: Final = 3
"""So many incomplete child groups are named."""


def missing_child_groups(groups: PodGroupStates, root: PodGroupInfo) -> str:
    """Return what must still come before a tree is tried, or empty."""
    complete = complete_children(groups, root)
    missing = root.quorum - complete
    if missing <= 0:
        return ""
    children = "child group" if missing == 1 else "child groups"
    count = f"waiting for {missing} more {children} to be complete ({complete} of {root.quorum})"
    return f"{count}: {_lacks_of_children(groups, root)}"


def missing_parent(groups: PodGroupStates, key: PodGroupKey) -> str:
    """Return why a pod group leads to no root."""
    lineage = groups.lineage(key)
    if not lineage:
        return f"waiting for PodGroup {key.name} to be created"
    top = lineage[-1]
    known = {group.key for group in lineage}
    if top.parent_key in known:
        names = " -> ".join([*(group.key.name for group in lineage), top.parent])
        return f"waiting for a CompositePodGroup without a parent; these go in a circle: {names}"
    if not top.parent:
        return f"nested {len(lineage)} levels deep; at most {DEEPEST_TREE} are scheduled"
    return f"waiting for CompositePodGroup {top.parent} to be created"


def complete_children(groups: PodGroupStates, group: PodGroupInfo) -> int:
    """Return how many child groups of a composite have enough of what they need."""
    return sum(has_quorum(groups, child) for child in groups.child_groups(group.key))


def _lacks_of_children(groups: PodGroupStates, group: PodGroupInfo) -> str:
    children = groups.child_groups(group.key)
    if len(children) < group.quorum:
        exist = "1 child group exists" if len(children) == 1 else f"{len(children)} exist"
        return f"CompositePodGroup {group.key.name} needs {group.quorum}, but {exist}"
    lacking = [child for child in children if not has_quorum(groups, child)]
    named = [_lack(groups, child) for child in lacking[:_MOST_NAMED]]
    more = len(lacking) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _lack(groups: PodGroupStates, group: PodGroupInfo) -> str:
    if not group.is_composite:
        known = groups.known_members(group.key)
        return f"PodGroup {group.key.name} has {known} of {group.quorum} pods"
    complete = complete_children(groups, group)
    count = f"CompositePodGroup {group.key.name} has {complete} of {group.quorum} child groups"
    return f"{count} complete ({_lacks_of_children(groups, group)})"
