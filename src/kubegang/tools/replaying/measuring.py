"""Measures a course while it is played, and sums it up. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kubegang.apimachinery.quantity import Quantity
from kubegang.tools.replaying.course import Course, JobRun
from kubegang.tools.replaying.fragments import Fragments
from kubegang.tools.replaying.report import Sample, SizeClass, Waits
from kubegang.tools.replaying.trace import TraceJob

SAMPLES: Final = 400
_ALMOST_NOTHING: Final = 1e-9

FloatArray: TypeAlias = NDArray[np.float64]


class Meter:
    """Adds up use and waiting over time; ``note`` is called after each change.

    Attributes:
        largest_queue: most jobs that waited at once.
    """

    def __init__(self, jobs: Sequence[TraceJob], *, resource: str, capacity: float) -> None:
        """Measure one resource, of which the cluster has so much."""
        self.largest_queue = 0
        self._amounts = [amount_of(job, resource) for job in jobs]
        self._capacity = capacity
        self._times: list[float] = []
        self._used: list[float] = []
        self._waiting: list[int] = []
        self._fragments = Fragments(jobs, resource)
        self._in_vain: list[float] = []

    def note(self, course: Course) -> None:
        """Take in how it is now."""
        used = sum(self._amounts[number] for number in course.running)
        self._times.append(course.now)
        self._used.append(used / self._capacity if self._capacity else 0.0)
        self._waiting.append(len(course.waiting))
        in_vain = self._fragments.free_in_vain(course.nodes)
        self._in_vain.append(in_vain / self._capacity if self._capacity else 0.0)
        self.largest_queue = max(self.largest_queue, len(course.waiting))

    def leave_out(self, submissions: Sequence[float]) -> None:
        """Do not count jobs as waiting that were submitted then and never began.

        One job that is too large for the cluster would hide what all others waited for.
        """
        left = np.searchsorted(np.sort(submissions), self._times, side="right")
        self._waiting = [waits - int(out) for waits, out in zip(self._waiting, left, strict=True)]

    def utilisation(self, end: float) -> float:
        """Return the average share that was taken, from the first change to the end."""
        lengths = self._lengths(end)
        return _mean(np.array(self._used), lengths)

    def idle_while_waiting(self, end: float) -> float:
        """Return the average share that was free while some job waited."""
        lengths = self._lengths(end) * (np.array(self._waiting) > 0)
        return _mean(1 - np.array(self._used), lengths)

    def fragmentation(self, end: float) -> float:
        """Return the share of what was free that an average pod of the trace could not take."""
        lengths = self._lengths(end)
        free = float(((1 - np.array(self._used)) * lengths).sum())
        return (
            round(float((np.array(self._in_vain) * lengths).sum()) / free, 4) if free > 0 else 0.0
        )

    def series(self, end: float) -> tuple[Sample, ...]:
        """Return averages of equally long stretches of time."""
        lengths = self._lengths(end)
        if not lengths.sum():
            return ()
        times = np.array([*self._times, end])
        edges = np.linspace(times[0], end, SAMPLES + 1)
        used = _averages(times, lengths * self._used, edges)
        waiting = _averages(times, lengths * self._waiting, edges)
        in_vain = _averages(times, lengths * self._in_vain, edges)
        fragments = in_vain / np.maximum(1 - used, _ALMOST_NOTHING)
        return tuple(
            Sample(
                at=round(float(at), 3),
                used=round(float(share), 4),
                waiting=round(float(jobs), 2),
                fragmentation=round(float(lost), 4),
            )
            for at, share, jobs, lost in zip(edges, used, waiting, fragments, strict=False)
        )

    def _lengths(self, end: float) -> FloatArray:
        """Return how long it stayed as each change left it."""
        lengths: FloatArray = np.diff(np.array([*self._times, end])).clip(min=0)
        return lengths


def _mean(values: FloatArray, weights: FloatArray) -> float:
    total = float(weights.sum())
    return round(float((values * weights).sum()) / total, 4) if total else 0.0


def _averages(times: FloatArray, areas: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the average between neighbouring edges of what has these areas between times."""
    so_far = np.concatenate([[0.0], np.cumsum(areas)])
    averages: FloatArray = np.diff(np.interp(edges, times, so_far)) / np.diff(edges)
    return averages


def amount_of(job: TraceJob, resource: str) -> float:
    """Return how much of a resource a job takes in all."""
    text = job.requests.get(resource)
    return Quantity.parse(text).milli_value() / 1000 * job.pods if text else 0.0


def waits_of(runs: Sequence[JobRun]) -> Waits:
    """Return how long jobs waited that began."""
    waits = sorted(run.wait for run in runs if run.wait is not None)
    if not waits:
        return Waits()
    return Waits(
        mean=round(sum(waits) / len(waits), 3),
        p50=_quantile(waits, 0.5),
        p90=_quantile(waits, 0.9),
        p95=_quantile(waits, 0.95),
        p99=_quantile(waits, 0.99),
        max=round(waits[-1], 3),
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest value that so large a share does not exceed."""
    return round(ordered[math.ceil(share * len(ordered)) - 1], 3)


def sizes_of(runs: Sequence[JobRun], resource: str) -> tuple[SizeClass, ...]:
    """Return jobs by how much they ask for; classes double in size."""
    classes: dict[int, list[JobRun]] = {}
    for run in runs:
        amount = amount_of(run.job, resource)
        classes.setdefault(max(0, int(amount - 1)).bit_length() if amount else -1, []).append(run)
    return tuple(
        SizeClass(
            size=_class_name(bits),
            jobs=len(classes[bits]),
            began=sum(run.wait is not None for run in classes[bits]),
            waits=waits_of(classes[bits]),
        )
        for bits in sorted(classes)
    )


def _class_name(bits: int) -> str:
    if bits < 0:
        return "0"
    most = 1 << bits
    least = most // 2 + 1
    return str(most) if least >= most else f"{least}-{most}"
