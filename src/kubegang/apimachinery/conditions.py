"""The list of conditions in an object's status.

A condition is known by its type. Its transition time moves only when its status does, so
that "since when" stays true however often the same thing is reported.

Pure: the list is changed in place, the time is an argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time

ConditionStatus = Literal["True", "False", "Unknown"]


def find_condition(
    conditions: Sequence[JsonObject] | None, condition_type: str
) -> JsonObject | None:
    """Return the condition of a type, or ``None``."""
    for condition in conditions or ():
        if condition.get("type") == condition_type:
            return condition
    return None


def is_true(conditions: Sequence[JsonObject] | None, condition_type: str) -> bool:
    """Return whether a condition exists and is True."""
    condition = find_condition(conditions, condition_type)
    return condition is not None and condition.get("status") == "True"


def set_condition(
    conditions: list[JsonObject],
    *,
    type: str,
    status: ConditionStatus,
    reason: str,
    message: str,
    now: float,
    observed_generation: int = 0,
) -> bool:
    """Add or change a condition and return whether anything but its times differs.

    An empty reason is left out, as Pods' PodScheduled=True has none; the message is always
    written once there is a reason, even when empty, as ``metav1.Condition`` is.
    """
    wanted = _condition(type, status, reason=reason, message=message)
    if observed_generation:
        wanted["observedGeneration"] = observed_generation
    present = find_condition(conditions, type)
    if present is None:
        conditions.append({**wanted, "lastTransitionTime": format_time(now)})
        return True
    if _says(present) == wanted:
        return False
    since = present.get("lastTransitionTime")
    if since is None or present.get("status") != status:
        since = format_time(now)
    kept = {name: present[name] for name in _PROBE_FIELDS if name in present}
    position = next(i for i, condition in enumerate(conditions) if condition is present)
    conditions[position] = {**wanted, **kept, "lastTransitionTime": since}
    return True


_PROBE_FIELDS = ("lastProbeTime", "lastHeartbeatTime")
_TIMES = frozenset({"lastTransitionTime", *_PROBE_FIELDS})


def _condition(
    condition_type: str, status: ConditionStatus, *, reason: str, message: str
) -> JsonObject:
    condition: JsonObject = {"type": condition_type, "status": status}
    if reason:
        condition["reason"] = reason
    if reason or message:
        condition["message"] = message
    return condition


def _says(condition: JsonObject) -> JsonObject:
    return {name: value for name, value in condition.items() if name not in _TIMES}
