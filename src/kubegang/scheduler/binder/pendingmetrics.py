"""What waits in the queue and what the cache holds, counted when metrics are asked for."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Collection, Iterator
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.queue.contents import QueueContents
from kubegang.scheduler.queue.places import Place

QUEUES: Final = {
    Place.ACTIVE: "active",
    Place.BACKOFF: "backoff",
    Place.UNSCHEDULABLE: "unschedulable",
    Place.GATED: "gated",
}
"""The queue's places, as the metrics name them."""


class PendingEntities(Collector):
    """What waits, counted when it is asked for."""

    def __init__(self, queue: QueueContents, cache: Cache, seen: Collection[str]) -> None:
        """Take what is asked, and the names of the events that there have been."""
        self._queue = queue
        self._cache = cache
        self._seen = seen

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Count everything now."""
        yield self._pending_pods()
        yield self._queued_entities()
        yield self._refusing_plugins()
        yield self._in_flight_events()
        yield self._cache_size()

    def _pending_pods(self) -> GaugeMetricFamily:
        pods: Tally[str] = Tally()
        for entry in self._queue.entries():
            if entry.place in QUEUES:
                pods[QUEUES[entry.place]] += entry.size
        pods["incomplete"] = self._queue.incomplete_count
        pods["pending"] = self._queue.pending_count
        pending = GaugeMetricFamily(
            "scheduler_pending_pods", "Pending pods, by queue.", labels=("queue",)
        )
        for queue in (*QUEUES.values(), "incomplete", "pending"):
            pending.add_metric((queue,), pods[queue])
        return pending

    def _queued_entities(self) -> GaugeMetricFamily:
        entities: Tally[tuple[str, str]] = Tally()
        for entry in self._queue.entries():
            if entry.place in QUEUES:
                entities[QUEUES[entry.place], "podgroup" if entry.is_group else "pod"] += 1
        queued = GaugeMetricFamily(
            "scheduler_queued_entities", "Queued pods and pod groups.", labels=("queue", "type")
        )
        for queue in QUEUES.values():
            for kind in ("pod", "podgroup"):
                queued.add_metric((queue, kind), entities[queue, kind])
        return queued

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
