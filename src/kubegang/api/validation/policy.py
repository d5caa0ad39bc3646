"""Pod disruption budgets.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors, matching, not_negative, one_of
from kubegang.api.validation.conditions import validate_conditions
from kubegang.api.validation.internal_form import invalid_form
from kubegang.api.validation.labels import validate_selector
from kubegang.apimachinery.field import Path, invalid_value
from kubegang.apimachinery.names import is_percent
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_STATUS = Path("status")
_EVICTION_POLICIES = ("AlwaysAllow", "IfHealthyBudget")
_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
_ALL = 100


def validate_budget(budget: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a budget, new or changed."""
    spec = budget.get("spec") or {}
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        detail = "minAvailable and maxUnavailable cannot be both set"
        yield invalid_form(_SPEC, "PodDisruptionBudgetSpec", spec, detail)
    for name in ("minAvailable", "maxUnavailable"):
        if (amount := spec.get(name)) is not None:
            yield from _amount(_SPEC.child(name), amount)
    yield from validate_selector(spec.get("selector"), _SPEC.child("selector"))
    policy = spec.get("unhealthyPodEvictionPolicy")
    yield from one_of(_SPEC.child("unhealthyPodEvictionPolicy"), policy, _EVICTION_POLICIES)


def validate_budget_update(new: JsonObject, _old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed budget: everything may change."""
    yield from validate_budget(new, gates)


def validate_budget_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a budget's conditions and counts."""
    status = new.get("status") or {}
    yield from validate_conditions(status.get("conditions") or (), _STATUS.child("conditions"))
    for name in _COUNTS:
        yield from not_negative(_STATUS.child(name), status.get(name))


def _amount(path: Path, amount: int | str) -> Errors:
    """Check a number of pods, or a share of them."""
    if isinstance(amount, int):
        yield from not_negative(path, amount)
        return
    errors = list(matching(path, amount, is_percent))
    yield from errors
    if not errors and int(amount.removesuffix("%")) > _ALL:
        yield invalid_value(path, amount, "must not be greater than 100%")
