"""Metrics under the names that kube-scheduler 1.37 uses (measured on 1.37.2).

Counters and histograms are fed as things happen. What is pending is counted when somebody
asks, from the queue and the cache themselves.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from kubegang.scheduler.binder.batchmetrics import BatchMetrics
from kubegang.scheduler.binder.pointmetrics import PointMetrics
from kubegang.scheduler.binder.preemptionmetrics import PreemptionMetrics
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.changes import WAITED_TOO_LONG
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.queue import SchedulingQueue

_QUEUES: Final = {
    Place.ACTIVE: "active",
    Place.BACKOFF: "backoff",
    Place.UNSCHEDULABLE: "unschedulable",
    Place.GATED: "gated",
}


def _exponential(start: float, count: int) -> tuple[float, ...]:
    return tuple(start * 2.0**power for power in range(count))


class SchedulerMetrics:
    """What the scheduler did, counted into one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._by_event: dict[str, Histogram] = {}
        self._by_queue: dict[tuple[str, str, str], Counter] = {}
        self.schedule_attempts = Counter(
            "scheduler_schedule_attempts",
            "Attempts to schedule pods, by result.",
            ("result", "profile"),
            registry=registry,
        )
        self.attempt_duration = Histogram(
            "scheduler_scheduling_attempt_duration_seconds",
            "How long an attempt took, algorithm and binding.",
            ("result", "profile"),
            buckets=_exponential(0.001, 15),
            registry=registry,
        )
        self.algorithm_duration = Histogram(
            "scheduler_scheduling_algorithm_duration_seconds",
            "How long deciding about one pod took.",
            buckets=_exponential(0.001, 15),
            registry=registry,
        )
        self.pod_group_attempts = Counter(
            "scheduler_podgroup_schedule_attempts",
            "Attempts to schedule pod groups, by result.",
            ("result", "profile"),
            registry=registry,
        )
        self.pod_group_attempt_duration = Histogram(
            "scheduler_podgroup_scheduling_attempt_duration_seconds",
            "How long an attempt at a pod group took.",
            ("result", "profile"),
            buckets=_exponential(0.001, 15),
            registry=registry,
        )
        self.pod_group_algorithm_duration = Histogram(
            "scheduler_podgroup_scheduling_algorithm_duration_seconds",
            "How long deciding about one pod group took.",
            buckets=_exponential(0.001, 15),
            registry=registry,
        )
        self.pod_attempts = Histogram(
            "scheduler_pod_scheduling_attempts",
            "How many attempts a pod needed.",
            buckets=_exponential(1, 5),
            registry=registry,
        )
        self.pod_sli_duration = Histogram(
            "scheduler_pod_scheduling_sli_duration_seconds",
            "From a pod's entry into the queue to its binding, over all attempts.",
            ("attempts",),
            buckets=_exponential(0.01, 20),
            registry=registry,
        )
        self.event_duration = Histogram(
            "scheduler_event_handling_duration_seconds",
            "How long handling one event took.",
            ("event",),
            buckets=_exponential(0.0001, 12),
            registry=registry,
        )
        self.incoming_pods = Counter(
            "scheduler_queue_incoming_pods",
            "Pods added to queues, by event and queue.",
            ("queue", "event"),
            registry=registry,
        )
        self.incoming_entities = Counter(
            "scheduler_queue_incoming_entities",
            "Pods and pod groups added to queues, by event, queue and type.",
            ("queue", "event", "type"),
            registry=registry,
        )

        self.preemption = PreemptionMetrics(registry)
        self.batches = BatchMetrics(registry)
        self.points = PointMetrics(registry)
        self.permit_wait = Histogram(
            "scheduler_permit_wait_duration_seconds",
            "How long pods waited on permit.",
            ("result",),
            buckets=_exponential(0.001, 15),
            registry=registry,
        )
        self.scheduled_after_flush = Counter(
            "scheduler_pod_scheduled_after_flush",
            "Pods bound after they were tried again only because they had waited too long.",
            registry=registry,
        )
        self._flushed: set[EntityKey] = set()

    def watch(self, queue: SchedulingQueue, cache: Cache) -> None:
        """Let the registry ask queue and cache what is pending."""
        self._registry.register(_Pending(queue, cache, self._by_event))

    def note_event(self, event: str, seconds: float) -> None:
        """Count an event that was handled."""
        child = self._by_event.get(event)
        if child is None:
            child = self._by_event[event] = self.event_duration.labels(event)
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
            counter = self.incoming_entities if kind else self.incoming_pods
            child = self._by_queue[labels] = counter.labels(*filter(None, labels))
        return child

    def note_bound(self, queued: QueuedPodInfo, *, started: float, now: float) -> None:
        """Count a pod that was bound."""
        profile = queued.scheduler_name
        if queued.pod.uid in self._flushed:
            self._flushed.discard(queued.pod.uid)
            self.scheduled_after_flush.inc()
        self.schedule_attempts.labels("scheduled", profile).inc()
        self.attempt_duration.labels("scheduled", profile).observe(now - started)
        self.pod_attempts.observe(queued.attempts)
        if queued.first_attempt is not None:
            attempts = "15+" if queued.attempts >= 15 else str(queued.attempts)
            self.pod_sli_duration.labels(attempts).observe(now - queued.first_attempt)

    def note_failed(self, profile: str, *, error: bool, seconds: float) -> None:
        """Count a pod that was not placed."""
        result = "error" if error else "unschedulable"
        self.schedule_attempts.labels(result, profile).inc()
        self.attempt_duration.labels(result, profile).observe(seconds)

    def note_group(self, profile: str, *, result: str, seconds: float) -> None:
        """Count an attempt at a pod group."""
        self.pod_group_attempts.labels(result, profile).inc()
        self.pod_group_attempt_duration.labels(result, profile).observe(seconds)
        self.pod_group_algorithm_duration.observe(seconds)


