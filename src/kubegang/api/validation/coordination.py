"""Leases.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors, matching, not_negative, one_of
from kubegang.apimachinery.field import Path, forbidden_field, invalid_value
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_STRATEGIES = ("OldestEmulationVersion",)


def validate_lease(lease: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a lease, new or changed."""
    spec = lease.get("spec") or {}
    seconds = spec.get("leaseDurationSeconds")
    if seconds is not None and seconds <= 0:
        yield invalid_value(_SPEC.child("leaseDurationSeconds"), seconds, "must be greater than 0")
    yield from not_negative(_SPEC.child("leaseTransitions"), spec.get("leaseTransitions"))
    if (strategy := spec.get("strategy")) is not None:
        # Upstream repeats the field's name in the path.
        path = _SPEC.child("strategy", "strategy")
        if "/" in strategy:
            yield from matching(path, strategy, is_qualified_name)
        else:
            yield from one_of(path, strategy, _STRATEGIES)
    if spec.get("preferredHolder") and not strategy:
        detail = "may only be specified if `strategy` is defined"
        yield forbidden_field(_SPEC.child("preferredHolder"), detail)


def validate_lease_update(new: JsonObject, _old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed lease: everything may change."""
    yield from validate_lease(new, gates)
