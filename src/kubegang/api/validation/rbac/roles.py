"""Roles of a namespace and of the cluster (measured on 1.37.2).

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.labels import validate_selector
from kubegang.apimachinery.field import Path, invalid_value, required
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_RULES = Path("rules")
_AGGREGATION = Path("aggregationRule").child("clusterRoleSelectors")


def validate_role(role: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new role of a namespace."""
    yield from _rules(role, namespaced=True)


def validate_role_update(new: JsonObject, _old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed role of a namespace: everything may change."""
    yield from validate_role(new, gates)


def validate_cluster_role(role: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new role of the cluster."""
    yield from _rules(role, namespaced=False, after=_aggregation(role))


def validate_cluster_role_update(new: JsonObject, _old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed role of the cluster: everything may change."""
    yield from validate_cluster_role(new, gates)


def _rules(role: JsonObject, *, namespaced: bool, after: Errors | None = None) -> Errors:
    rules = role.get("rules") or ()
    for position, rule in enumerate(rules):
        yield from _rule(rule, _RULES.index(position), namespaced=namespaced)
    yield from after or ()
    # Checked by generated code upstream, after all that is checked by hand.
    for position, rule in enumerate(rules):
        if not rule.get("verbs"):
            yield required(_RULES.index(position).child("verbs"))


def _rule(rule: JsonObject, path: Path, *, namespaced: bool) -> Errors:
    urls = rule.get("nonResourceURLs")
    if urls:
        at = path.child("nonResourceURLs")
        if namespaced:
            yield invalid_value(at, urls, "namespaced rules cannot apply to non-resource URLs")
        if any(rule.get(name) for name in ("apiGroups", "resources", "resourceNames")):
            why = "rules cannot apply to both regular resources and non-resource URLs"
            yield invalid_value(at, urls, why)
        return
    if not rule.get("apiGroups"):
        why = "resource rules must supply at least one api group"
        yield required(path.child("apiGroups"), why)
    if not rule.get("resources"):
        why = "resource rules must supply at least one resource"
        yield required(path.child("resources"), why)


def _aggregation(role: JsonObject) -> Errors:
    aggregation = role.get("aggregationRule")
    if aggregation is None:
        return
    selectors = aggregation.get("clusterRoleSelectors") or ()
    if not selectors:
        why = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        yield required(_AGGREGATION, why)
    for position, selector in enumerate(selectors):
        path = _AGGREGATION.index(position)
        errors = list(validate_selector(selector, path))
        yield from errors
        if errors:
            yield invalid_value(path, None, "invalid label selector.")
