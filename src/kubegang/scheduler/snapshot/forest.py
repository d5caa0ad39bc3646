"""Group objects and how they hang together: the trees of composite pod groups (1.37).

Objects come and go in any order, and nobody keeps them from naming a parent that does not
exist, each other, or themselves. So every walk here ends: upwards at the first group that is
missing or was seen before, downwards at groups that were visited. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kubegang.scheduler.framework.podgroups import DEEPEST_TREE
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey


class Forest:
    """Groups by key, and the children of each."""

    def __init__(self) -> None:
        self._groups: dict[PodGroupKey, PodGroupInfo] = {}
        self._children: dict[PodGroupKey, dict[PodGroupKey, PodGroupInfo]] = {}
        self._ordered: dict[PodGroupKey, tuple[PodGroupInfo, ...]] = {}

    # --- reading -------------------------------------------------------------------------

    def get(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Return a group's object, or ``None``."""
        return self._groups.get(key)

    def all(self) -> Collection[PodGroupInfo]:
        """Return all group objects."""
        return self._groups.values()

    def children(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        """Return the groups that name this one as their parent, in the order they are tried.

        That is the order of creation; where times are equal, which upstream leaves to chance,
        the order of names.
        """
        ordered = self._ordered.get(key)
        if ordered is None:
            children = sorted(self._children.get(key, {}).values(), key=_by_age)
            ordered = self._ordered[key] = tuple(children)
        return ordered

    def lineage(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        """Return a group and those above it, as far as they are known, each once."""
        group = self._groups.get(key)
        if group is None:
            return ()
        if not group.parent:
            return (group,)
        found: dict[PodGroupKey, PodGroupInfo] = {}
        while group is not None and group.key not in found:
            found[group.key] = group
            above = group.parent_key
            group = None if above is None else self._groups.get(above)
        return tuple(found.values())

    def root(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Return the top of a group's tree.

        ``None``: a group on the way is missing, the way is a circle, or it is too long.
        """
        group = self._groups.get(key)
        if group is None or not group.parent:
            return group
        lineage = self.lineage(key)
        top = lineage[-1]
        return None if top.parent or len(lineage) > DEEPEST_TREE else top

    def leaves(self, key: PodGroupKey) -> list[PodGroupKey]:
        """Return the pod groups at or below a group, in the order in which they are tried.

        The group itself need not exist.
        """
        if not key.is_composite:
            return [key]
        return [group.key for group in self._below(key) if not group.is_composite]

    def _below(self, key: PodGroupKey) -> Iterator[PodGroupInfo]:
        seen = {key}
        left = list(reversed(self.children(key)))
        while left:
            group = left.pop()
            if group.key in seen:
                continue
            seen.add(group.key)
            yield group
            if group.is_composite:
                left.extend(reversed(self.children(group.key)))

    # --- changing ------------------------------------------------------------------------

    def set(self, group: PodGroupInfo) -> PodGroupInfo | None:
        """Add or replace a group's object, and return the older form."""
        old = self._groups.get(group.key)
        if old is not None and old.parent != group.parent:
            self._leave(old)
        self._groups[group.key] = group
        parent = group.parent_key
        if parent is not None:
            self._children.setdefault(parent, {})[group.key] = group
            self._ordered.pop(parent, None)
        return old

    def remove(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Remove a group's object, and return it; its children stay."""
        old = self._groups.pop(key, None)
        if old is not None:
            self._leave(old)
        return old

    def _leave(self, group: PodGroupInfo) -> None:
        parent = group.parent_key
        siblings = self._children.get(parent) if parent is not None else None
        if parent is None or siblings is None:
            return
        siblings.pop(group.key, None)
        self._ordered.pop(parent, None)
        if not siblings:
            del self._children[parent]


def _by_age(group: PodGroupInfo) -> tuple[float, str, str]:
    return (group.created, group.key.name, group.key.kind)
