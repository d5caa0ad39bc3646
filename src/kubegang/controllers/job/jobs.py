"""What a Job asks for and what it has reported, read from its JSON.

The API server has filled in every default, so what is missing here is meant to be missing.
Pure.
"""

from __future__ import annotations

from kubegang.apimachinery.conditions import find_condition, is_true
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time

OWN_NAME = "kubernetes.io/job-controller"
"""``spec.managedBy`` of Jobs that this controller looks after."""


def uid(obj: JsonObject) -> str:
    """Return the object's uid."""
    return str(obj["metadata"]["uid"])


def status_of(job: JsonObject) -> JsonObject:
    """Return the Job's status, empty if it has none yet."""
    status: JsonObject = job.get("status") or {}
    return status


def condition_of(job: JsonObject, kind: str) -> JsonObject | None:
    """Return a condition of the Job if it is True."""
    conditions = status_of(job).get("conditions")
    return find_condition(conditions, kind) if is_true(conditions, kind) else None


def is_finished(job: JsonObject) -> bool:
    """Return whether the Job has its final condition."""
    conditions = status_of(job).get("conditions")
    return is_true(conditions, "Complete") or is_true(conditions, "Failed")


def is_being_deleted(job: JsonObject) -> bool:
    """Return whether the Job carries a deletion mark."""
    return bool(job["metadata"].get("deletionTimestamp"))


def is_managed_elsewhere(job: JsonObject) -> bool:
    """Return whether another controller looks after the Job (``spec.managedBy``)."""
    return bool(job["spec"].get("managedBy", OWN_NAME) != OWN_NAME)


def is_suspended(job: JsonObject) -> bool:
    """Return whether the Job asks for no pods at present."""
    return bool(job["spec"].get("suspend"))


def is_indexed(job: JsonObject) -> bool:
    """Return whether each completion of the Job has an index of its own."""
    return bool(job["spec"].get("completionMode") == "Indexed")


def parallelism_of(job: JsonObject) -> int:
    """Return how many pods may run at a time."""
    return int(job["spec"].get("parallelism", 1))


def completions_of(job: JsonObject) -> int | None:
    """Return how many pods must succeed; ``None`` if the first success ends the work."""
    completions = job["spec"].get("completions")
    return None if completions is None else int(completions)


def replaces_only_failed(job: JsonObject) -> bool:
    """Return whether a pod counts as lost only when it has ended, not when it is deleted.

    Source: ``spec.podReplacementPolicy``; a podFailurePolicy needs the final exit code too.
    """
    spec = job["spec"]
    return spec.get("podReplacementPolicy") == "Failed" or bool(spec.get("podFailurePolicy"))


def limits_each_index(job: JsonObject) -> bool:
    """Return whether indexes fail one by one (``spec.backoffLimitPerIndex``)."""
    return is_indexed(job) and job["spec"].get("backoffLimitPerIndex") is not None


def deadline_of(job: JsonObject, *, started: float | None) -> float | None:
    """Return when the Job fails for having been active too long, if ever."""
    seconds = job["spec"].get("activeDeadlineSeconds")
    if seconds is None or started is None or is_suspended(job):
        return None
    return started + float(seconds)


def started_at(job: JsonObject) -> float | None:
    """Return ``status.startTime``."""
    started = status_of(job).get("startTime")
    return parse_time(started) if started else None
