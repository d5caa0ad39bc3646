"""The body of a pod's binding subresource.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors, matching, one_of
from kubegang.apimachinery.field import Path, required
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_TARGET = Path("target")


def validate_binding(binding: JsonObject, _gates: FeatureGates) -> Errors:
    """Check what a pod is bound to: a node, named."""
    target = binding.get("target") or {}
    kind, name = target.get("kind"), target.get("name")
    if kind and kind != "Node":
        yield from one_of(_TARGET.child("kind"), kind, ("Node", "<empty>"))
    if not name:
        yield required(_TARGET.child("name"))
    elif not kind or kind == "Node":
        yield from matching(_TARGET.child("name"), name, is_dns1123_subdomain)
