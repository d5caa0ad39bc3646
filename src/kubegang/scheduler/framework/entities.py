"""What the queue holds and a cycle decides about: a pod, or a whole pod group.

The queue owns these records and changes their bookkeeping; a cycle only reads them.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo


class QueuedPodInfo(msgspec.Struct, kw_only=True, gc=False):
    """A pending pod with its queue data.

    Attributes:
        timestamp: when it was (last) added to the queue; orders equals.
        first_attempt: when it was first popped, or ``None``.
        attempts: how often it was popped.
        unschedulable_count: attempts that ended unschedulable; drives the backoff.
        consecutive_errors: attempts in a row that ended in an error; drives it too.
        rejected_by: plugins that refused it in its last attempt; their hints are asked.
        activation: counts up over all pods as they are let go for the first time; 0 before.
    """

    pod: PodInfo
    timestamp: float
    first_attempt: float | None = None
    attempts: int = 0
    unschedulable_count: int = 0
    consecutive_errors: int = 0
    rejected_by: frozenset[str] = frozenset()
    activation: int = 0

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return self.pod.key

    @property
    def priority(self) -> int:
        """The pod's priority."""
        return self.pod.priority

    @property
    def scheduler_name(self) -> str:
        """Whose profile decides."""
        return self.pod.scheduler_name


class QueuedPodGroupInfo(msgspec.Struct, kw_only=True, gc=False):
    """A pod group with all its members that wait to be scheduled, as one entry of the queue.

    Attributes:
        members: pending members in the order in which they are tried: creation order.
        priority: the group's; members must have the same.
        timestamp: when the group was (last) added to the queue; orders equals.
    """

    group: PodGroupKey
    members: list[QueuedPodInfo]
    priority: int
    timestamp: float
    first_attempt: float | None = None
    attempts: int = 0
    unschedulable_count: int = 0
    consecutive_errors: int = 0

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return str(self.group)

    @property
    def scheduler_name(self) -> str:
        """Whose profile decides: that of the first member, empty without members."""
        return self.members[0].scheduler_name if self.members else ""


QueuedEntity = QueuedPodInfo | QueuedPodGroupInfo


def members_of(entity: QueuedEntity) -> Sequence[QueuedPodInfo]:
    """Return the pods that an attempt is about."""
    return entity.members if isinstance(entity, QueuedPodGroupInfo) else (entity,)