class _Pending(Collector):
    """What waits, counted when it is asked for."""

    def __init__(self, queue: SchedulingQueue, cache: Cache, seen: Collection[str]) -> None:
        """Take what is asked, and the names of the events that there have been."""
        self._queue = queue
        self._cache = cache
        self._seen = seen

    def collect(self) -> Iterator[GaugeMetricFamily]:
        pods: Tally[str] = Tally()
        entities: Tally[tuple[str, str]] = Tally()
        for entry in self._queue.entries():
            queue = _QUEUES.get(entry.place)
            if queue is not None:
                pods[queue] += entry.size
                entities[queue, "podgroup" if entry.is_group else "pod"] += 1
        pods["incomplete"] = self._queue.incomplete_count
        pods["pending"] = self._queue.pending_count
        pending = GaugeMetricFamily(
            "scheduler_pending_pods", "Pending pods, by queue.", labels=("queue",)
        )
        for queue in (*_QUEUES.values(), "incomplete", "pending"):
            pending.add_metric((queue,), pods[queue])
        yield pending
        queued = GaugeMetricFamily(
            "scheduler_queued_entities", "Queued pods and pod groups.", labels=("queue", "type")
        )
        for queue in _QUEUES.values():
            for kind in ("pod", "podgroup"):
                queued.add_metric((queue, kind), entities[queue, kind])
        yield queued
        yield self._refusing_plugins()
        yield self._in_flight_events()
        yield self._cache_size()

    def _refusing_plugins(self) -> GaugeMetricFamily:
        refused: Tally[tuple[str, str]] = Tally()
        for entry in self._queue.entries():
            for pod in entry.pods():
                refused.update((plugin, pod.scheduler_name) for plugin in pod.rejected_by)
        refusing = GaugeMetricFamily(
            "scheduler_unschedulable_pods",
            "Pods that a plugin refused in their last attempt.",
            labels=("plugin", "profile"),
        )
        for labels, count in refused.items():
            refusing.add_metric(labels, count)
        return refusing

    def _in_flight_events(self) -> GaugeMetricFamily:
        events = GaugeMetricFamily(
            "scheduler_inflight_events",
            "Events kept for pods that are being decided about.",
            labels=("event",),
        )
        kept = {**dict.fromkeys(self._seen, 0), **self._queue.in_flight_events()}
        for event, count in kept.items():
            events.add_metric((event,), count)
        return events

    def _cache_size(self) -> GaugeMetricFamily:
        size = GaugeMetricFamily(
            "scheduler_cache_size", "What the scheduler's cache holds.", labels=("type",)
        )
        size.add_metric(("nodes",), self._cache.snapshot().nodes.size)
        size.add_metric(("pods",), self._cache.counted_pods)
        size.add_metric(("assumed_pods",), self._cache.assumed_count)
        return size


def _incoming_queue(place: Place) -> str:
    """Return the queue's name in the counters of incoming pods, or empty."""
    if place is Place.GATED:
        return "unschedulable"
    return _QUEUES.get(place, "")
