"""Node affinity, pod affinity and anti-affinity.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import Errors, matching
from kubegang.api.validation.labels import validate_match_keys, validate_selector
from kubegang.apimachinery.field import Path, forbidden_field, invalid_value, required
from kubegang.apimachinery.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_label_value,
    is_qualified_name,
)
from kubegang.apimachinery.objects import JsonObject

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_MAX_WEIGHT = 100
_NODE_NAME_FIELD = "metadata.name"


def validate_affinity(affinity: JsonObject, path: Path) -> Errors:
    """Check all three parts of an affinity."""
    if (part := affinity.get("nodeAffinity")) is not None:
        yield from _node_affinity(part, path.child("nodeAffinity"))
    for name in ("podAffinity", "podAntiAffinity"):
        if (part := affinity.get(name)) is not None:
            yield from _pod_affinity(part, path.child(name))


def validate_node_selector(selector: JsonObject, path: Path) -> Errors:
    """Check a selector of nodes: at least one term, each with valid requirements."""
    where = path.child("nodeSelectorTerms")
    terms = selector.get("nodeSelectorTerms") or ()
    if not terms:
        yield required(where, "must have at least one node selector term")
    for position, term in enumerate(terms):
        yield from _node_term(term, where.index(position), check_values=True)


def _node_affinity(affinity: JsonObject, path: Path) -> Errors:
    if (selector := affinity.get(_REQUIRED)) is not None:
        yield from validate_node_selector(selector, path.child(_REQUIRED))
    for position, preferred in enumerate(affinity.get(_PREFERRED) or ()):
        item = path.child(_PREFERRED).index(position)
        yield from _weight(preferred, item)
        term = preferred.get("preference") or {}
        # A wrong value is harmless in a preference, and was always let pass.
        yield from _node_term(term, item.child("preference"), check_values=False)


def _weight(preferred: JsonObject, path: Path) -> Errors:
    weight = preferred.get("weight") or 0
    if not 0 < weight <= _MAX_WEIGHT:
        yield invalid_value(path.child("weight"), weight, "must be in the range 1-100")


def _node_term(term: JsonObject, path: Path, *, check_values: bool) -> Errors:
    for position, requirement in enumerate(term.get("matchExpressions") or ()):
        item = path.child("matchExpressions").index(position)
        yield from _expression(requirement, item, check_values=check_values)
    for position, requirement in enumerate(term.get("matchFields") or ()):
        yield from _field_match(requirement, path.child("matchFields").index(position))


def _expression(requirement: JsonObject, path: Path, *, check_values: bool) -> Errors:
    operator, values = requirement.get("operator") or "", requirement.get("values") or ()
    yield from _values_fit(operator, values, path)
    yield from matching(path.child("key"), requirement.get("key") or "", is_qualified_name)
    if check_values:
        for position, value in enumerate(values):
            yield from matching(path.child("values").index(position), value, is_label_value)


def _values_fit(operator: str, values: Sequence[str], path: Path) -> Errors:
    where = path.child("values")
    if operator in ("In", "NotIn"):
        if not values:
            yield required(where, "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield forbidden_field(where, detail)
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            yield required(where, detail)
    else:
        yield invalid_value(path.child("operator"), operator, "not a valid selector operator")


def _field_match(requirement: JsonObject, path: Path) -> Errors:
    operator, values = requirement.get("operator") or "", requirement.get("values") or ()
    if operator not in ("In", "NotIn"):
        yield invalid_value(path.child("operator"), operator, "not a valid selector operator")
    elif len(values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        yield required(path.child("values"), detail)
    key = requirement.get("key") or ""
    if key != _NODE_NAME_FIELD:
        yield invalid_value(path.child("key"), key, "not a valid field selector key")
        return
    for position, value in enumerate(values):
        yield from matching(path.child("values").index(position), value, is_dns1123_subdomain)


def _pod_affinity(affinity: JsonObject, path: Path) -> Errors:
    for position, term in enumerate(affinity.get(_REQUIRED) or ()):
        yield from _pod_term(term, path.child(_REQUIRED).index(position))
    for position, preferred in enumerate(affinity.get(_PREFERRED) or ()):
        item = path.child(_PREFERRED).index(position)
        yield from _weight(preferred, item)
        term = preferred.get("podAffinityTerm") or {}
        yield from _pod_term(term, item.child("podAffinityTerm"))


def _pod_term(term: JsonObject, path: Path) -> Errors:
    for name in ("labelSelector", "namespaceSelector"):
        yield from validate_selector(term.get(name), path.child(name))
    for namespace in term.get("namespaces") or ():
        yield from matching(path.child("namespace"), namespace, is_dns1123_label)
    yield from validate_match_keys(term, path)
    key = term.get("topologyKey") or ""
    if not key:
        yield required(path.child("topologyKey"), "can not be empty")
    yield from matching(path.child("topologyKey"), key, is_qualified_name)
