"""What a StatefulSet reports about its pods. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.revisions.data import revision_of_pod
from kubegang.controllers.workloads.availability import (
    is_available,
    is_going,
    is_ready,
    min_ready_seconds,
    phase,
)
from kubegang.controllers.workloads.objects import replicas_of, status_of

# These are written even if they are 0.
_ALWAYS = ("replicas", "availableReplicas", "collisionCount")


def is_running_and_ready(pod: JsonObject) -> bool:
    """Return whether a pod runs and reports itself Ready."""
    return phase(pod) == "Running" and is_ready(pod)


def is_unavailable(stateful_set: JsonObject, pod: JsonObject, now: float) -> bool:
    """Return whether a pod does not count as available, or is being deleted."""
    seconds = min_ready_seconds(stateful_set)
    return is_going(pod) or not is_available(pod, min_ready_seconds=seconds, now=now)


def new_status(
    stateful_set: JsonObject,
    pods: Iterable[JsonObject],
    *,
    current: str,
    update: str,
    collisions: int,
    deleted: int,
    now: float,
) -> JsonObject:
    """Return the status of a set; an update that is complete becomes what is current.

    Args:
        stateful_set: the set.
        pods: its pods; those that are only planned have no phase and do not count.
        current: the name of the revision that it comes from.
        update: the name of the revision that it goes to.
        collisions: how often a revision's name was taken.
        deleted: how many pods of the current revision were just deleted for the update.
        now: seconds since the epoch.
    """
    created = [pod for pod in pods if phase(pod)]
    staying = [pod for pod in created if not is_going(pod)]
    ready = [pod for pod in created if is_running_and_ready(pod)]
    seconds = min_ready_seconds(stateful_set)
    available = [pod for pod in ready if is_available(pod, min_ready_seconds=seconds, now=now)]
    numbers = {
        "observedGeneration": stateful_set["metadata"].get("generation", 0),
        "replicas": len(created),
        "readyReplicas": len(ready),
        "availableReplicas": len(available),
        "currentReplicas": _made_from(staying, current) - deleted,
        "updatedReplicas": _made_from(staying, update),
        "collisionCount": collisions,
    }
    wanted = replicas_of(stateful_set)
    if numbers["updatedReplicas"] == numbers["readyReplicas"] == numbers["replicas"] == wanted:
        current, numbers["currentReplicas"] = update, numbers["updatedReplicas"]
    status: JsonObject = {k: v for k, v in numbers.items() if v or k in _ALWAYS}
    conditions = status_of(stateful_set).get("conditions")
    if conditions:
        status["conditions"] = conditions
    return {**status, "currentRevision": current, "updateRevision": update}


def has_news(stateful_set: JsonObject, status: JsonObject) -> bool:
    """Return whether a status says more than the one that is there."""
    ignored = ("collisionCount",)
    old = {k: v for k, v in status_of(stateful_set).items() if k not in ignored and v != 0}
    return old != {k: v for k, v in status.items() if k not in ignored and v != 0}


def _made_from(pods: list[JsonObject], revision: str) -> int:
    return sum(1 for pod in pods if revision_of_pod(pod) == revision)
