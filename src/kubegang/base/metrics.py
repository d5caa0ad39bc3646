"""Metrics in Prometheus' form.

Each component makes its metrics from the one registry that it was given, so two schedulers in
a process, or two tests, do not share counters.
"""

from __future__ import annotations

from collections.abc import Sequence

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest


class Registry:
    """Makes metrics and writes them out."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self, collectors: CollectorRegistry | None = None) -> None:
        # Kubernetes' components have no series with the time at which a counter was made.
        prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
        self._collectors = CollectorRegistry() if collectors is None else collectors

    def counter(self, name: str, meaning: str, labels: Sequence[str] = ()) -> Counter:
        """Return a number that only grows; its name ends in ``_total``."""
        return Counter(name, meaning, labels, registry=self._collectors)

    def gauge(self, name: str, meaning: str, labels: Sequence[str] = ()) -> Gauge:
        """Return a number that goes up and down."""
        return Gauge(name, meaning, labels, registry=self._collectors)

    def histogram(
        self,
        name: str,
        meaning: str,
        labels: Sequence[str] = (),
        *,
        buckets: Sequence[float] = Histogram.DEFAULT_BUCKETS,
    ) -> Histogram:
        """Return a distribution over buckets given by their upper bounds."""
        return Histogram(name, meaning, labels, registry=self._collectors, buckets=buckets)

    def exposition(self) -> bytes:
        """Return all metrics as ``/metrics`` serves them."""
        return generate_latest(self._collectors)


def exponential_buckets(start: float, factor: float, count: int) -> tuple[float, ...]:
    """Return upper bounds that grow by a factor, as Kubernetes' histograms have them."""
    return tuple(start * factor**position for position in range(count))
