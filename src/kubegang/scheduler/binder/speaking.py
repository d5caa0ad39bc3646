"""Telling users about held groups and pods, for profiles that speak.

kube-scheduler says nothing while a gang waits for pods, its PodGroup or a gate. A profile
that speaks says what the queue knows, in condition and event, once the entity has been held
for a moment: while a Job's pods are being created, every gang is short of pods.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from kubegang.scheduler.binder.events import EventRecorder
from kubegang.scheduler.binder.references import pod_group_reference, pod_reference
from kubegang.scheduler.binder.status import Condition, StatusWriter
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.contents import QueueContents
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.explaining import Waiting
from kubegang.scheduler.queue.places import Place

PATIENCE_SECONDS: Final = 1.0
"""How long an entity must be held, unchanged, before anything is said."""

REASON: Final = "Waiting"
"""Not Unschedulable: more nodes would not help, and autoscalers act on that word."""

_HELD: Final = frozenset({Place.GATED, Place.INCOMPLETE})


class HeldReporter:
    """Notes who is held, and speaks when it has lasted."""

    def __init__(
        self,
        queue: QueueContents,
        cache: Cache,
        *,
        statuses: StatusWriter,
        events: EventRecorder,
        speaking: Collection[str],
        group_api_version: str,
    ) -> None:
        """Set up.

        Args:
            queue: knows who is held, and why.
            cache: knows group objects.
            statuses: writes conditions.
            events: writes events.
            speaking: the schedulerNames whose pods are spoken about.
            group_api_version: the API version of PodGroup, for events.
        """
        self._queue = queue
        self._cache = cache
        self._statuses = statuses
        self._events = events
        self._speaking = frozenset(speaking)
        self._group_api_version = group_api_version
        self._held_since: dict[EntityKey, float] = {}
        self._said: dict[EntityKey, str] = {}

    def note(self, moves: Iterable[Move], *, now: float) -> None:
        """Remember who was held, or held anew, by these moves."""
        if not self._speaking:
            return
        for move in moves:
            if move.finish in _HELD or (move.start in _HELD and move.kind == "member"):
                self._held_since[move.entity] = now
            elif move.kind != "member":
                self._held_since.pop(move.entity, None)
                self._said.pop(move.entity, None)

    def next_report(self) -> float | None:
        """Return when there may be something to say, or ``None``."""
        if not self._held_since:
            return None
        return min(self._held_since.values()) + PATIENCE_SECONDS

    def tick(self, *, now: float) -> None:
        """Speak about those that have been held for long enough."""
        due = [key for key, t in self._held_since.items() if now - t >= PATIENCE_SECONDS]
        for key in due:
            del self._held_since[key]
            if self._queue.entity_of(key) != key:
                # Its members wait with the root of their tree now, which was noted itself.
                self._said.pop(key, None)
                continue
            waiting = self._queue.explain(key, now=now)
            if waiting is not None and waiting.place in _HELD:
                self._speak(key, waiting)
            else:
                self._said.pop(key, None)

    def _speak(self, key: EntityKey, waiting: Waiting) -> None:
        pods = [p for p in self._queue.pods_of(key) if p.scheduler_name in self._speaking]
        if not pods or self._said.get(key) == waiting.message:
            return
        self._said[key] = waiting.message
        condition = Condition("False", REASON, waiting.message)
        for pod in pods:
            # The API server itself says which pods have scheduling gates.
            if not pod.scheduling_gates:
                self._statuses.set_pod_condition(pod, condition)
        group = self._cache.groups.pod_group(key) if isinstance(key, PodGroupKey) else None
        if group is None:
            self._tell(pods[0], pod_reference(pods[0]), waiting.message)
        else:
            for leaf in self._cache.groups.leaf_groups(group.key):
                told = self._cache.groups.pod_group(leaf)
                if told is not None:
                    self._statuses.set_group_condition(told, condition)
            reference = pod_group_reference(group, api_version=self._group_api_version)
            self._tell(pods[0], reference, waiting.message)

    def _tell(self, pod: PodInfo, reference: dict[str, object], note: str) -> None:
        self._events.record(
            reference,
            type="Normal",
            reason=REASON,
            action="Scheduling",
            note=note,
            controller=pod.scheduler_name,
        )
