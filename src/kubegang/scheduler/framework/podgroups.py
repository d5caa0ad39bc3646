"""What may be asked about pod groups: by the queue before a cycle, by plugins within one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from kubegang.api.resource.types import ResourceClaim
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo, PodUid

DEEPEST_TREE: Final = 64
"""More levels than this, the pod group counted, are no tree; the API sets no limit."""


class PodGroupLister(Protocol):
    """Groups and the members that have a node."""

    def pod_group(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Return the group's object, or ``None`` while it does not exist."""
        ...

    def child_groups(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        """Return the groups that name a composite as their parent, in the order of trying."""
        ...

    def lineage(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        """Return a group and those above it, as far as they are known, each once."""
        ...

    def scheduled_members(self, key: PodGroupKey) -> Sequence[PodInfo]:
        """Return members that are bound or assumed and not finished, in a fixed order."""
        ...


class PodGroupStates(PodGroupLister, Protocol):
    """Also counts members that have no node; the cache answers, for gating."""

    def root_of(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Return the top of a group's tree; ``None`` while it does not lead to one."""
        ...

    def leaf_groups(self, key: PodGroupKey) -> Sequence[PodGroupKey]:
        """Return the pod groups at or below a group, which need not exist itself."""
        ...

    def known_members(self, key: PodGroupKey) -> int:
        """Return how many members exist that are not finished, with a node or without."""
        ...

    def has_workload(self, namespace: str, name: str) -> bool:
        """Return whether a Workload exists whose entries are groups (1.35)."""
        ...

    def device_claim(self, namespace: str, name: str) -> ResourceClaim | None:
        """Return a device claim in its newest form, or ``None``."""
        ...

    def is_preempting(self, preemptor: PodUid | PodGroupKey) -> bool:
        """Return whether victims of a pod's or group's preemption are still being told to go."""
        ...


def has_quorum(groups: PodGroupStates, group: PodGroupInfo) -> bool:
    """Return whether enough of a group exists to make an attempt worth it.

    Of a pod group these are pods, of a composite child groups of which enough exists (1.37).
    """
    if not group.is_composite:
        return groups.known_members(group.key) >= group.quorum
    missing = group.quorum
    for child in groups.child_groups(group.key):
        missing -= has_quorum(groups, child)
        if missing <= 0:
            return True
    return False
