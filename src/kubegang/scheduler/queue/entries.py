"""What the queue keeps about one entity beside the record that a cycle reads. Pure."""

from __future__ import annotations

from collections.abc import Reversible
from dataclasses import dataclass, field
from typing import NamedTuple

from kubegang.scheduler.framework.entities import (
    QueuedEntity,
    QueuedPodGroupInfo,
    QueuedPodInfo,
)
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid
from kubegang.scheduler.queue.places import Place

EntityKey = PodUid | PodGroupKey
"""An ordinary pod by its uid, a group by its name."""


class Gate(NamedTuple):
    """Who holds an entity outside the queue, and why.

    Attributes:
        message: what the plugin says; upstream keeps it to itself.
        pod: the pod that the plugin was asked about.
    """

    plugin: str
    message: str
    pod: QueuedPodInfo

    @property
    def holder(self) -> tuple[str, str]:
        """The profile and the plugin."""
        return self.pod.scheduler_name, self.plugin


@dataclass(slots=True, eq=False)
class Entry:
    """One entity and where it is; only the queue changes it.

    Attributes:
        members: a group's waiting members in the order in which they came; the record gets
            them, in the order in which they are tried, when it is popped. Empty for a pod.
        gate: set exactly while the place is ``GATED``.
        expires: when the backoff ends.
        flushed: when it last was moved because it had waited too long.
        tried_at: for gathered members: how much had happened in the cluster when it was
            tried last. See ``BackoffQueue``. ``None`` once something happened that helps.
    """

    key: EntityKey
    info: QueuedEntity
    place: Place = Place.NOWHERE
    members: dict[PodUid, QueuedPodInfo] = field(default_factory=dict)
    gate: Gate | None = None
    expires: float = 0.0
    flushed: float = 0.0
    tried_at: int | None = None

    def pods(self) -> Reversible[QueuedPodInfo]:
        """Return the entity's pods: the pod itself, or the group's waiting members."""
        if isinstance(self.info, QueuedPodInfo):
            return (self.info,)
        return self.members.values()

    @property
    def size(self) -> int:
        """How many pods it has."""
        return len(self.members) if isinstance(self.info, QueuedPodGroupInfo) else 1

    @property
    def is_group(self) -> bool:
        """Whether it is a pod group."""
        return isinstance(self.info, QueuedPodGroupInfo)
