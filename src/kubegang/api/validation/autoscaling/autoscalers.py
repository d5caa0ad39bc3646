"""HorizontalPodAutoscalers: bounds, what is scaled, and how fast.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.autoscaling.conversion import V1, to_v2
from kubegang.api.validation.autoscaling.metrics import (
    validate_metrics,
    validate_reference,
    version_problem,
)
from kubegang.api.validation.checks import Errors, not_negative
from kubegang.apimachinery.field import Path, invalid_value, not_supported, required
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_TARGET = _SPEC.child("scaleTargetRef")
_TO_ZERO = "HPAScaleToZero"
_SELECT_POLICIES = ("Disabled", "Max", "Min")
_POLICIES = ("Percent", "Pods")
_MAX_PERIOD = 1800
_MAX_WINDOW = 3600
_ZERO = Quantity.parse("0")


def validate_autoscaler(autoscaler: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new autoscaler."""
    spec = _spec_of(autoscaler)
    yield from _bounds(spec, least=0 if gates.enabled_if_known(_TO_ZERO) else 1)
    yield from _target(spec, any_version=False)
    yield from _rest(spec, any_version=False)


def validate_autoscaler_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed autoscaler: versions of other objects that were there may stay."""
    spec, old_spec = _spec_of(new), _spec_of(old)
    may_be_zero = gates.enabled_if_known(_TO_ZERO) or old_spec.get("minReplicas") == 0
    yield from _bounds(spec, least=0 if may_be_zero else 1)
    target, old_target = (one.get("scaleTargetRef") or {} for one in (spec, old_spec))
    same = all(target.get(name) == old_target.get(name) for name in ("apiVersion", "kind"))
    yield from _target(spec, any_version=same)
    yield from _rest(spec, any_version=_has_odd_version(old_spec.get("metrics") or ()))


def validate_autoscaler_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check what the controller reports."""
    status = (to_v2(new) if new["apiVersion"] == V1 else new).get("status") or {}
    path = Path("status")
    for position, condition in enumerate(status.get("conditions") or ()):
        where = path.child("conditions").index(position).child("observedGeneration")
        yield from not_negative(where, condition.get("observedGeneration"))
    for name in ("currentReplicas", "desiredReplicas"):
        yield from not_negative(path.child(name), status.get(name))


def _spec_of(autoscaler: JsonObject) -> JsonObject:
    """Return the spec in the form of autoscaling/v2, in which upstream checks both versions."""
    known = to_v2(autoscaler) if autoscaler["apiVersion"] == V1 else autoscaler
    spec: JsonObject = known.get("spec") or {}
    return spec


def _bounds(spec: JsonObject, *, least: int) -> Errors:
    low, high = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    path = _SPEC.child("maxReplicas")
    if low is not None and low < least:
        detail = f"must be greater than or equal to {least}"
        yield invalid_value(_SPEC.child("minReplicas"), low, detail)
    if high == 0:
        yield required(path)
    elif high < 0:
        yield invalid_value(path, high, "must be greater than or equal to 1")
    if low is not None and high < low:
        yield invalid_value(path, high, "must be greater than or equal to `minReplicas`")


def _target(spec: JsonObject, *, any_version: bool) -> Errors:
    target = spec.get("scaleTargetRef") or {}
    # The only kind of the core group that can be scaled.
    is_core = target.get("kind") == "ReplicationController"
    yield from validate_reference(target, _TARGET, core_is_fine=is_core, any_version=any_version)


def _rest(spec: JsonObject, *, any_version: bool) -> Errors:
    yield from validate_metrics(
        spec.get("metrics") or (),
        _SPEC.child("metrics"),
        to_zero=spec.get("minReplicas") == 0,
        any_version=any_version,
    )
    behavior, path = spec.get("behavior") or {}, _SPEC.child("behavior")
    for name in ("scaleUp", "scaleDown"):
        if (rules := behavior.get(name)) is not None:
            yield from _rules(rules, path.child(name))


def _has_odd_version(metrics: Sequence[JsonObject]) -> bool:
    return any(
        metric.get("type") == "Object"
        and version_problem(_described(metric).get("apiVersion") or "", core_is_fine=True)
        for metric in metrics
    )


def _described(metric: JsonObject) -> JsonObject:
    described: JsonObject = (metric.get("object") or {}).get("describedObject") or {}
    return described


def _rules(rules: JsonObject, path: Path) -> Errors:
    window, where = (
        rules.get("stabilizationWindowSeconds"),
        path.child("stabilizationWindowSeconds"),
    )
    if window is not None and window < 0:
        yield invalid_value(where, window, "must be greater than or equal to zero")
    if window is not None and window > _MAX_WINDOW:
        yield invalid_value(where, window, f"must be less than or equal to {_MAX_WINDOW}")
    select = rules.get("selectPolicy")
    if select is not None and select not in _SELECT_POLICIES:
        yield not_supported(path.child("selectPolicy"), select, _SELECT_POLICIES)
    if not rules.get("policies"):
        yield required(path.child("policies"), "must specify at least one Policy")
    for position, policy in enumerate(rules.get("policies") or ()):
        yield from _policy(policy, path.child("policies").index(position))
    tolerance = rules.get("tolerance")
    if tolerance is not None and Quantity.parse(tolerance) < _ZERO:
        detail = "must be greater than or equal to 0"
        yield invalid_value(path.child("tolerance"), tolerance, detail)


def _policy(policy: JsonObject, path: Path) -> Errors:
    kind = policy.get("type") or ""
    if kind not in _POLICIES:
        yield not_supported(path.child("type"), kind, _POLICIES)
    for name in ("value", "periodSeconds"):
        if (number := policy.get(name) or 0) <= 0:
            yield invalid_value(path.child(name), number, "must be greater than zero")
    if (period := policy.get("periodSeconds") or 0) > _MAX_PERIOD:
        detail = f"must be less than or equal to {_MAX_PERIOD}"
        yield invalid_value(path.child("periodSeconds"), period, detail)
