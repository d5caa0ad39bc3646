"""Metrics of extension points and placements, under the names that kube-scheduler uses.

Evaluations by plugin are added up when somebody asks: counting them one by one would cost
more than many of the evaluations.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence, Set
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from kubegang.base.clock import Clock
from kubegang.scheduler.binder.batchmetrics import BatchDurations
from kubegang.scheduler.binder.buckets import powers_of_two
from kubegang.scheduler.framework.status import Status
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.metering import BatchStep

_PREEMPTORS: Final = {"PostFilter": "pod", "PodGroupPostFilter": "podgroup"}


class PointMetrics(Collector):
    """What all profiles' extension points did."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.points = Histogram(
            "scheduler_framework_extension_point_duration_seconds",
            "How long asking all plugins of an extension point took.",
            ("extension_point", "status", "profile"),
            buckets=powers_of_two(0.0001, 12),
            registry=registry,
        )
        self.generated = Counter(
            "scheduler_generated_placements",
            "Candidate placements of pod groups.",
            ("profile",),
            registry=registry,
        )
        self.tried = Counter(
            "scheduler_placement_evaluations",
            "Candidate placements that pod groups were tried on, by result.",
            ("result", "profile"),
            registry=registry,
        )
        self.trying = Histogram(
            "scheduler_placement_evaluation_duration_seconds",
            "How long trying a pod group on a placement took.",
            ("result", "profile"),
            buckets=powers_of_two(0.001, 15),
            registry=registry,
        )
        self.preempting = Histogram(
            "scheduler_preemption_evaluation_duration_seconds",
            "How long looking for victims took.",
            ("preemptor", "result"),
            buckets=powers_of_two(0.001, 16),
            registry=registry,
        )
        self.batching = BatchDurations(registry)
        self._meters: list[ProfileMeter] = []
        registry.register(self)

    def meter(self, framework: Framework, *, profile: str, clock: Clock) -> ProfileMeter:
        """Return the meter of one profile's framework."""
        made = ProfileMeter(self, framework, profile=profile, clock=clock)
        self._meters.append(made)
        return made

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield how often each plugin was asked."""
        family = CounterMetricFamily(
            "scheduler_plugin_evaluation",
            "Attempts to schedule pods that asked a plugin, by extension point.",
            labels=("plugin", "extension_point", "profile"),
        )
        for meter in self._meters:
            for (plugin, point), count in meter.evaluations().items():
                family.add_metric((plugin, point, meter.profile), count)
        yield family


class ProfileMeter:
    """Counts what one profile's framework does; fulfils ``Meter``.

    Attributes:
        profile: the scheduler name.
    """

    def __init__(
        self, metrics: PointMetrics, framework: Framework, *, profile: str, clock: Clock
    ) -> None:
        self.profile = profile
        self._metrics = metrics
        self._clock = clock
        self._plugins: dict[str, Sequence[str]] = {
            "PreFilter": [p.NAME for p in framework.pre_filter_plugins],
            "Filter": [kind.name for kind in framework.filters],
            "PreScore": [s.plugin.NAME for s in framework.scores if s.pre_score],
            "Score": [s.plugin.NAME for s in framework.scores],
        }
        self._asked: Tally[tuple[str, frozenset[str]]] = Tally()
        self._by_point: dict[tuple[str, str], Histogram] = {}
        self._by_step: dict[BatchStep, Histogram] = {}

    def start(self) -> float:
        """Return the present moment."""
        return self._clock.steady()

    def ran(self, point: str, status: Status, *, skipped: Set[str], started: float) -> None:
        """Note that the plugins of a point were asked."""
        seconds = self._clock.steady() - started
        code = status.code.value
        child = self._by_point.get((point, code))
        if child is None:
            child = self._metrics.points.labels(point, code, self.profile)
            self._by_point[point, code] = child
        child.observe(seconds)
        if point in self._plugins:
            self._asked[point, frozenset(skipped)] += 1
        elif point in _PREEMPTORS:
            self._metrics.preempting.labels(_PREEMPTORS[point], code).observe(seconds)

    def placements_generated(self, count: int) -> None:
        """Note candidate placements of a group."""
        self._metrics.generated.labels(self.profile).inc(count)

    def placement_tried(self, status: Status, *, started: float) -> None:
        """Note that a group was tried on a placement."""
        result = "feasible" if status.is_success else "infeasible"
        self._metrics.tried.labels(result, self.profile).inc()
        self._metrics.trying.labels(result, self.profile).observe(self._clock.steady() - started)

    def batched(self, step: BatchStep, *, started: float) -> None:
        """Note a step of batching."""
        child = self._by_step.get(step)
        if child is None:
            child = self._by_step[step] = self._metrics.batching.of(step, self.profile)
        child.observe(self._clock.steady() - started)

    def evaluations(self) -> Tally[tuple[str, str]]:
        """Return how often each plugin was asked, by plugin and point."""
        found: Tally[tuple[str, str]] = Tally()
        for (point, skipped), count in self._asked.items():
            # Before the filters nobody has been left out yet.
            left_out = skipped if point in {"Filter", "Score"} else frozenset[str]()
            for plugin in self._plugins[point]:
                if plugin not in left_out:
                    found[plugin, point] += count
        return found
