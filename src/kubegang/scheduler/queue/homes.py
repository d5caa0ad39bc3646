"""Which entity holds the waiting members of each pod group.

For a pod group without a parent that is the group itself, for others the root of their tree
as it was when the members joined: trees change while their entities are decided about. Pure.
"""

from __future__ import annotations

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid
from kubegang.scheduler.queue.entries import Entry


def leaf_of(queued: QueuedPodInfo) -> PodGroupKey:
    """Return the pod group that a member names."""
    group = queued.pod.pod_group
    if group is None:
        raise InvariantError(f"pod {queued.key} is no member of a group")
    return group


class Homes:
    """Entities by pod group; the only way to put members in and to take them out."""

    def __init__(self) -> None:
        self._entries: dict[PodGroupKey, Entry] = {}
        self._counts: dict[PodGroupKey, int] = {}

    def of(self, leaf: PodGroupKey) -> Entry | None:
        """Return the entity that holds members of a pod group, or ``None``."""
        return self._entries.get(leaf)

    def add(self, entry: Entry, queued: QueuedPodInfo) -> None:
        """Put a member into an entity."""
        leaf = leaf_of(queued)
        entry.members[queued.pod.uid] = queued
        self._entries[leaf] = entry
        self._counts[leaf] = self._counts.get(leaf, 0) + 1

    def remove(self, leaf: PodGroupKey, uid: PodUid) -> QueuedPodInfo | None:
        """Take a member out of its entity and return it, or ``None``."""
        entry = self._entries.get(leaf)
        queued = entry.members.pop(uid, None) if entry is not None else None
        if queued is None:
            return None
        self._counts[leaf] -= 1
        if not self._counts[leaf]:
            del self._counts[leaf], self._entries[leaf]
        return queued

    def members(self, leaf: PodGroupKey) -> list[QueuedPodInfo]:
        """Return the waiting members of one pod group that are in its entity."""
        entry = self._entries.get(leaf)
        if entry is None:
            return []
        return [queued for queued in entry.members.values() if queued.pod.pod_group == leaf]
