"""Limit ranges: what pods, containers and claims may ask for.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.validation.checks import Errors, matching
from kubegang.api.validation.core.quotas import validate_resource_name
from kubegang.api.validation.pods.resources import HUGE_PAGES, container_resource, is_native
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
)
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity
from kubegang.base.feature_gates import FeatureGates

_TYPES = ("Pod", "Container", "PersistentVolumeClaim")
_MEMBERS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")

# Which amount may not be above which, where the error stands, and what each is called.
_ORDER = (
    ("min", "max", "min", "min value", "max value"),
    ("min", "defaultRequest", "defaultRequest", "min value", "default request value"),
    ("defaultRequest", "max", "defaultRequest", "default request value", "max value"),
    (
        "defaultRequest",
        "default",
        "defaultRequest",
        "default request value",
        "default limit value",
    ),
    ("min", "default", "default", "min value", "default value"),
    ("default", "max", "default", "default value", "max value"),
)
# Which amount these errors show, where it is not that of their place.
_SHOWN = {("min", "default"): "min", ("default", "max"): "max"}


def validate_limit_range(limit_range: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a limit range, new or changed."""
    types: set[str] = set()
    for position, limit in enumerate((limit_range.get("spec") or {}).get("limits") or ()):
        path = Path("spec").child("limits").index(position)
        kind = limit.get("type") or ""
        yield from _type(kind, path.child("type"))
        if kind in types:
            yield duplicate(path.child("type"), kind)
        types.add(kind)
        yield from _limit(limit, path)


def validate_limit_range_update(new: JsonObject, _old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed limit range: everything may change."""
    yield from validate_limit_range(new, gates)


def _type(kind: str, path: Path) -> Errors:
    errors = list(matching(path, kind, is_qualified_name))
    yield from errors
    if not errors and "/" not in kind and kind not in _TYPES:
        yield invalid_value(path, kind, "must be a standard limit type or fully qualified")


def _limit(limit: JsonObject, path: Path) -> Errors:
    kind = limit.get("type")
    checked = dict(limit)
    if kind == "Pod":
        for name in ("default", "defaultRequest"):
            if checked.pop(name, None):
                detail = "may not be specified when `type` is 'Pod'"
                yield forbidden_field(path.child(name), detail)
    amounts = {
        name: {key: Quantity.parse(text) for key, text in (checked.get(name) or {}).items()}
        for name in _MEMBERS
    }
    rule = container_resource if kind in ("Pod", "Container") else validate_resource_name
    for name, quantities in amounts.items():
        for key in quantities:
            yield from rule(path.child(name).key(key), key)
    if kind == "PersistentVolumeClaim" and "storage" not in {**amounts["min"], **amounts["max"]}:
        detail = "either minimum or maximum storage value is required, but neither was provided"
        yield required(path.child("limits"), detail)
    for key in sorted({key for quantities in amounts.values() for key in quantities}):
        yield from _resource(key, {n: q[key] for n, q in amounts.items() if key in q}, path)


def _resource(key: str, amounts: Mapping[str, Quantity], path: Path) -> Errors:
    for low, high, place, low_noun, high_noun in _ORDER:
        if low in amounts and high in amounts and amounts[low] > amounts[high]:
            shown = amounts[_SHOWN.get((low, high), place)].canonical()
            yield invalid_value(
                path.child(place).key(key),
                shown,
                f"{low_noun} {amounts[low].canonical()} is greater than "
                f"{high_noun} {amounts[high].canonical()}",
            )
    yield from _ratio(amounts, path.child("maxLimitRequestRatio").key(key))
    default, request = amounts.get("default"), amounts.get("defaultRequest")
    overcommits = is_native(key) and not key.startswith(HUGE_PAGES)
    if not overcommits and default is not None and request is not None and default != request:
        detail = (
            f"default value {default.canonical()} must equal to defaultRequest value "
            f"{request.canonical()} in {key}"
        )
        yield invalid_value(path.child("defaultRequest").key(key), request.canonical(), detail)


def _ratio(amounts: Mapping[str, Quantity], path: Path) -> Errors:
    ratio = amounts.get("maxLimitRequestRatio")
    if ratio is None:
        return
    if ratio < Quantity.parse("1"):
        yield invalid_value(path, ratio.canonical(), f"ratio {ratio.canonical()} is less than 1")
    low, high = amounts.get("min"), amounts.get("max")
    if low is None or high is None or not low.milli_value():
        return
    limit = high.milli_value() / low.milli_value()
    if ratio.milli_value() / 1000 > limit:
        detail = f"ratio {ratio.canonical()} is greater than max/min = {limit:f}"
        yield invalid_value(path, ratio.canonical(), detail)
