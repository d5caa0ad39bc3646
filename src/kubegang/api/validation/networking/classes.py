"""Ingress classes: the controller that implements them, and its parameters.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import IMMUTABLE, Errors, matching, one_of
from kubegang.api.validation.domainpaths import validate_domain_path
from kubegang.api.validation.networking.ingresses import validate_reference
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    required,
    too_long,
)
from kubegang.apimachinery.names import is_dns1123_label
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_CONTROLLER = Path("spec").child("controller")
_PARAMETERS = Path("spec").child("parameters")
_MAX_CONTROLLER = 250
_SCOPES = ("Cluster", "Namespace")


def validate_ingress_class(ingress_class: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new ingress class."""
    spec = ingress_class.get("spec") or {}
    controller = spec.get("controller") or ""
    if len(controller.encode()) > _MAX_CONTROLLER:
        yield too_long(_CONTROLLER, _MAX_CONTROLLER)
    yield from validate_domain_path(_CONTROLLER, controller)
    if (parameters := spec.get("parameters")) is not None:
        yield from validate_reference(parameters, _PARAMETERS)
        yield from _scope(parameters)


def validate_ingress_class_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed ingress class: its controller stays."""
    new_spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    if (controller := new_spec.get("controller") or "") != (old_spec.get("controller") or ""):
        yield invalid_value(_CONTROLLER, controller, IMMUTABLE)
    yield from validate_ingress_class(new, gates)


def _scope(parameters: JsonObject) -> Errors:
    scope, namespace = parameters.get("scope"), parameters.get("namespace")
    where = _PARAMETERS.child("namespace")
    if scope is None:
        yield required(_PARAMETERS.child("scope"))
    yield from one_of(_PARAMETERS.child("scope"), scope, _SCOPES)
    if scope == "Namespace" and namespace is None:
        yield required(where, "`parameters.scope` is set to 'Namespace'")
    elif scope == "Namespace":
        yield from matching(where, namespace or "", is_dns1123_label)
    elif scope == "Cluster" and namespace is not None:
        yield forbidden_field(where, "`parameters.scope` is set to 'Cluster'")
