"""Members that wait beside the queue: their group is unknown, or is being decided about.

Pure.
"""

from __future__ import annotations

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo, PodUid


class WaitingMembers:
    """Members by group, each group's in the order in which they came."""

    def __init__(self) -> None:
        self._groups: dict[PodGroupKey, dict[PodUid, QueuedPodInfo]] = {}
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, group: PodGroupKey, queued: QueuedPodInfo) -> None:
        """Let a member wait for its group."""
        members = self._groups.setdefault(group, {})
        self._size += queued.pod.uid not in members
        members[queued.pod.uid] = queued

    def get(self, group: PodGroupKey, uid: PodUid) -> QueuedPodInfo | None:
        """Return a member, or ``None``."""
        return self._groups.get(group, {}).get(uid)

    def remove(self, group: PodGroupKey, uid: PodUid) -> QueuedPodInfo | None:
        """Take a member out and return it, or ``None``."""
        members = self._groups.get(group)
        queued = members.pop(uid, None) if members else None
        if queued is not None:
            self._size -= 1
        if members is not None and not members:
            del self._groups[group]
        return queued

    def take(self, group: PodGroupKey) -> list[QueuedPodInfo]:
        """Take out all members of a group."""
        members = self._groups.pop(group, {})
        self._size -= len(members)
        return list(members.values())

    def of(self, group: PodGroupKey) -> list[QueuedPodInfo]:
        """Return all members of a group."""
        return list(self._groups.get(group, {}).values())

    def groups(self) -> list[PodGroupKey]:
        """Return all groups that have waiting members."""
        return list(self._groups)

    def replace_pod(self, pod: PodInfo) -> QueuedPodInfo | None:
        """Put a newer form of a member in place, and return its record, or ``None``."""
        queued = self.get(pod.pod_group, pod.uid) if pod.pod_group is not None else None
        if queued is not None:
            queued.pod = pod
        return queued
