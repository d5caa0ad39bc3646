"""Sums of resources, and how people read them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from kubegang.scheduler.cycle.shortfall import format_amount
from kubegang.scheduler.framework.nodetable import NodeTable, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.tools.explaining.report import Amount


def requested_by(pods: Iterable[PodInfo]) -> dict[str, int]:
    """Return what pods ask for together."""
    total: Counter[str] = Counter()
    for pod in pods:
        total.update(dict(pod.requests.items))
    return dict(total)


def free_on(table: NodeTable, rows: Rows, resource: str) -> int:
    """Return what is free on some nodes together; a node that is overfull has nothing."""
    left = table.allocatable(resource)[rows] - table.requested(resource)[rows]
    return int(left.clip(min=0).sum())


def amounts(sums: Mapping[str, int]) -> tuple[Amount, ...]:
    """Return amounts as manifests write them, by the resource's name."""
    return tuple(Amount(name, format_amount(name, sums[name])) for name in sorted(sums))
