"""Metrics under the names that kube-scheduler 1.37 uses (measured on 1.37.2).

Counters and histograms are fed as things happen. What is pending is counted when somebody
asks, from the queue and the cache themselves.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Histogram

from kubegang.scheduler.binder.attemptmetrics import AttemptMetrics, GroupAttemptMetrics
from kubegang.scheduler.binder.batchmetrics import BatchMetrics
from kubegang.scheduler.binder.buckets import powers_of_two
from kubegang.scheduler.binder.claimmetrics import ClaimMetrics
from kubegang.scheduler.binder.pointmetrics import PointMetrics
from kubegang.scheduler.binder.preemptionmetrics import PreemptionMetrics
from kubegang.scheduler.binder.queuemetrics import QueueMetrics
from kubegang.scheduler.framework.entities import QueuedPodInfo


class SchedulerMetrics:
    """What the scheduler did, counted into one registry.

    Attributes:
        queue: what happened, and what waits.
        attempts: decisions about pods, and their bindings.
        group_attempts: decisions about pod groups.
        permit_wait: how long pods waited on permit.
        preemption: who had to go for whom.
        batches: pods placed from the ranking of a pod just like them.
        points: extension points and placements.
        claims: claims made for extended resources.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.queue = QueueMetrics(registry)
        self.attempts = AttemptMetrics(registry)
        self.group_attempts = GroupAttemptMetrics(registry)
        self.permit_wait = Histogram(
            "scheduler_permit_wait_duration_seconds",
            "How long pods waited on permit.",
            ("result",),
            buckets=powers_of_two(0.001, 15),
            registry=registry,
        )
        self.preemption = PreemptionMetrics(registry)
        self.batches = BatchMetrics(registry)
        self.points = PointMetrics(registry)
        self.claims = ClaimMetrics(registry)

    def note_bound(self, queued: QueuedPodInfo, *, started: float, now: float) -> None:
        """Count a pod that was bound."""
        self.queue.note_bound(queued.pod.uid)
        self.attempts.note_bound(queued, started=started, now=now)
