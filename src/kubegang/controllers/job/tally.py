"""What a Job's pods amount to: active, ready, ended and not yet counted.

A pod that ended is counted exactly once. It carries a finalizer until its uid stands in
``status.uncountedTerminatedPods``; only then is the finalizer removed, and only when that
has happened is it moved into the counters. Whatever step is lost to a crash is done again
without counting twice. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.indexes import format_indexes, index_of, parse_indexes

TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking"


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The pods of one Job, sorted by what they mean for it.

    Attributes:
        active: neither ended nor being deleted.
        ended_succeeded, ended_failed: ended, still with the finalizer, not yet in the status.
        counted_holding: ended and named in the status, still with the finalizer.
        succeeded, failed: totals that include everything ended so far.
        completed_indexes: of an Indexed Job, the indexes that succeeded so far.
        ready, terminating: for the status.
    """

    active: tuple[JsonObject, ...]
    ended_succeeded: tuple[JsonObject, ...]
    ended_failed: tuple[JsonObject, ...]
    counted_holding: tuple[JsonObject, ...]
    succeeded: int
    failed: int
    completed_indexes: frozenset[int]
    ready: int
    terminating: int


def tally(job: JsonObject, pods: Sequence[JsonObject]) -> Tally:
    """Sort a Job's pods by what they mean for it."""
    status = job.get("status") or {}
    named = _named_uids(status)
    holding = [pod for pod in pods if has_finalizer(pod)]
    succeeded_pods = [p for p in holding if phase(p) == "Succeeded"]
    failed_pods = [p for p in holding if has_failed(p)]
    new_succeeded = [p for p in succeeded_pods if uid(p) not in named]
    new_failed = [p for p in failed_pods if uid(p) not in named]
    uncounted = status.get("uncountedTerminatedPods") or {}
    active = [p for p in pods if phase(p) not in ("Succeeded", "Failed") and not is_deleted(p)]
    completed = completed_indexes(job, succeeded_pods)
    succeeded = (
        len(completed)
        if is_indexed(job)
        else int(status.get("succeeded") or 0)
        + len(new_succeeded)
        + len(uncounted.get("succeeded") or [])
    )
    return Tally(
        active=tuple(active),
        ended_succeeded=tuple(new_succeeded),
        ended_failed=tuple(new_failed),
        counted_holding=tuple(p for p in holding if uid(p) in named),
        succeeded=succeeded,
        failed=int(status.get("failed") or 0)
        + len(new_failed)
        + len(uncounted.get("failed") or []),
        completed_indexes=completed,
        ready=sum(1 for p in active if is_ready(p)),
        terminating=sum(
            1 for p in pods if is_deleted(p) and phase(p) not in ("Succeeded", "Failed")
        ),
    )


def completed_indexes(job: JsonObject, succeeded_pods: Sequence[JsonObject]) -> frozenset[int]:
    """Return the indexes that succeeded: those in the status and those of these pods."""
    if not is_indexed(job):
        return frozenset()
    completions = int(job["spec"].get("completions") or 0)
    text = (job.get("status") or {}).get("completedIndexes", "")
    indexes = (index_of(pod) for pod in succeeded_pods)
    fresh = {index for index in indexes if index is not None and index < completions}
    return parse_indexes(text, completions=completions) | fresh


def counted_status(status: JsonObject, *, tally_: Tally, indexed: bool) -> JsonObject:
    """Return the status with newly ended pods named, and released ones counted.

    A named pod is counted once it no longer carries the finalizer, or is gone.
    """
    holding = {uid(pod) for pod in tally_.counted_holding}
    uncounted = status.get("uncountedTerminatedPods") or {}
    new = dict(status)
    left: JsonObject = {}
    for outcome, ended in (
        ("succeeded", tally_.ended_succeeded),
        ("failed", tally_.ended_failed),
    ):
        named = list(uncounted.get(outcome) or [])
        released = [u for u in named if u not in holding]
        if released and not (indexed and outcome == "succeeded"):
            new[outcome] = int(new.get(outcome) or 0) + len(released)
        remaining = [u for u in named if u in holding] + [uid(pod) for pod in ended]
        if remaining:
            left[outcome] = remaining
    new["uncountedTerminatedPods"] = left
    if indexed:
        if tally_.completed_indexes:
            new["completedIndexes"] = format_indexes(tally_.completed_indexes)
            new["succeeded"] = len(tally_.completed_indexes)
        else:
            new.pop("completedIndexes", None)
    return new


def is_indexed(job: JsonObject) -> bool:
    """Return whether each completion of the Job has an index of its own."""
    return bool(job["spec"].get("completionMode") == "Indexed")


def has_finalizer(pod: JsonObject) -> bool:
    """Return whether the pod still waits to be counted."""
    return TRACKING_FINALIZER in (pod["metadata"].get("finalizers") or [])


def has_failed(pod: JsonObject) -> bool:
    """Return whether a pod counts as failed: it did, or it is deleted before it succeeded."""
    return phase(pod) == "Failed" or (is_deleted(pod) and phase(pod) != "Succeeded")


def is_deleted(pod: JsonObject) -> bool:
    """Return whether the pod carries a deletion mark."""
    return bool(pod["metadata"].get("deletionTimestamp"))


def is_ready(pod: JsonObject) -> bool:
    """Return whether the pod reports itself Ready."""
    conditions = (pod.get("status") or {}).get("conditions") or []
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def phase(pod: JsonObject) -> str:
    """Return the pod's phase."""
    return str((pod.get("status") or {}).get("phase") or "Pending")


def uid(obj: JsonObject) -> str:
    """Return the object's uid."""
    return str(obj["metadata"]["uid"])


def _named_uids(status: JsonObject) -> frozenset[str]:
    uncounted = status.get("uncountedTerminatedPods") or {}
    return frozenset([*(uncounted.get("succeeded") or []), *(uncounted.get("failed") or [])])
