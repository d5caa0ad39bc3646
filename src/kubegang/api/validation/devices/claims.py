"""Resource claims, templates of them, and device classes.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import IMMUTABLE, Errors, unset
from kubegang.api.validation.declarative import same
from kubegang.api.validation.devices.allocation import validate_claim_status
from kubegang.api.validation.devices.names import validate_list
from kubegang.api.validation.devices.requests import (
    MAX_CONFIGS,
    validate_claim_spec,
    validate_configuration,
    validate_selectors,
)
from kubegang.api.validation.internal_form import invalid_form
from kubegang.api.validation.labels import validate_annotations, validate_labels
from kubegang.api.validation.pods.claim_templates import NOT_IN_TEMPLATES
from kubegang.api.validation.pods.resources import is_extended
from kubegang.apimachinery.field import Path, invalid_value
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

__all__ = [
    "validate_claim",
    "validate_claim_status",
    "validate_claim_update",
    "validate_device_class",
    "validate_device_class_update",
    "validate_template",
    "validate_template_update",
]

_SPEC = Path("spec")


def validate_claim(claim: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new claim."""
    yield from validate_claim_spec(claim.get("spec") or {}, _SPEC)


def validate_claim_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed claim: its spec is frozen."""
    if not same(new.get("spec") or {}, old.get("spec") or {}):
        yield invalid_value(_SPEC, None, IMMUTABLE)


def validate_template(template: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new template: labels, annotations and a claim's spec."""
    spec = template.get("spec") or {}
    metadata, path = spec.get("metadata") or {}, _SPEC.child("metadata")
    yield from validate_annotations(metadata.get("annotations"), path.child("annotations"))
    yield from validate_labels(metadata.get("labels"), path.child("labels"))
    yield from unset(path, metadata, "cannot be set", names=NOT_IN_TEMPLATES)
    yield from validate_claim_spec(spec.get("spec") or {}, _SPEC.child("spec"))


def validate_template_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed template: its spec is frozen."""
    if not same(new.get("spec") or {}, old.get("spec") or {}):
        yield invalid_form(_SPEC, "ResourceClaimTemplateSpec", new.get("spec"), IMMUTABLE)


def validate_device_class(device_class: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new device class."""
    yield from _device_class(device_class, {})


def _device_class(device_class: JsonObject, old_spec: JsonObject) -> Errors:
    spec = device_class.get("spec") or {}
    selectors = spec.get("selectors") or ()
    # What is stored is not looked at again: a later release may take fewer expressions.
    if not selectors or not same(selectors, old_spec.get("selectors") or ()):
        yield from validate_selectors(selectors, _SPEC.child("selectors"))
    yield from validate_list(
        spec.get("config") or (),
        _SPEC.child("config"),
        validate_configuration,
        at_most=MAX_CONFIGS,
    )
    name = spec.get("extendedResourceName")
    if name is not None and not is_extended(name):
        path = _SPEC.child("extendedResourceName")
        detail = "must be a valid extended resource name"
        if "/" not in name:
            detail = "a name must be a domain-prefixed path, such as 'example.com/my-prop'"
        yield invalid_value(path, name, detail)


def validate_device_class_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed class: everything may change."""
    yield from _device_class(new, old.get("spec") or {})
