"""What may be asked about pod groups: by the queue before a cycle, by plugins within one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo, PodUid


class PodGroupLister(Protocol):
    """Groups and the members that have a node."""

    def pod_group(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Return the group's object, or ``None`` while it does not exist."""
        ...

    def scheduled_members(self, key: PodGroupKey) -> Sequence[PodInfo]:
        """Return members that are bound or assumed and not finished, in a fixed order."""
        ...


class PodGroupStates(PodGroupLister, Protocol):
    """Also counts members that have no node; the cache answers, for gating."""

    def known_members(self, key: PodGroupKey) -> int:
        """Return how many members exist that are not finished, with a node or without."""
        ...

    def is_preempting(self, preemptor: PodUid | PodGroupKey) -> bool:
        """Return whether victims of a pod's or group's preemption are still being told to go."""
        ...
