"""Pods that have a node and wait on permit, as a rehearsal keeps them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubegang.scheduler.framework.binding import PermitWait, WaitingPod
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid


@dataclass(slots=True)
class Held:
    """A waiting pod, and what is needed to bind it or to queue it again."""

    queued: QueuedPodInfo
    view: WaitingPod
    state: CycleState | None


class HeldPods:
    """The pods that wait; fulfils ``WaitingPods``."""

    def __init__(self) -> None:
        self._held: dict[PodUid, Held] = {}

    def get(self, uid: PodUid) -> WaitingPod | None:
        """Return a waiting pod, or ``None``."""
        held = self._held.get(uid)
        return held.view if held else None

    def all(self) -> Sequence[WaitingPod]:
        """Return all waiting pods, oldest first."""
        return [held.view for held in self._held.values()]

    def members(self, key: PodGroupKey) -> Sequence[WaitingPod]:
        """Return the waiting pods of a group, oldest first."""
        return [view for view in self.all() if view.pod.pod_group == key]

    def next_deadline(self) -> float | None:
        """Return when the first of them has waited too long."""
        waits = (wait.deadline for view in self.all() for wait in view.waits)
        return min(waits, default=None)

    def hold(self, held: Held) -> None:
        """Let a pod wait."""
        self._held[held.view.pod.uid] = held

    def allow(self, plugin: str, uid: PodUid) -> Held | None:
        """Let a pod go on for one plugin; return it if nobody makes it wait any more."""
        held = self._held.get(uid)
        if held is None:
            return None
        left = tuple(wait for wait in held.view.waits if wait.plugin != plugin)
        held.view = held.view._replace(waits=left)
        return None if left else self._held.pop(uid)

    def drop(self, uid: PodUid) -> Held | None:
        """Return a pod that waits no more."""
        return self._held.pop(uid, None)

    def overdue(self, *, now: float) -> list[tuple[str, PodUid]]:
        """Return who has waited too long, with the plugin for which it waited."""
        return [
            (wait.plugin, view.pod.uid)
            for view in self.all()
            if (wait := _first_over(view.waits, now)) is not None
        ]


def _first_over(waits: Sequence[PermitWait], now: float) -> PermitWait | None:
    return next((wait for wait in waits if wait.deadline <= now), None)
