"""What the cache knows of pod groups beyond their objects; fulfils ``PodGroupStates``.

Objects and trees are asked of the snapshot. Members without a node, Workloads and preemptions
under way concern the queue's gates only, so they are kept here. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.resource.types import ResourceClaim
from kubegang.scheduler.cache.members import GroupMembers
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.snapshot.snapshot import Snapshot


class CachedGroups:
    """Groups, and how far their members are.

    Attributes:
        members: counts members; kept up to date by the cache.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.members = GroupMembers()
        self._preempting: set[PodUid | PodGroupKey] = set()
        self._workloads: set[tuple[str, str]] = set()

    # --- objects and trees -----------------------------------------------------------------

    def pod_group(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Return a group's object, or ``None`` while it does not exist."""
        return self._snapshot.pod_group(key)

    def child_groups(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        """Return the groups that name a composite as their parent, in the order of trying."""
        return self._snapshot.child_groups(key)

    def lineage(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        """Return a group and those above it, as far as they are known, each once."""
        return self._snapshot.lineage(key)

    def root_of(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Return the top of a group's tree; ``None`` while it does not lead to one."""
        return self._snapshot.forest.root(key)

    def leaf_groups(self, key: PodGroupKey) -> Sequence[PodGroupKey]:
        """Return the pod groups at or below a group, which need not exist itself."""
        return self._snapshot.forest.leaves(key)

    def device_claim(self, namespace: str, name: str) -> ResourceClaim | None:
        """Return a device claim in its newest form, or ``None``."""
        return self._snapshot.devices.claim(namespace, name)

    # --- members ---------------------------------------------------------------------------

    def scheduled_members(self, key: PodGroupKey) -> Sequence[PodInfo]:
        """Return a group's members that are bound or assumed, in a fixed order."""
        return self._snapshot.scheduled_members(key)

    def known_members(self, key: PodGroupKey) -> int:
        """Return how many members exist that are not finished; of a tree, in all its groups."""
        if not key.is_composite:
            return self.members.counts(key).known
        return sum(self.members.counts(leaf).known for leaf in self.leaf_groups(key))

    # --- Workloads -------------------------------------------------------------------------

    def set_workload(self, namespace: str, name: str) -> None:
        """Note that a Workload exists whose entries are groups."""
        self._workloads.add((namespace, name))

    def remove_workload(self, namespace: str, name: str) -> None:
        """Note that a Workload does not exist any more."""
        self._workloads.discard((namespace, name))

    def has_workload(self, namespace: str, name: str) -> bool:
        """Return whether a Workload exists whose entries are groups."""
        return (namespace, name) in self._workloads

    # --- preemption ------------------------------------------------------------------------

    def begin_preemption(self, preemptor: PodUid | PodGroupKey) -> None:
        """Note that victims are being told to go."""
        self._preempting.add(preemptor)

    def end_preemption(self, preemptor: PodUid | PodGroupKey) -> None:
        """Note that all victims have been told."""
        self._preempting.discard(preemptor)

    def is_preempting(self, preemptor: PodUid | PodGroupKey) -> bool:
        """Return whether victims are still being told to go for a pod or a group."""
        return preemptor in self._preempting
