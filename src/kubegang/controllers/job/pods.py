"""What one pod of a Job tells about itself. Pure."""

from __future__ import annotations

from kubegang.apimachinery.conditions import find_condition, is_true
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time
from kubegang.controllers.job.indexes import COMPLETION_INDEX

TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking"
"""Keeps an ended pod until it is counted."""

_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


def phase(pod: JsonObject) -> str:
    """Return the pod's phase."""
    return str(_status(pod).get("phase") or "Pending")


def has_ended(pod: JsonObject) -> bool:
    """Return whether the pod will never run again."""
    return phase(pod) in ("Succeeded", "Failed")


def is_deleted(pod: JsonObject) -> bool:
    """Return whether the pod carries a deletion mark."""
    return bool(pod["metadata"].get("deletionTimestamp"))


def is_active(pod: JsonObject) -> bool:
    """Return whether the pod still works, or will."""
    return not has_ended(pod) and not is_deleted(pod)


def is_terminating(pod: JsonObject) -> bool:
    """Return whether the pod is deleted but has not ended."""
    return is_deleted(pod) and not has_ended(pod)


def is_ready(pod: JsonObject) -> bool:
    """Return whether the pod reports itself Ready."""
    return is_true(_status(pod).get("conditions"), "Ready")


def has_finalizer(pod: JsonObject) -> bool:
    """Return whether the pod still waits to be counted."""
    return TRACKING_FINALIZER in (pod["metadata"].get("finalizers") or ())


def has_failed(pod: JsonObject, *, only_ended: bool) -> bool:
    """Return whether a pod counts as failed.

    Args:
        pod: the pod.
        only_ended: whether one that is deleted before it has ended does not count yet. It
            does otherwise, since it may never get so far as to end.
    """
    return phase(pod) == "Failed" or (not only_ended and is_terminating(pod))


def index_of(pod: JsonObject) -> int | None:
    """Return the completion index that a pod works on, or ``None``."""
    text = (pod["metadata"].get("annotations") or {}).get(COMPLETION_INDEX, "")
    return int(text) if text.isdigit() else None


def restarts_of(pod: JsonObject) -> int:
    """Return how often containers of the pod were started again, all together."""
    status = _status(pod)
    return sum(
        int(container.get("restartCount") or 0)
        for field in ("initContainerStatuses", "containerStatuses")
        for container in status.get(field) or ()
    )


def ended_at(pod: JsonObject) -> float:
    """Return when a pod ended, as well as that can be said.

    In this order: when its last container ended, when it stopped being ready, when it was
    deleted, when it was made.
    """
    metadata = pod["metadata"]
    containers = _containers_ended_at(pod)
    if containers is not None:
        return containers
    ready = find_condition(_status(pod).get("conditions"), "Ready")
    if ready is not None and ready.get("status") == "False" and ready.get("lastTransitionTime"):
        return parse_time(ready["lastTransitionTime"])
    if metadata.get("deletionTimestamp"):
        # The mark lies one grace period ahead of the moment of the deletion.
        grace = float(metadata.get("deletionGracePeriodSeconds") or 0)
        return parse_time(metadata["deletionTimestamp"]) - grace
    return parse_time(metadata["creationTimestamp"])


def usefulness(pod: JsonObject) -> tuple[bool, int, bool, float, int, float]:
    """Return a key that puts first what is cheapest to lose.

    Unassigned before assigned, pending before running, unready before ready, ready for a
    short time, restarted often, young.
    """
    ready = is_ready(pod)
    restarts = max(
        (int(c.get("restartCount") or 0) for c in _status(pod).get("containerStatuses") or ()),
        default=0,
    )
    return (
        bool(pod["spec"].get("nodeName")),
        _PHASES.get(phase(pod), 0),
        ready,
        -_ready_since(pod) if ready else 0.0,
        -restarts,
        -parse_time(pod["metadata"]["creationTimestamp"]),
    )


def _status(pod: JsonObject) -> JsonObject:
    status: JsonObject = pod.get("status") or {}
    return status


def _ready_since(pod: JsonObject) -> float:
    ready = find_condition(_status(pod).get("conditions"), "Ready") or {}
    since = ready.get("lastTransitionTime")
    return parse_time(since) if since else 0.0


def _containers_ended_at(pod: JsonObject) -> float | None:
    """Return when the last container ended, ``None`` if that is not known of all."""
    ends: list[str | None] = [
        ((container.get("state") or {}).get("terminated") or {}).get("finishedAt")
        for container in _status(pod).get("containerStatuses") or ()
    ]
    known = [parse_time(end) for end in ends if end]
    return max(known) if known and len(known) == len(ends) else None
