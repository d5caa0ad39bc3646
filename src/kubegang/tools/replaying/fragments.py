"""How much of what is free no pod of the trace could take, were it to come next. Pure.

The measure is the fragmentation of Weng and others, "Beware of Fragmentation: Scheduling
GPU-Sharing Workloads with Fragmentation Gradient Descent" (USENIX ATC 2023): what is free on
nodes that are too small for a pod drawn from the workload, on average over its pods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from kubegang.apimachinery.quantity import Quantity
from kubegang.scheduler.snapshot.table import SnapshotTable
from kubegang.tools.replaying.trace import TraceJob

_MILLI: Final = 1000

Shape = tuple[tuple[str, int], ...]
"""What a pod asks for, in the units of the scheduler's tables: CPU in thousandths."""


class Fragments:
    """Knows the shapes of a trace's pods and how often each occurs."""

    def __init__(self, jobs: Sequence[TraceJob], resource: str) -> None:
        """Take the workload.

        Args:
            jobs: of the trace; those that ask for none of the resource do not count.
            resource: the one whose fragments are measured.
        """
        shapes: Counter[Shape] = Counter()
        for job in jobs:
            shape = _shape(job)
            if dict(shape).get(resource):
                shapes[shape] += job.pods
        self._shapes = shapes
        self._pods = shapes.total()
        self._resource = resource
        self._unit = _MILLI if resource == "cpu" else 1

    def free_in_vain(self, nodes: SnapshotTable) -> float:
        """Return how much is free where it is of no use, in units as manifests have them."""
        if not self._pods:
            return 0.0
        names = {name for shape in self._shapes for name, _ in shape} | {self._resource}
        free = {
            name: (nodes.allocatable(name) - nodes.requested(name)).clip(min=0) for name in names
        }
        total = 0.0
        for shape, pods in self._shapes.items():
            fits = np.ones(len(free[self._resource]), dtype=bool)
            for name, amount in shape:
                fits &= free[name] >= amount
            total += pods * float(free[self._resource][~fits].sum())
        return total / self._pods / self._unit


def _shape(job: TraceJob) -> Shape:
    return tuple(sorted((name, _amount(name, text)) for name, text in job.requests.items()))


def _amount(resource: str, text: str) -> int:
    milli = Quantity.parse(text).milli_value()
    return milli if resource == "cpu" else -(-milli // _MILLI)
