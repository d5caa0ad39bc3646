"""Nodes.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubegang.api.validation.checks import Errors, matching, positive
from kubegang.api.validation.dualstack import one_of_each_family, unreadable
from kubegang.api.validation.formats import ip_range
from kubegang.api.validation.internal_form import internal_form
from kubegang.api.validation.metadata import METADATA
from kubegang.api.validation.pods.resources import validate_amount
from kubegang.api.validation.pods.tolerations import validate_taints
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
)
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_STATUS = Path("status")

_FEATURE = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*")
_MAX_FEATURE = 253
_UNREADABLE = (
    "invalid PodCIDRs. failed to check with dual stack with error:"
    "invalid CIDR[{position}]: <nil> (invalid CIDR address: {text})"
)


def validate_node(node: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new node; kubelets bring their status along."""
    spec, status = node.get("spec") or {}, node.get("status") or {}
    # Upstream looks for taints and swap below metadata, and says so in the errors.
    yield from validate_taints(spec.get("taints") or (), METADATA.child("taints"))
    yield from _amounts(status)
    swap = ((status.get("nodeInfo") or {}).get("swap") or {}).get("capacity")
    if swap is not None:
        yield from positive(METADATA.child("nodeSwapStatus", "capacity"), swap)
    yield from _features(status.get("declaredFeatures") or ())
    yield from _pod_ranges(spec.get("podCIDRs") or ())


def validate_node_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed node."""
    yield from validate_node(new, gates)
    yield from validate_node_status(new, old, gates)


def validate_node_status(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed status, and what no update of a node may change."""
    spec, status = new.get("spec") or {}, new.get("status") or {}
    yield from _amounts(status)
    yield from _features(status.get("declaredFeatures") or ())
    seen = []
    for position, address in enumerate(status.get("addresses") or ()):
        form = internal_form("NodeAddress", address)
        if form in seen:
            yield duplicate(_STATUS.child("addresses").index(position), form)
        seen.append(form)
    yield from _frozen(spec, old.get("spec") or {})
    yield from validate_taints(spec.get("taints") or (), METADATA.child("taints"))
    if (spec.get("externalID") or "") != ((old.get("spec") or {}).get("externalID") or ""):
        yield forbidden_field(_SPEC.child("externalID"), "may not be updated")


def _frozen(spec: JsonObject, old_spec: JsonObject) -> Errors:
    """Check that pod ranges and provider, once set, stay."""
    ranges = old_spec.get("podCIDRs")
    if ranges and ranges != spec.get("podCIDRs"):
        detail = 'node updates may not change podCIDR except from "" to valid'
        yield forbidden_field(_SPEC.child("podCIDRs"), detail)
    provider, old_provider = spec.get("providerID"), old_spec.get("providerID")
    if old_provider and provider != old_provider:
        problem = "modified" if provider else "cleared"
        detail = f"field cannot be {problem} once set"
        yield invalid_value(_SPEC.child("providerID"), None, detail)


def _amounts(status: JsonObject) -> Errors:
    for member in ("capacity", "allocatable"):
        for name, text in (status.get(member) or {}).items():
            yield from validate_amount(_STATUS.child(member, name), name, text)


def _features(features: Sequence[str]) -> Errors:
    """Check the features a node declares (KEP-5328): well formed, sorted, no duplicates."""
    path = _STATUS.child("declaredFeatures")
    for position, feature in enumerate(features):
        if problem := _feature_problem(feature):
            detail = f"invalid feature name {go_quote(feature)}: {problem}"
            yield invalid_value(path.index(position), feature, detail)
        following = features[position + 1] if position + 1 < len(features) else None
        if following == feature:
            yield duplicate(path.index(position + 1), feature)
        elif following is not None and following < feature:
            detail = "list must be sorted alphabetically"
            yield invalid_value(path.index(position + 1), following, detail)


def _feature_problem(feature: str) -> str:
    if len(feature) > _MAX_FEATURE:
        return f"must be no more than {_MAX_FEATURE} characters"
    if _FEATURE.fullmatch(feature):
        return ""
    return (
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
        "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters "
        "and slashes"
    )


def _pod_ranges(ranges: Sequence[str]) -> Errors:
    path = _SPEC.child("podCIDRs")
    for position, text in enumerate(ranges):
        yield from matching(path.index(position), text, ip_range)
    yield from unreadable(path, ranges, _UNREADABLE)
    yield from one_of_each_family(path, ranges, noun="CIDR", shown=list(ranges))
