"""What a ReplicaSet reports about its pods. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.apimachinery.conditions import find_condition
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.controllers.workloads.availability import (
    is_available,
    is_ready,
    min_ready_seconds,
)
from kubegang.controllers.workloads.objects import labels_of, replicas_of, status_of

REPLICA_FAILURE = "ReplicaFailure"


def new_status(
    owner: JsonObject,
    pods: Sequence[JsonObject],
    *,
    terminating: int | None,
    failure: str,
    now: float,
) -> JsonObject:
    """Return the status of a set.

    Args:
        owner: the set.
        pods: its pods that work, or will.
        terminating: how many of its pods are being deleted; ``None`` if that is not reported.
        failure: why pods could not be made or deleted, or empty.
        now: seconds since the epoch.
    """
    wanted = ((owner["spec"].get("template") or {}).get("metadata") or {}).get("labels") or {}
    ready = [pod for pod in pods if is_ready(pod)]
    seconds = min_ready_seconds(owner)
    available = [pod for pod in ready if is_available(pod, min_ready_seconds=seconds, now=now)]
    numbers = {
        "fullyLabeledReplicas": sum(1 for pod in pods if _has(pod, wanted)),
        "readyReplicas": len(ready),
        "availableReplicas": len(available),
        "observedGeneration": owner["metadata"].get("generation", 0),
    }
    status: JsonObject = {"replicas": len(pods)}
    status |= {name: number for name, number in numbers.items() if number}
    if terminating is not None:
        status["terminatingReplicas"] = terminating
    conditions = _conditions(owner, len(pods), failure, now)
    return {**status, "conditions": conditions} if conditions else status


def _has(pod: JsonObject, wanted: dict[str, str]) -> bool:
    labels = labels_of(pod)
    return all(labels.get(name) == value for name, value in wanted.items())


def _conditions(owner: JsonObject, present: int, failure: str, now: float) -> list[JsonObject]:
    conditions: list[JsonObject] = status_of(owner).get("conditions") or []
    known = find_condition(conditions, REPLICA_FAILURE)
    if failure and known is None:
        condition = {
            "type": REPLICA_FAILURE,
            "status": "True",
            "lastTransitionTime": format_time(now),
            "reason": "FailedCreate" if present < replicas_of(owner) else "FailedDelete",
            "message": failure,
        }
        return [*conditions, condition]
    if not failure and known is not None:
        return [entry for entry in conditions if entry["type"] != REPLICA_FAILURE]
    return conditions
