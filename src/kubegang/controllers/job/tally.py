"""What a Job's pods amount to: active, ready, ended and not yet counted.

A pod that ended is counted exactly once. It carries a finalizer until its uid stands in
``status.uncountedTerminatedPods``; only then is the finalizer removed, and only when that
has happened is it moved into the counters. Whatever step is lost to a crash is done again
without counting twice. Of Indexed Jobs, successes are counted by their index instead.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.failurepolicy import meaning_of
from kubegang.controllers.job.indexes import parse_indexes
from kubegang.controllers.job.jobs import (
    completions_of,
    is_indexed,
    limits_each_index,
    replaces_only_failed,
    status_of,
    uid,
)
from kubegang.controllers.job.perindex import failed_indexes, last_failures
from kubegang.controllers.job.pods import (
    has_failed,
    has_finalizer,
    index_of,
    is_active,
    is_ready,
    is_terminating,
    phase,
)


class IndexTally(msgspec.Struct, frozen=True, kw_only=True):
    """The indexes of an Indexed Job.

    Attributes:
        completed: succeeded so far, pods that are not counted yet included.
        failed: given up, ``None`` unless each index has its limit.
        last_failures: the pod by which each open index remembers its failures.
    """

    completed: frozenset[int]
    failed: frozenset[int] | None
    last_failures: Mapping[int, JsonObject]


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The pods of one Job, sorted by what they mean for it.

    Attributes:
        pods: all of them.
        holding: those with the finalizer.
        active: neither ended nor being deleted.
        new_succeeded, new_failed: ended, with the finalizer, not yet named in the status.
        succeeded, failed: totals that include everything ended so far.
        ready, terminating: how many of the active ones are ready; how many are deleted but
            have not ended.
        indexes: of an Indexed Job.
    """

    pods: tuple[JsonObject, ...]
    holding: tuple[JsonObject, ...]
    active: tuple[JsonObject, ...]
    new_succeeded: tuple[JsonObject, ...]
    new_failed: tuple[JsonObject, ...]
    succeeded: int
    failed: int
    ready: int
    terminating: int
    indexes: IndexTally | None


def tally(job: JsonObject, pods: Sequence[JsonObject], *, released: Collection[str]) -> Tally:
    """Sort a Job's pods by what they mean for it.

    Args:
        job: the Job.
        pods: its pods, as far as they have been seen.
        released: uids of pods whose finalizer was removed though they were seen with it.
    """
    status = status_of(job)
    uncounted = status.get("uncountedTerminatedPods") or {}
    holding = [pod for pod in pods if has_finalizer(pod) and uid(pod) not in released]
    active = tuple(pod for pod in pods if is_active(pod))
    succeeded = _unnamed(job, holding, uncounted.get("succeeded"), _has_succeeded)
    only_ended = replaces_only_failed(job)
    failed = _unnamed(
        job, holding, uncounted.get("failed"), lambda pod: has_failed(pod, only_ended=only_ended)
    )
    indexes = _indexes(job, holding, active) if is_indexed(job) else None
    return Tally(
        pods=tuple(pods),
        holding=tuple(holding),
        active=active,
        new_succeeded=succeeded,
        new_failed=failed,
        succeeded=len(indexes.completed)
        if indexes is not None
        else _total(status, "succeeded", len(succeeded)),
        failed=_total(status, "failed", sum(meaning_of(job, pod).counts for pod in failed)),
        ready=sum(1 for pod in active if is_ready(pod)),
        terminating=sum(1 for pod in pods if is_terminating(pod)),
        indexes=indexes,
    )


def has_place(job: JsonObject, pod: JsonObject) -> bool:
    """Return whether a pod works on something that the Job wants, so that it counts."""
    if not is_indexed(job):
        return True
    index = index_of(pod)
    return index is not None and index < (completions_of(job) or 0)


def _has_succeeded(pod: JsonObject) -> bool:
    return phase(pod) == "Succeeded"


def _unnamed(
    job: JsonObject,
    holding: Sequence[JsonObject],
    named: Collection[str] | None,
    ended: Callable[[JsonObject], bool],
) -> tuple[JsonObject, ...]:
    known = frozenset(named or ())
    return tuple(
        pod for pod in holding if ended(pod) and uid(pod) not in known and has_place(job, pod)
    )


def _total(status: JsonObject, outcome: str, fresh: int) -> int:
    uncounted = status.get("uncountedTerminatedPods") or {}
    return int(status.get(outcome) or 0) + len(uncounted.get(outcome) or ()) + fresh


def _indexes(
    job: JsonObject, holding: Sequence[JsonObject], active: Sequence[JsonObject]
) -> IndexTally:
    completions = completions_of(job) or 0
    known = parse_indexes(status_of(job).get("completedIndexes") or "", completions=completions)
    fresh = (index_of(pod) for pod in holding if _has_succeeded(pod) and has_place(job, pod))
    completed = known.union(index for index in fresh if index is not None)
    if not limits_each_index(job):
        return IndexTally(completed=completed, failed=None, last_failures={})
    failed = failed_indexes(job, holding)
    at_work = {index for pod in active if (index := index_of(pod)) is not None}
    return IndexTally(
        completed=completed,
        failed=failed,
        last_failures=last_failures(job, holding, settled=completed | failed | at_work),
    )
