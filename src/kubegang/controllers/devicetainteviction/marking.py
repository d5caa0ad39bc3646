"""The condition that tells why a pod is deleted. Pure."""

from __future__ import annotations

from kubegang.apimachinery.conditions import find_condition
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time

_SAID = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "DeletionByDeviceTaintManager",
    "message": "Device Taint manager: deleting due to NoExecute taint",
}


def disruption_target(pod: JsonObject, *, now: float) -> JsonObject | None:
    """Return the condition to write, ``None`` if the pod says so already."""
    before = find_condition((pod.get("status") or {}).get("conditions") or [], _SAID["type"]) or {}
    if before.items() >= _SAID.items():
        return None
    holds = before.get("status") == _SAID["status"]
    since = before.get("lastTransitionTime") if holds else None
    return {**_SAID, "lastTransitionTime": since or format_time(now)}
