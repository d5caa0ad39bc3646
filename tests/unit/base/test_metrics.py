"""Metrics and their text form."""

from __future__ import annotations

import pytest

from kubegang.base.metrics import Registry, exponential_buckets


def _samples(registry: Registry) -> list[str]:
    lines = registry.exposition().decode().splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_a_counter_has_its_own_series_and_none_for_when_it_was_made() -> None:
    registry = Registry()
    attempts = registry.counter("attempts_total", "Attempts.", ["result"])
    attempts.labels(result="scheduled").inc()
    attempts.labels("scheduled").inc(2)
    assert _samples(registry) == ['attempts_total{result="scheduled"} 3.0']


def test_the_exposition_says_what_a_metric_means() -> None:
    registry = Registry()
    registry.gauge("pending_pods", "Pods that wait.").set(5)
    assert registry.exposition().decode() == (
        "# HELP pending_pods Pods that wait.\n# TYPE pending_pods gauge\npending_pods 5.0\n"
    )
    assert registry.content_type.startswith("text/plain; version=")


def test_a_histogram_counts_into_the_buckets_it_was_given() -> None:
    registry = Registry()
    seconds = registry.histogram("seconds", "Time.", buckets=exponential_buckets(0.5, 2, 2))
    for value in (0.4, 0.5, 0.7, 9.0):
        seconds.observe(value)
    assert _samples(registry) == [
        'seconds_bucket{le="0.5"} 2.0',
        'seconds_bucket{le="1.0"} 3.0',
        'seconds_bucket{le="+Inf"} 4.0',
        "seconds_count 4.0",
        "seconds_sum 10.6",
    ]


def test_registries_share_nothing() -> None:
    first, second = Registry(), Registry()
    first.counter("a_total", "A.").inc()
    second.counter("a_total", "A.")
    assert _samples(first) == ["a_total 1.0"]
    assert _samples(second) == ["a_total 0.0"]


def test_a_name_is_taken_once() -> None:
    registry = Registry()
    registry.gauge("a", "A.")
    with pytest.raises(ValueError, match="Duplicated"):
        registry.gauge("a", "A.")


def test_exponential_buckets() -> None:
    assert exponential_buckets(0.001, 2, 4) == (0.001, 0.002, 0.004, 0.008)
