"""Namespaces.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.metadata import validate_finalizer
from kubegang.apimachinery.field import Path, invalid_value
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

# Upstream spells it so in its errors.
_PHASE = Path("status").child("Phase")
_FINALIZERS = Path("spec").child("finalizers")


def validate_namespace(namespace: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new namespace."""
    for finalizer in (namespace.get("spec") or {}).get("finalizers") or ():
        yield from validate_finalizer(_FINALIZERS, finalizer)


def validate_namespace_finalizers(
    new: JsonObject, _old: JsonObject, _gates: FeatureGates
) -> Errors:
    """Check the finalizers that the ``finalize`` subresource sets."""
    for position, finalizer in enumerate((new.get("spec") or {}).get("finalizers") or ()):
        yield from validate_finalizer(_FINALIZERS.index(position), finalizer)


def validate_namespace_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check that the phase tells whether the namespace is being deleted."""
    deleted = bool((new.get("metadata") or {}).get("deletionTimestamp"))
    phase = (new.get("status") or {}).get("phase") or ""
    if deleted and phase != "Terminating":
        detail = "may only be 'Terminating' if `deletionTimestamp` is not empty"
        yield invalid_value(_PHASE, phase, detail)
    if not deleted and phase != "Active":
        detail = "may only be 'Active' if `deletionTimestamp` is empty"
        yield invalid_value(_PHASE, phase, detail)
