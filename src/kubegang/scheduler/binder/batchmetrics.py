"""Metrics of batching under the names that kube-scheduler 1.37 uses (measured on 1.37.2)."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

from kubegang.scheduler.binder.buckets import powers_of_two
from kubegang.scheduler.cycle.batch import BatchReport
from kubegang.scheduler.runtime.metering import BatchStep

_BUCKETS: Final = powers_of_two(0.00001, 12)


class BatchMetrics:
    """How often the ranking of pods that are alike was of use, counted into one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._attempts = Counter(
            "scheduler_batch_attempts",
            "Attempts to use the ranking of an earlier pod, by result.",
            ("profile", "result"),
            registry=registry,
        )
        self._flushes = Counter(
            "scheduler_batch_cache_flushed",
            "Rankings that could not be used or kept, by reason.",
            ("profile", "reason"),
            registry=registry,
        )
        self._rescored = Counter(
            "scheduler_batch_rescore_attempts",
            "Nodes that were ranked anew because they still had room.",
            ("profile",),
            registry=registry,
        )
        self._children: dict[tuple[Counter, str, str], Counter] = {}

    def note(self, profile: str, report: BatchReport) -> None:
        """Count what happened in one cycle."""
        for result, count in report.attempts.items():
            self._child(self._attempts, profile, result).inc(count)
        for reason, count in report.flushes.items():
            self._child(self._flushes, profile, reason).inc(count)
        if report.rescored:
            self._rescored.labels(profile).inc(report.rescored)

    def _child(self, counter: Counter, profile: str, label: str) -> Counter:
        # Looking up a labelled counter costs more than counting; this happens per cycle.
        key = (counter, profile, label)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = counter.labels(profile, label)
        return child


class BatchDurations:
    """How long the steps of batching took, counted into one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._hint = Histogram(
            "scheduler_get_node_hint_duration_seconds",
            "How long looking for a node of an earlier ranking took.",
            ("hinted", "profile"),
            buckets=_BUCKETS,
            registry=registry,
        )
        self._store = Histogram(
            "scheduler_store_schedule_results_duration_seconds",
            "How long keeping a ranking took.",
            ("profile",),
            buckets=_BUCKETS,
            registry=registry,
        )
        self._rescore = Histogram(
            "scheduler_batch_rescore_duration_seconds",
            "How long ranking a node anew took.",
            ("profile",),
            buckets=_BUCKETS,
            registry=registry,
        )

    def of(self, step: BatchStep, profile: str) -> Histogram:
        """Return the histogram of a profile's steps of one kind."""
        match step:
            case "kept":
                return self._store.labels(profile)
            case "rescored":
                return self._rescore.labels(profile)
            case _:
                return self._hint.labels(step, profile)
