"""What a Deployment reports: counts, availability, and whether its rollout makes progress.

Pure.
"""

from __future__ import annotations

from kubegang.apimachinery.conditions import find_condition
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time, parse_time
from kubegang.controllers.deployment.replicasets import Sets, asked, reported, terminating
from kubegang.controllers.deployment.strategy import max_unavailable, progress_deadline
from kubegang.controllers.replicaset.status import REPLICA_FAILURE
from kubegang.controllers.workloads.objects import name_of, replicas_of, status_of

AVAILABLE, PROGRESSING = "Available", "Progressing"

NEW_SET = "NewReplicaSetCreated"
FOUND_SET = "FoundNewReplicaSet"
SET_REFUSED = "ReplicaSetCreateError"
UPDATED = "ReplicaSetUpdated"
COMPLETE = "NewReplicaSetAvailable"
TIMED_OUT = "ProgressDeadlineExceeded"
PAUSED, RESUMED = "DeploymentPaused", "DeploymentResumed"

Conditions = list[JsonObject]


def conditions_of(deployment: JsonObject) -> Conditions:
    """Return a Deployment's conditions; nobody may change them."""
    conditions: Conditions = status_of(deployment).get("conditions") or []
    return conditions


def progressing_reason(deployment: JsonObject) -> str:
    """Return the reason of the Progressing condition, empty if there is none."""
    found = find_condition(conditions_of(deployment), PROGRESSING)
    return str(found.get("reason", "")) if found is not None else ""


def condition(kind: str, status: str, reason: str, message: str, *, now: float) -> JsonObject:
    """Return a condition that begins now."""
    moment = format_time(now)
    return {
        "type": kind,
        "status": status,
        "lastUpdateTime": moment,
        "lastTransitionTime": moment,
        "reason": reason,
        "message": message,
    }


def with_condition(conditions: Conditions, new: JsonObject) -> Conditions:
    """Return conditions with a new one; one of the same status and reason stays as it is."""
    present = find_condition(conditions, new["type"])
    if present is not None and present["status"] == new["status"]:
        if present.get("reason") == new["reason"]:
            return conditions
        new = {**new, "lastTransitionTime": present["lastTransitionTime"]}
    return [*without_condition(conditions, new["type"]), new]


def without_condition(conditions: Conditions, kind: str) -> Conditions:
    """Return conditions without those of a type."""
    return [entry for entry in conditions if entry["type"] != kind]


def counted_status(
    deployment: JsonObject, sets: Sets, *, counts_terminating: bool, now: float
) -> JsonObject:
    """Return the status but for progress and failures."""
    present = sets.all()
    available = reported(present, "availableReplicas")
    updated = [sets.new] if sets.new is not None else []
    numbers = {
        "observedGeneration": deployment["metadata"].get("generation", 0),
        "replicas": reported(present, "replicas"),
        "updatedReplicas": reported(updated, "replicas"),
        "readyReplicas": reported(present, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, asked(present) - available),
    }
    status: JsonObject = {name: number for name, number in numbers.items() if number}
    collisions = status_of(deployment).get("collisionCount")
    if collisions is not None:
        status["collisionCount"] = collisions
    going = terminating(present) if counts_terminating else None
    if going is not None:
        status["terminatingReplicas"] = going
    conditions = with_condition(
        conditions_of(deployment), _availability(deployment, available, now)
    )
    return {**status, "conditions": conditions}


def rollout_status(
    deployment: JsonObject, sets: Sets, *, counts_terminating: bool, now: float
) -> JsonObject:
    """Return the status in a rollout: counts, progress and failures."""
    status = counted_status(deployment, sets, counts_terminating=counts_terminating, now=now)
    conditions = status["conditions"]
    if progress_deadline(deployment) is None:
        conditions = without_condition(conditions, PROGRESSING)
    elif not _was_complete(deployment, status):
        conditions = _with_progress(deployment, status, sets.new, now)
    failure = _failure(sets)
    if failure is not None:
        conditions = with_condition(conditions, failure)
    else:
        conditions = without_condition(conditions, REPLICA_FAILURE)
    return {**status, "conditions": conditions}


