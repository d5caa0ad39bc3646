"""When a pod counts: ready, and ready for as long as its owner asks. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.apimachinery.conditions import find_condition, is_true
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time


def phase(pod: JsonObject) -> str:
    """Return the pod's phase; one that the API server has not seen yet has none."""
    return str((pod.get("status") or {}).get("phase") or "")


def has_ended(pod: JsonObject) -> bool:
    """Return whether the pod will never run again."""
    return phase(pod) in ("Succeeded", "Failed")


def is_going(obj: JsonObject) -> bool:
    """Return whether the object carries a deletion mark."""
    return bool(obj["metadata"].get("deletionTimestamp"))


def is_active(pod: JsonObject) -> bool:
    """Return whether the pod works, or will."""
    return not has_ended(pod) and not is_going(pod)


def is_ready(pod: JsonObject) -> bool:
    """Return whether the pod reports itself Ready."""
    return is_true((pod.get("status") or {}).get("conditions"), "Ready")


def ready_since(pod: JsonObject) -> float:
    """Return since when a pod is ready, 0 if that is not known."""
    condition = find_condition((pod.get("status") or {}).get("conditions"), "Ready") or {}
    since = condition.get("lastTransitionTime")
    return parse_time(since) if since else 0.0


def is_available(pod: JsonObject, *, min_ready_seconds: int, now: float) -> bool:
    """Return whether a pod has been ready for long enough."""
    if not is_ready(pod):
        return False
    since = ready_since(pod)
    return min_ready_seconds == 0 or (since > 0 and since + min_ready_seconds <= now)


def next_available(
    pods: Iterable[JsonObject], *, min_ready_seconds: int, now: float
) -> float | None:
    """Return in how many seconds the next of the pods will have been ready for long enough."""
    waits = [
        ready_since(pod) + min_ready_seconds - now
        for pod in pods
        if is_ready(pod) and not is_available(pod, min_ready_seconds=min_ready_seconds, now=now)
    ]
    return min(waits, default=None)


def min_ready_seconds(owner: JsonObject) -> int:
    """Return how long a pod of an owner must be ready to count as available."""
    return int(owner["spec"].get("minReadySeconds") or 0)
