"""Which pods a Job gets and which it loses now. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.backoff import Backoff
from kubegang.controllers.job.jobs import (
    completions_of,
    is_indexed,
    is_suspended,
    limits_each_index,
    parallelism_of,
    replaces_only_failed,
    uid,
)
from kubegang.controllers.job.perindex import ready_indexes
from kubegang.controllers.job.pods import index_of, is_terminating, usefulness
from kubegang.controllers.job.tally import IndexTally, Tally

PODS_PER_SYNC = 500
"""So many pods are made or removed at most before the status is written again."""


class PodPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Pods to remove or pods to make, never both.

    Attributes:
        create: completion indexes, or ``None`` for pods without one.
        wait: look again after so many seconds, 0 if no time matters.
    """

    delete: tuple[JsonObject, ...] = ()
    create: tuple[int | None, ...] = ()
    wait: float = 0.0


def plan_pods(job: JsonObject, counts: Tally, *, backoff: Backoff, now: float) -> PodPlan:
    """Return which pods to remove or which to make."""
    if is_suspended(job):
        return PodPlan(delete=counts.active)
    wanted = _wanted(job, counts)
    doomed = _surplus(job, counts, at_least=max(0, len(counts.active) - wanted))
    if doomed:
        return PodPlan(delete=doomed[:PODS_PER_SYNC])
    # Pods that only count as lost when they have ended still hold their place until then.
    leaving = counts.terminating if replaces_only_failed(job) else 0
    missing = min(wanted - len(counts.active) - leaving, PODS_PER_SYNC)
    if missing <= 0:
        return PodPlan()
    if limits_each_index(job) and counts.indexes is not None:
        return _plan_each_index(job, counts, counts.indexes, count=missing, now=now)
    wait = backoff.remaining(now=now)
    if wait:
        return PodPlan(wait=wait)
    if is_indexed(job):
        return PodPlan(create=_free_indexes(job, counts, missing))
    return PodPlan(create=(None,) * missing)


def _wanted(job: JsonObject, counts: Tally) -> int:
    completions = completions_of(job)
    if completions is None:
        # One success means the work is done: whoever runs may finish, nobody is added.
        return len(counts.active) if counts.succeeded else parallelism_of(job)
    return max(0, min(parallelism_of(job), completions - counts.succeeded))


def _surplus(job: JsonObject, counts: Tally, *, at_least: int) -> tuple[JsonObject, ...]:
    """Return pods to remove: duplicates of an index first, then the least useful ones."""
    useless = _useless_by_index(job, counts) if is_indexed(job) else ()
    doomed = {uid(pod) for pod in useless}
    rest = [pod for pod in counts.active if uid(pod) not in doomed]
    more = sorted(rest, key=usefulness)[: max(0, at_least - len(useless))]
    return (*useless, *more)


def _useless_by_index(job: JsonObject, counts: Tally) -> tuple[JsonObject, ...]:
    completions = completions_of(job) or 0
    taken: set[int] = set()
    useless = []
    for pod in sorted(counts.active, key=usefulness, reverse=True):
        index = index_of(pod)
        if index is None or index >= completions or index in taken:
            useless.append(pod)
        else:
            taken.add(index)
    return tuple(useless)


def _plan_each_index(
    job: JsonObject, counts: Tally, indexes: IndexTally, *, count: int, now: float
) -> PodPlan:
    free = _free_indexes(job, counts, count)
    ready, wait = ready_indexes(free, indexes.last_failures, now=now)
    return PodPlan(create=ready, wait=wait)


def _free_indexes(job: JsonObject, counts: Tally, count: int) -> tuple[int, ...]:
    """Return the lowest indexes that nobody works on."""
    taken = set(_indexes_of(counts.active))
    if replaces_only_failed(job):
        taken.update(_indexes_of(pod for pod in counts.pods if is_terminating(pod)))
    if counts.indexes is not None:
        taken |= counts.indexes.completed | (counts.indexes.failed or frozenset())
    free = (index for index in range(completions_of(job) or 0) if index not in taken)
    return tuple(itertools.islice(free, count))


def _indexes_of(pods: Iterable[JsonObject]) -> Sequence[int]:
    return [index for pod in pods if (index := index_of(pod)) is not None]