def is_complete(deployment: JsonObject, status: JsonObject) -> bool:
    """Return whether a status says that every pod is new, available, and the only one."""
    replicas = replicas_of(deployment)
    names = ("updatedReplicas", "replicas", "availableReplicas")
    observed = status.get("observedGeneration", 0)
    return all(status.get(name, 0) == replicas for name in names) and bool(
        observed >= deployment["metadata"].get("generation", 0)
    )


def deadline_of(deployment: JsonObject, status: JsonObject) -> float | None:
    """Return when a rollout that is under way fails for lack of progress, if ever."""
    seconds = progress_deadline(deployment)
    current = find_condition(conditions_of(deployment), PROGRESSING)
    if seconds is None or current is None or current.get("reason") == TIMED_OUT:
        return None
    if is_complete(deployment, status):
        return None
    return parse_time(current["lastUpdateTime"]) + seconds


def _availability(deployment: JsonObject, available: int, now: float) -> JsonObject:
    if available >= replicas_of(deployment) - max_unavailable(deployment):
        message = "Deployment has minimum availability."
        return condition(AVAILABLE, "True", "MinimumReplicasAvailable", message, now=now)
    message = "Deployment does not have minimum availability."
    return condition(AVAILABLE, "False", "MinimumReplicasUnavailable", message, now=now)


def _was_complete(deployment: JsonObject, status: JsonObject) -> bool:
    """Return whether an earlier rollout has ended and no new one has begun."""
    is_one = status.get("replicas", 0) == status.get("updatedReplicas", 0)
    return is_one and progressing_reason(deployment) == COMPLETE


def _with_progress(
    deployment: JsonObject, status: JsonObject, new: JsonObject | None, now: float
) -> Conditions:
    conditions: Conditions = status["conditions"]
    what = f'ReplicaSet "{name_of(new)}"' if new else f'Deployment "{name_of(deployment)}"'
    if is_complete(deployment, status):
        message = f"{what} has successfully progressed."
        return with_condition(
            conditions, condition(PROGRESSING, "True", COMPLETE, message, now=now)
        )
    current = find_condition(conditions_of(deployment), PROGRESSING)
    if _progresses(status_of(deployment), status):
        told = condition(PROGRESSING, "True", UPDATED, f"{what} is progressing.", now=now)
        if current is not None and current["status"] == "True":
            told["lastTransitionTime"] = current["lastTransitionTime"]
        # Even with the same reason: the time of the last progress counts.
        return [*without_condition(conditions, PROGRESSING), told]
    if _has_timed_out(deployment, current, now):
        message = f"{what} has timed out progressing."
        return with_condition(
            conditions, condition(PROGRESSING, "False", TIMED_OUT, message, now=now)
        )
    return conditions


def _progresses(old: JsonObject, new: JsonObject) -> bool:
    """Return whether there are more new, ready or available pods, or fewer old ones."""
    grown = any(
        new.get(name, 0) > old.get(name, 0)
        for name in ("updatedReplicas", "readyReplicas", "availableReplicas")
    )
    return grown or _outdated(new) < _outdated(old)


def _outdated(status: JsonObject) -> int:
    return int(status.get("replicas", 0) - status.get("updatedReplicas", 0))


def _has_timed_out(deployment: JsonObject, current: JsonObject | None, now: float) -> bool:
    seconds = progress_deadline(deployment)
    if current is None or seconds is None or current.get("reason") == COMPLETE:
        return False
    since = parse_time(current["lastUpdateTime"])
    return current.get("reason") == TIMED_OUT or since + seconds < now


def _failure(sets: Sets) -> JsonObject | None:
    """Return the failure of a ReplicaSet as one of the Deployment; the new one's goes first."""
    ordered = [*([sets.new] if sets.new is not None else []), *sets.old]
    for entry in ordered:
        found = find_condition(status_of(entry).get("conditions"), REPLICA_FAILURE)
        if found is not None:
            return {
                "type": REPLICA_FAILURE,
                "status": found["status"],
                "lastUpdateTime": found["lastTransitionTime"],
                "lastTransitionTime": found["lastTransitionTime"],
                "reason": found.get("reason", ""),
                "message": found.get("message", ""),
            }
    return None
