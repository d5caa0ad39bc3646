"""PriorityClass of v1.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.validation.checks import Errors, required_one_of, unchanged
from kubegang.api.validation.metadata import METADATA
from kubegang.api.validation.scheduling.blocks import MAX_PRIORITY
from kubegang.apimachinery.field import Path, forbidden_field
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")

_SYSTEM_CLASSES: Mapping[str, int] = {
    "system-node-critical": 2_000_001_000,
    "system-cluster-critical": 2_000_000_000,
}


def validate_priority_class(priority_class: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new PriorityClass; only Kubernetes' own may be called system-…."""
    name = (priority_class.get("metadata") or {}).get("name") or ""
    value = priority_class.get("value") or 0
    if name.startswith("system-"):
        if problem := _system_class_problem(name, priority_class):
            detail = (
                "priority class names with 'system-' prefix are reserved for system use only. "
                f"error: {problem}"
            )
            yield forbidden_field(METADATA.child("name"), detail)
    elif value > MAX_PRIORITY:
        detail = f"maximum allowed value of a user defined priority is {MAX_PRIORITY}"
        yield forbidden_field(Path("value"), detail)
    if (policy := priority_class.get("preemptionPolicy")) is not None:
        yield from required_one_of(Path("preemptionPolicy"), policy, PREEMPTION_POLICIES)


def validate_priority_class_update(
    new: JsonObject, old: JsonObject, _gates: FeatureGates
) -> Errors:
    """Check a changed PriorityClass: value and preemption policy are frozen."""
    if (new.get("value") or 0) != (old.get("value") or 0):
        yield forbidden_field(Path("value"), "may not be changed in an update.")
    yield from unchanged(
        Path("preemptionPolicy"), new.get("preemptionPolicy"), old.get("preemptionPolicy")
    )


def _system_class_problem(name: str, priority_class: JsonObject) -> str:
    value = _SYSTEM_CLASSES.get(name)
    if value is None:
        return f"{name} is not a known system priority class"
    if (priority_class.get("value") or 0) != value:
        return f"value of {name} PriorityClass must be {value}"
    if priority_class.get("globalDefault"):
        return f"globalDefault of {name} PriorityClass must be false"
    return ""
