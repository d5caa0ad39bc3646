"""Members that wait beside the queue: their group is unknown, or is being decided about.

Pure.
"""

from __future__ import annotations

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo, PodUid


class WaitingMembers:
    """Members by the group that they wait for, each group's in the order in which they came."""

    def __init__(self) -> None:
        self._groups: dict[PodGroupKey, dict[PodUid, QueuedPodInfo]] = {}
        self._waits_for: dict[PodUid, PodGroupKey] = {}

    def __len__(self) -> int:
        return len(self._waits_for)

    def __contains__(self, uid: PodUid) -> bool:
        return uid in self._waits_for

    def add(self, group: PodGroupKey, queued: QueuedPodInfo) -> None:
        """Let a member wait for a group."""
        self._groups.setdefault(group, {})[queued.pod.uid] = queued
        self._waits_for[queued.pod.uid] = group

    def waits_for(self, uid: PodUid) -> PodGroupKey | None:
        """Return the group that a member waits for, or ``None`` if it is not here."""
        return self._waits_for.get(uid)

    def remove(self, uid: PodUid) -> QueuedPodInfo | None:
        """Take a member out and return it, or ``None``."""
        group = self._waits_for.pop(uid, None)
        if group is None:
            return None
        members = self._groups[group]
        queued = members.pop(uid)
        if not members:
            del self._groups[group]
        return queued

    def take(self, group: PodGroupKey) -> list[QueuedPodInfo]:
        """Take out all members that wait for a group."""
        members = self._groups.pop(group, {})
        for uid in members:
            del self._waits_for[uid]
        return list(members.values())

    def of(self, group: PodGroupKey) -> list[QueuedPodInfo]:
        """Return all members that wait for a group."""
        return list(self._groups.get(group, {}).values())

    def groups(self) -> list[PodGroupKey]:
        """Return all groups that are waited for."""
        return list(self._groups)

    def replace_pod(self, pod: PodInfo) -> QueuedPodInfo | None:
        """Put a newer form of a member in place, and return its record, or ``None``."""
        group = self._waits_for.get(pod.uid)
        if group is None:
            return None
        queued = self._groups[group][pod.uid]
        queued.pod = pod
        return queued
