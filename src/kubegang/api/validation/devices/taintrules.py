"""Rules of DeviceTaintRules: administrators' taints on devices that drivers publish.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.conditions import validate_conditions
from kubegang.api.validation.devices.device import validate_taint
from kubegang.api.validation.devices.names import driver_name, pool_name, request_name
from kubegang.apimachinery.field import Path, too_many
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_CONDITIONS = Path("status").child("conditions")
_MAX_CONDITIONS = 8


def validate_taint_rule(rule: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new rule; one without a selector is about no device."""
    spec = rule.get("spec") or {}
    yield from _selector(spec.get("deviceSelector") or {})
    yield from validate_taint(spec.get("taint") or {}, _SPEC.child("taint"))


def validate_taint_rule_update(new: JsonObject, _old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed rule: everything may change."""
    yield from validate_taint_rule(new, gates)


def validate_taint_rule_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check what was reported of a rule."""
    conditions = (new.get("status") or {}).get("conditions") or ()
    yield from validate_conditions(conditions, _CONDITIONS)
    if len(conditions) > _MAX_CONDITIONS:
        yield too_many(_CONDITIONS, len(conditions), _MAX_CONDITIONS)


def _selector(selector: JsonObject) -> Errors:
    path = _SPEC.child("deviceSelector")
    checks = (("driver", driver_name), ("pool", pool_name), ("device", request_name))
    for member, check in checks:
        if (name := selector.get(member)) is not None:
            yield from check(name, path.child(member))
