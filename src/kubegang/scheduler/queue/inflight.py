"""What happened in the cluster while a pod was being decided about.

A pod that is refused may have become schedulable meanwhile: the events since it was popped
are shown to the plugins that refused it before it goes to rest. Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from kubegang.scheduler.framework.events import ClusterEvent, ClusterObject
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo, PodUid


class Happening(NamedTuple):
    """An event and the object before and after it."""

    event: ClusterEvent
    old: ClusterObject | None
    new: ClusterObject | None

    @property
    def group(self) -> PodGroupKey | None:
        """The group that the object is, or is a member of, if any."""
        obj = self.new or self.old
        if isinstance(obj, PodInfo):
            return obj.pod_group
        return obj.key if isinstance(obj, PodGroupInfo) else None


class InFlightPods:
    """Pods that were popped, each with the events since; kept only as long as needed."""

    def __init__(self) -> None:
        self._since: dict[PodUid, int] = {}
        self._events: deque[tuple[int, PodUid | None, Happening]] = deque()
        self._clock = 0

    def __len__(self) -> int:
        return len(self._since)

    def __contains__(self, uid: PodUid) -> bool:
        return uid in self._since

    def start(self, uid: PodUid) -> None:
        """Note that a pod was popped."""
        self._since[uid] = self._clock

    def record(self, happening: Happening, only: PodUid | None = None) -> None:
        """Keep an event for the pods in flight, or for one of them."""
        if self._since:
            self._clock += 1
            self._events.append((self._clock, only, happening))

    def events_for(self, uid: PodUid) -> Iterator[Happening]:
        """Yield what happened since the pod was popped, oldest first."""
        since = self._since[uid]
        for clock, only, happening in self._events:
            if clock > since and (only is None or only == uid):
                yield happening

    def finish(self, uid: PodUid) -> None:
        """Forget a pod, and the events that nobody needs any more."""
        if self._since.pop(uid, None) is None:
            return
        # Pods are kept in the order in which they were popped, so the first one left needs
        # the oldest events.
        oldest = next(iter(self._since.values()), self._clock)
        while self._events and self._events[0][0] <= oldest:
            self._events.popleft()

    def events(self) -> Iterator[ClusterEvent]:
        """Yield the events that are kept, oldest first."""
        return (happening.event for _, _, happening in self._events)
