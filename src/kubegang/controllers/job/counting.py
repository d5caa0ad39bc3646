"""Ended pods on their way into the counters: named, let go, counted. Pure.

``name`` says which pods may lose their finalizer and writes the uids of those that count into
the status. When that status is stored and the finalizers are removed, ``count`` moves them
into the counters.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.failurepolicy import meaning_of
from kubegang.controllers.job.indexes import format_indexes
from kubegang.controllers.job.jobs import (
    condition_of,
    is_being_deleted,
    replaces_only_failed,
    uid,
)
from kubegang.controllers.job.pods import has_failed, phase
from kubegang.controllers.job.tally import IndexTally, Tally, has_place
from kubegang.controllers.job.verdict import Verdict

MOST_RELEASED = 500
"""So many pods are let go at a time, so that the status that names them stays small."""

OUTCOMES = ("succeeded", "failed")


def name(
    job: JsonObject, status: JsonObject, counts: Tally, *, ending: Verdict | None
) -> tuple[JsonObject, ...]:
    """Name ended pods in the status; return the pods that may go once it is stored.

    Args:
        job: the Job.
        status: changed in place.
        counts: the pods.
        ending: how the Job ends, if it does; then every pod may go, ended or not.
    """
    released = tuple(itertools.islice(_releasable(job, counts, ending), MOST_RELEASED))
    uncounted = status.get("uncountedTerminatedPods") or {}
    names = {outcome: list(uncounted.get(outcome) or ()) for outcome in OUTCOMES}
    for pod in released:
        outcome = _outcome(job, pod, names["failed"], ending)
        # Of Indexed Jobs the index says enough about a success.
        if outcome == "failed" or (outcome and counts.indexes is None):
            known = names[outcome]
            if uid(pod) not in known:
                known.append(uid(pod))
    status["uncountedTerminatedPods"] = {key: uids for key, uids in names.items() if uids}
    if counts.indexes is not None:
        _write_indexes(status, counts.indexes)
    return released


def count(status: JsonObject, holding: Collection[str]) -> None:
    """Move named pods that are no longer held into the counters, in place.

    Args:
        status: the status.
        holding: the uids of the pods that still have the finalizer.
    """
    uncounted = status.get("uncountedTerminatedPods") or {}
    left: JsonObject = {}
    for outcome in OUTCOMES:
        named = uncounted.get(outcome) or ()
        kept = [pod_uid for pod_uid in named if pod_uid in holding]
        if len(kept) < len(named):
            status[outcome] = int(status.get(outcome) or 0) + len(named) - len(kept)
        if kept:
            left[outcome] = kept
    status["uncountedTerminatedPods"] = left


def _releasable(job: JsonObject, counts: Tally, ending: Verdict | None) -> Iterator[JsonObject]:
    """Yield the pods that may lose their finalizer when the status is stored."""
    all_go = ending is not None or is_being_deleted(job)
    only_ended = replaces_only_failed(job)
    remembered = counts.indexes.last_failures if counts.indexes is not None else {}
    needed = {uid(pod) for pod in remembered.values()}
    for pod in counts.holding:
        ended = phase(pod) == "Succeeded" or (
            has_failed(pod, only_ended=only_ended) and uid(pod) not in needed
        )
        if all_go or ended:
            yield pod


def _outcome(
    job: JsonObject, pod: JsonObject, known_failed: Collection[str], ending: Verdict | None
) -> str:
    """Return as what a pod is counted that is let go, empty if it is not."""
    if phase(pod) == "Succeeded" and uid(pod) not in known_failed:
        return "succeeded"
    # When a Job fails, whatever still worked has failed with it. Once it has said that it
    # succeeds, it removes those pods itself, and they have not failed.
    gives_up = ending is not None and ending.is_failure
    succeeds = not gives_up and condition_of(job, "SuccessCriteriaMet") is not None
    only_ended = succeeds or replaces_only_failed(job)
    failed = gives_up or has_failed(pod, only_ended=only_ended)
    return "failed" if failed and has_place(job, pod) and meaning_of(job, pod).counts else ""


def _write_indexes(status: JsonObject, indexes: IndexTally) -> None:
    _set_or_drop(status, "completedIndexes", format_indexes(indexes.completed))
    _set_or_drop(status, "succeeded", len(indexes.completed))
    if indexes.failed is not None:
        status["failedIndexes"] = format_indexes(indexes.failed)


def _set_or_drop(status: JsonObject, field: str, value: str | int) -> None:
    """Write a field that the API leaves out when it says nothing."""
    if value:
        status[field] = value
    else:
        status.pop(field, None)
