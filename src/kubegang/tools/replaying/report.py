"""What a replay comes to; printed as text, JSON and YAML, and drawn."""

from __future__ import annotations

import msgspec


class Waits(msgspec.Struct, frozen=True, kw_only=True):
    """How long jobs waited until they began, in seconds."""

    mean: float = 0.0
    p50: float = 0.0
    p90: float = 0.0
    p95: float = 0.0
    p99: float = 0.0
    max: float = 0.0


class SizeClass(msgspec.Struct, frozen=True, kw_only=True):
    """Jobs of one size.

    Attributes:
        size: how much of the resource they ask for in all, as ``1``, ``2-4`` or ``65-128``.
        began: how many of them began.
    """

    size: str
    jobs: int
    began: int
    waits: Waits


class NeverBegan(msgspec.Struct, frozen=True):
    """A job that nothing can start, and why, as the scheduler says at the end."""

    job: str
    submitted: float
    message: str


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Averages of a stretch of time that begins at ``at``.

    Attributes:
        used: share of the resource that is taken.
        waiting: jobs that wait.
        fragmentation: share of what is free that an average pod of the trace could not take.
    """

    at: float
    used: float
    waiting: float
    fragmentation: float


class ReplayReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The answer to ``kubegang replay``; times are seconds since the trace began.

    Attributes:
        resource: the one whose use is told.
        makespan: from the first submission to the last end.
        utilisation: share of the resource that was taken, on average over the makespan.
        idle_while_waiting: share of it that was free while some job waited, on average over
            the time when one did; what fragments and gangs cost. Jobs that never began do
            not count, nor in ``series``.
        fragmentation: share of what was free that an average pod of the trace could not take,
            since it lay on nodes without room for it; on average over what was free.
        largest_queue: most jobs that waited at once.
        evictions: how often a job lost a pod and began anew.
        never_began: the first of those jobs.
    """

    kubernetes_version: str
    nodes: int
    resource: str
    jobs: int
    gangs: int
    ended: int
    makespan: float
    utilisation: float
    idle_while_waiting: float
    fragmentation: float
    largest_queue: int
    evictions: int
    waits: Waits
    sizes: tuple[SizeClass, ...]
    never_began: tuple[NeverBegan, ...] = ()
    series: tuple[Sample, ...] = ()
