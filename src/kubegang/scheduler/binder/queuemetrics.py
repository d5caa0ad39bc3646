"""Metrics of the queue: what happened, what entered it, and who had waited too long."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram

from kubegang.scheduler.binder.buckets import powers_of_two
from kubegang.scheduler.binder.pendingmetrics import QUEUES, PendingEntities
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.changes import WAITED_TOO_LONG
from kubegang.scheduler.queue.contents import QueueContents
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.places import Place


class QueueMetrics:
    """What moved through the queue, counted into one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._by_event: dict[str, Histogram] = {}
        self._by_queue: dict[tuple[str, str, str], Counter] = {}
        self._flushed: set[EntityKey] = set()
        self._event_duration = Histogram(
            "scheduler_event_handling_duration_seconds",
            "How long handling one event took.",
            ("event",),
            buckets=powers_of_two(0.0001, 12),
            registry=registry,
        )
        self._incoming_pods = Counter(
            "scheduler_queue_incoming_pods",
            "Pods added to queues, by event and queue.",
            ("queue", "event"),
            registry=registry,
        )
        self._incoming_entities = Counter(
            "scheduler_queue_incoming_entities",
            "Pods and pod groups added to queues, by event, queue and type.",
            ("queue", "event", "type"),
            registry=registry,
        )
        self._scheduled_after_flush = Counter(
            "scheduler_pod_scheduled_after_flush",
            "Pods bound after they were tried again only because they had waited too long.",
            registry=registry,
        )

    def watch(self, queue: QueueContents, cache: Cache) -> None:
        """Let the registry ask queue and cache what is pending."""
        self._registry.register(PendingEntities(queue, cache, self._by_event))

    def note_event(self, event: str, seconds: float) -> None:
        """Count an event that was handled."""
        child = self._by_event.get(event)
        if child is None:
            child = self._by_event[event] = self._event_duration.labels(event)
        child.observe(seconds)

    def note_moves(self, moves: Iterable[Move]) -> None:
        """Count what entered which queue."""
        for move in moves:
            self._note_flush(move)
            queue = _incoming_queue(move.finish)
            if not queue or not move.event:
                continue
            self._incoming(queue, move.event).inc(move.pods)
            if move.kind != "member":
                self._incoming(queue, move.event, move.kind).inc()

    def note_bound(self, uid: PodUid) -> None:
        """Count a pod that was bound, if it had been tried again for having waited too long."""
        if uid in self._flushed:
            self._flushed.discard(uid)
            self._scheduled_after_flush.inc()

    def _note_flush(self, move: Move) -> None:
        """Remember who is tried again for having waited too long, until it is tried in vain."""
        if move.event == WAITED_TOO_LONG:
            self._flushed.add(move.entity)
        elif move.finish in (Place.UNSCHEDULABLE, Place.GATED):
            self._flushed.discard(move.entity)

    def _incoming(self, queue: str, event: str, kind: str = "") -> Counter:
        # Looking up a labelled counter costs more than counting; this happens per event.
        labels = (queue, event, kind)
        child = self._by_queue.get(labels)
        if child is None:
            counter = self._incoming_entities if kind else self._incoming_pods
            child = self._by_queue[labels] = counter.labels(*filter(None, labels))
        return child


def _incoming_queue(place: Place) -> str:
    """Return the queue's name in the counters of incoming pods, or empty."""
    if place is Place.GATED:
        return QUEUES[Place.UNSCHEDULABLE]
    return QUEUES.get(place, "")
