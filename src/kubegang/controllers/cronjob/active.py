"""``status.active`` of a CronJob: which Jobs it knows to be running. Pure."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time


def active_of(status: JsonObject) -> list[JsonObject]:
    """Return the references of a status."""
    found: list[JsonObject] = status.get("active") or []
    return found


def knows(status: JsonObject, uid: str) -> bool:
    """Return whether a Job is known to be running."""
    return any(reference["uid"] == uid for reference in active_of(status))


def knows_name(status: JsonObject, name: str) -> bool:
    """Return whether a Job of that name is known to be running."""
    return any(reference["name"] == name for reference in active_of(status))


def remember(status: JsonObject, job: JsonObject) -> None:
    """Note that a Job runs."""
    metadata = job["metadata"]
    reference = {
        "kind": "Job",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "apiVersion": "batch/v1",
        "resourceVersion": metadata["resourceVersion"],
    }
    status["active"] = [*active_of(status), reference]


def forget(status: JsonObject, uid: str) -> bool:
    """Note that a Job runs no longer; return whether it was known."""
    left = [reference for reference in active_of(status) if reference["uid"] != uid]
    was_known = len(left) < len(active_of(status))
    if left:
        status["active"] = left
    else:
        status.pop("active", None)
    return was_known


def note_success(status: JsonObject, job: JsonObject) -> bool:
    """Keep the time of the latest success; return whether it is a later one than before."""
    completed = (job.get("status") or {}).get("completionTime")
    last = status.get("lastSuccessfulTime")
    if not completed or (last and parse_time(completed) <= parse_time(last)):
        return False
    status["lastSuccessfulTime"] = completed
    return True
