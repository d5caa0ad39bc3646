"""Indexes that fail one by one: ``spec.backoffLimitPerIndex`` (KEP-3850). Pure.

How often an index has failed is remembered on its pods: each pod that replaces another
carries the count. So the last failed pod of an index keeps its finalizer, and is not counted
yet, until its successor is there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.backoff import remaining_pause
from kubegang.controllers.job.failurepolicy import meaning_of
from kubegang.controllers.job.indexes import parse_indexes
from kubegang.controllers.job.jobs import completions_of, replaces_only_failed, status_of
from kubegang.controllers.job.pods import ended_at, has_failed, index_of

FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count"


def failed_indexes(job: JsonObject, pods: Sequence[JsonObject]) -> frozenset[int]:
    """Return the indexes that will not be tried again: those in the status, and new ones.

    Args:
        job: the Job.
        pods: its pods that are not counted yet.
    """
    completions = completions_of(job) or 0
    known = parse_indexes(status_of(job).get("failedIndexes") or "", completions=completions)
    fresh = (index_of(pod) for pod in pods if _gives_up(job, pod))
    return known.union(index for index in fresh if index is not None and index < completions)


def last_failures(
    job: JsonObject, pods: Sequence[JsonObject], *, settled: Collection[int]
) -> dict[int, JsonObject]:
    """Return the failed pod that each open index remembers its failures by.

    Args:
        job: the Job.
        pods: its pods that are not counted yet.
        settled: indexes that need no memory: ended, or with a pod that has the count.
    """
    only_ended = replaces_only_failed(job)
    found: dict[int, JsonObject] = {}
    for pod in pods:
        index = index_of(pod)
        if index is None or index in settled or not has_failed(pod, only_ended=only_ended):
            continue
        known = found.get(index)
        if known is None or _order(known) <= _order(pod):
            found[index] = pod
    return found


def failure_annotations(job: JsonObject, replaced: JsonObject | None) -> dict[str, str]:
    """Return what a new pod carries of the failures of its index so far."""
    failures = ignored = 0
    if replaced is not None:
        failures, ignored = _number(replaced, FAILURES), _number(replaced, IGNORED)
        if meaning_of(job, replaced).counts:
            failures += 1
        else:
            ignored += 1
    annotations = {FAILURES: str(failures)}
    if ignored:
        annotations[IGNORED] = str(ignored)
    return annotations


def ready_indexes(
    indexes: Sequence[int], failures: Mapping[int, JsonObject], *, now: float
) -> tuple[tuple[int, ...], float]:
    """Return the indexes whose pause after their last failure is over.

    If there is none, the second value says how many seconds it takes until there is one.
    """
    pauses = {index: _pause(failures.get(index), now=now) for index in indexes}
    ready = tuple(index for index in indexes if not pauses[index])
    return ready, 0.0 if ready or not pauses else min(pauses.values())


def _gives_up(job: JsonObject, pod: JsonObject) -> bool:
    if not has_failed(pod, only_ended=replaces_only_failed(job)):
        return False
    meaning = meaning_of(job, pod)
    if meaning.action == "FailIndex":
        return True
    return meaning.counts and _number(pod, FAILURES) >= job["spec"]["backoffLimitPerIndex"]


def _pause(failed: JsonObject | None, *, now: float) -> float:
    if failed is None:
        return 0.0
    failures = _order(failed)[0] + 1
    return remaining_pause(failures, last_failure=ended_at(failed), now=now)


def _order(pod: JsonObject) -> tuple[int, float]:
    """Return a key by which the pods of an index failed one after the other."""
    return _number(pod, FAILURES) + _number(pod, IGNORED), ended_at(pod)


def _number(pod: JsonObject, annotation: str) -> int:
    text = (pod["metadata"].get("annotations") or {}).get(annotation, "")
    return int(text) if text.isdigit() else 0
