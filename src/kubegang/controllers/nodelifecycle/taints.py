"""The taints that a node's state asks for. Pure.

Source: the well-known taints of the Kubernetes documentation; measured on 1.37.2.
"""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.nodelifecycle.health import readiness, ready_condition

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"

_BY_CONDITION = {
    ("Ready", "False"): NOT_READY,
    ("Ready", "Unknown"): UNREACHABLE,
    ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
    ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
    ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
}
_OURS = frozenset({*_BY_CONDITION.values(), UNSCHEDULABLE})
_EXECUTE = {"False": NOT_READY, "Unknown": UNREACHABLE}


def with_no_schedule_taints(node: JsonObject, *, moment: str) -> list[JsonObject] | None:
    """Return the taints with those that keep pods off, ``None`` if they stay as they are."""
    wanted = [
        key
        for condition in (node.get("status") or {}).get("conditions") or ()
        if (key := _BY_CONDITION.get((condition["type"], condition["status"]))) is not None
    ]
    if node["spec"].get("unschedulable"):
        wanted.append(UNSCHEDULABLE)
    return _changed(node, wanted, "NoSchedule", moment=moment)


def with_no_execute_taint(node: JsonObject, *, moment: str) -> list[JsonObject] | None:
    """Return the taints with the one that drives pods away; ``None`` if they stay as they are.

    A node that is ready gets none.
    """
    ready = ready_condition(node)
    key = _EXECUTE.get(readiness(node)) if ready is not None else None
    return _changed(node, [key] if key else [], "NoExecute", moment=moment)


def without_no_execute_taints(node: JsonObject) -> list[JsonObject] | None:
    """Return the taints without any that drives pods away, ``None`` if there is none."""
    return _changed(node, [], "NoExecute", moment="")


def _changed(
    node: JsonObject, wanted: list[str], effect: str, *, moment: str
) -> list[JsonObject] | None:
    ours = _OURS if effect == "NoSchedule" else frozenset(_EXECUTE.values())
    before = node["spec"].get("taints") or []
    present = {t["key"] for t in before if t["key"] in ours and t["effect"] == effect}
    if present == set(wanted):
        return None
    kept = [
        t for t in before if t["effect"] != effect or t["key"] not in ours or t["key"] in wanted
    ]
    added = [key for key in dict.fromkeys(wanted) if key not in present]
    return [*kept, *({"key": key, "effect": effect, "timeAdded": moment} for key in added)]
