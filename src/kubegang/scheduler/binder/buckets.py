"""Bounds of histograms, as kube-scheduler spaces them."""

from __future__ import annotations


def powers_of_two(start: float, count: int) -> tuple[float, ...]:
    """Return so many bounds, each twice the one before."""
    return tuple(start * 2.0**power for power in range(count))
