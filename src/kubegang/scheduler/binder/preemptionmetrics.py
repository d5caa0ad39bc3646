"""Metrics of preemption under the names that kube-scheduler 1.37 uses."""

from __future__ import annotations

from typing import Final, Literal

from prometheus_client import CollectorRegistry, Counter, Histogram

from kubegang.scheduler.binder.buckets import powers_of_two
from kubegang.scheduler.cycle.decision import SearchForRoom
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid

Preemptor = Literal["pod", "podgroup", "compositepodgroup"]
"""Who has others evicted; the search for them counts composites as pod groups (1.37.2)."""


_VICTIMS: Final = powers_of_two(1, 7)
_WORKLOAD_VICTIMS: Final = powers_of_two(1, 11)


class PreemptionMetrics:
    """What preemption looked for, found and did, counted into one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._attempts = Counter(
            "scheduler_preemption_attempts",
            "Attempts to make room for a pod.",
            registry=registry,
        )
        self._victims = Histogram(
            "scheduler_preemption_victims",
            "Victims of a preemption for a pod.",
            buckets=_VICTIMS,
            registry=registry,
        )
        self._workload_attempts = Counter(
            "scheduler_workload_preemption_attempts",
            "Attempts to make room for a pod group, by result.",
            ("result",),
            registry=registry,
        )
        self._workload_victims = Histogram(
            "scheduler_workload_preemption_victims",
            "Victims of a preemption for a pod group.",
            buckets=_WORKLOAD_VICTIMS,
            registry=registry,
        )
        self._disruptions = Histogram(
            "scheduler_preemption_workload_disruptions",
            "Members of pod groups, or whole groups, among the victims of a preemption.",
            ("preemptor",),
            buckets=_WORKLOAD_VICTIMS,
            registry=registry,
        )
        self._budget_violations = Counter(
            "scheduler_preemption_pdb_violations",
            "Victims that a disruption budget protected.",
            ("preemptor",),
            registry=registry,
        )
        self._execution = Histogram(
            "scheduler_preemption_execution_duration_seconds",
            "How long telling all victims of a preemption to go took.",
            ("preemptor", "result"),
            buckets=powers_of_two(0.001, 16),
            registry=registry,
        )

        self._tasks = Counter(
            "scheduler_preemption_goroutines_execution",
            "Preemptions that ran beside the decisions.",
            ("result",),
            registry=registry,
        )
        self._task_duration = Histogram(
            "scheduler_preemption_goroutines_duration_seconds",
            "How long preemptions took that ran beside the decisions.",
            ("result",),
            buckets=powers_of_two(0.01, 20),
            registry=registry,
        )

    def note_search(self, room: SearchForRoom, *, for_group: bool) -> None:
        """Count a search for room."""
        if for_group:
            self._workload_attempts.labels(room.outcome).inc()
        else:
            self._attempts.inc()
        if room.victims:
            (self._workload_victims if for_group else self._victims).observe(room.victims)
        if room.group_units:
            self._disruptions.labels(_preemptor(for_group=for_group)).observe(room.group_units)
        if room.budget_violations:
            self._budget_violations.labels(_preemptor(for_group=for_group)).inc(
                room.budget_violations
            )

    def note_execution(self, preemptor: Preemptor, *, failed: bool, seconds: float) -> None:
        """Count a preemption whose victims have been told."""
        result = "error" if failed else "success"
        self._execution.labels(preemptor, result).observe(seconds)
        self._tasks.labels(result).inc()
        self._task_duration.labels(result).observe(seconds)


def preemptor_of(key: PodUid | PodGroupKey) -> Preemptor:
    """Return what kind of entity has others evicted."""
    if not isinstance(key, PodGroupKey):
        return "pod"
    return "compositepodgroup" if key.is_composite else "podgroup"


def _preemptor(*, for_group: bool) -> Preemptor:
    return "podgroup" if for_group else "pod"
