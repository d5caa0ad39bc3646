"""What happens in a rehearsal, and who waits in it. Pure."""

from __future__ import annotations

from typing import Final

import msgspec

from kubegang.scheduler.framework.pods import NodeName, PodInfo, PodUid
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.queue import SchedulingQueue

_WAITS: Final = frozenset({Place.ACTIVE, Place.BACKOFF, Place.UNSCHEDULABLE})


class Bound(msgspec.Struct, frozen=True):
    """A pod that was bound, and when: seconds since the start."""

    pod: PodInfo
    node: NodeName
    at: float


class Evicted(msgspec.Struct, frozen=True):
    """A pod that was evicted, from where, for whom, and when."""

    pod: PodInfo
    node: NodeName
    preemptor: EntityKey
    at: float


def nobody_returns(_pod: PodInfo) -> PodInfo | None:
    """Say that no controller replaces an evicted pod."""
    return None


def waiting_pods(queue: SchedulingQueue) -> set[PodUid]:
    """Return the pods that are in the queue for an attempt."""
    return {
        queued.pod.uid
        for entry in queue.contents.entries()
        if entry.place in _WAITS
        for queued in entry.pods()
    }
