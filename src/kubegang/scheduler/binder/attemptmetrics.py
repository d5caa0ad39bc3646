"""Metrics of attempts at pods and pod groups: how they ended, and how long they took."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

from kubegang.scheduler.binder.buckets import powers_of_two
from kubegang.scheduler.framework.entities import QueuedPodInfo


class AttemptMetrics:
    """Attempts at pods, algorithm and binding, counted into one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._attempts = Counter(
            "scheduler_schedule_attempts",
            "Attempts to schedule pods, by result.",
            ("result", "profile"),
            registry=registry,
        )
        self._duration = Histogram(
            "scheduler_scheduling_attempt_duration_seconds",
            "How long an attempt took, algorithm and binding.",
            ("result", "profile"),
            buckets=powers_of_two(0.001, 15),
            registry=registry,
        )
        self._algorithm_duration = Histogram(
            "scheduler_scheduling_algorithm_duration_seconds",
            "How long deciding about one pod took.",
            buckets=powers_of_two(0.001, 15),
            registry=registry,
        )
        self._attempts_per_pod = Histogram(
            "scheduler_pod_scheduling_attempts",
            "How many attempts a pod needed.",
            buckets=powers_of_two(1, 5),
            registry=registry,
        )
        self._sli_duration = Histogram(
            "scheduler_pod_scheduling_sli_duration_seconds",
            "From a pod's entry into the queue to its binding, over all attempts.",
            ("attempts",),
            buckets=powers_of_two(0.01, 20),
            registry=registry,
        )

    def note_decided(self, seconds: float) -> None:
        """Count a decision about a pod."""
        self._algorithm_duration.observe(seconds)

    def note_bound(self, queued: QueuedPodInfo, *, started: float, now: float) -> None:
        """Count a pod that was bound."""
        profile = queued.scheduler_name
        self._attempts.labels("scheduled", profile).inc()
        self._duration.labels("scheduled", profile).observe(now - started)
        self._attempts_per_pod.observe(queued.attempts)
        if queued.first_attempt is not None:
            attempts = "15+" if queued.attempts >= 15 else str(queued.attempts)
            self._sli_duration.labels(attempts).observe(now - queued.first_attempt)

    def note_failed(self, profile: str, *, error: bool, seconds: float) -> None:
        """Count a pod that was not placed."""
        result = "error" if error else "unschedulable"
        self._attempts.labels(result, profile).inc()
        self._duration.labels(result, profile).observe(seconds)


class GroupAttemptMetrics:
    """Attempts at pod groups, counted into one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._attempts = Counter(
            "scheduler_podgroup_schedule_attempts",
            "Attempts to schedule pod groups, by result.",
            ("result", "profile"),
            registry=registry,
        )
        self._duration = Histogram(
            "scheduler_podgroup_scheduling_attempt_duration_seconds",
            "How long an attempt at a pod group took.",
            ("result", "profile"),
            buckets=powers_of_two(0.001, 15),
            registry=registry,
        )
        self._algorithm_duration = Histogram(
            "scheduler_podgroup_scheduling_algorithm_duration_seconds",
            "How long deciding about one pod group took.",
            buckets=powers_of_two(0.001, 15),
            registry=registry,
        )

    def note_decided(self, profile: str, *, result: str, seconds: float) -> None:
        """Count an attempt at a pod group."""
        self._attempts.labels(result, profile).inc()
        self._duration.labels(result, profile).observe(seconds)
        self._algorithm_duration.observe(seconds)
