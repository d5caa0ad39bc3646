"""What an autoscaler aims at: metrics, each of one source.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kubegang.api.validation.checks import Errors, matching, required_matching
from kubegang.api.validation.pods.resources import container_resource
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import is_dns1123_label, is_path_segment_name
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.apimachinery.quantity import Quantity

_TARGETS = ("Utilization", "Value", "AverageValue")
_ZERO = Quantity.parse("0")
_RAW_OR_UTILIZATION = "must set either a target raw value or a target utilization"
_NONE_TELLS = (
    "must specify at least one Object or External metric to support scaling to zero replicas"
)
_NOT_BOTH = "may not set both a target raw value and a target utilization"


def validate_reference(
    reference: JsonObject, path: Path, *, core_is_fine: bool, any_version: bool
) -> Errors:
    """Check a reference to an object; ``any_version`` leaves its apiVersion alone."""
    for name in ("kind", "name"):
        yield from required_matching(path.child(name), reference.get(name), is_path_segment_name)
    version = reference.get("apiVersion") or ""
    if not any_version and (problem := version_problem(version, core_is_fine=core_is_fine)):
        yield invalid_value(path.child("apiVersion"), version, problem)


def version_problem(version: str, *, core_is_fine: bool) -> str:
    """Return what is wrong with an apiVersion; nothing if it is fine."""
    if version.count("/") > 1:
        return f"unexpected GroupVersion string: {version}"
    if not core_is_fine and not GroupVersion.parse(version).group:
        return "apiVersion must specify API group"
    return ""


def validate_metrics(
    metrics: Sequence[JsonObject], path: Path, *, to_zero: bool, any_version: bool
) -> Errors:
    """Check all metrics of an autoscaler; only some sources can tell of no pods at all."""
    for position, metric in enumerate(metrics):
        yield from _metric(metric, path.index(position), any_version=any_version)
    if to_zero and not any(one.get("type") in ("Object", "External") for one in metrics):
        yield forbidden_field(path, _NONE_TELLS)


def _metric(metric: JsonObject, path: Path, *, any_version: bool) -> Errors:
    kind = metric.get("type") or ""
    if not kind:
        yield required(path.child("type"), "must specify a metric source type")
    if kind not in _MEMBERS:
        # Upstream looks twice.
        yield not_supported(path.child("type"), kind, sorted(_MEMBERS))
    given = [source for source in _SOURCES if metric.get(source) is not None]
    if given and given[0] == "object":
        described = metric["object"].get("describedObject") or {}
        where = path.child("object", "describedObject")
        yield from validate_reference(described, where, core_is_fine=True, any_version=any_version)
    if given:
        yield from _SOURCES[given[0]](metric[given[0]], path.child(given[0]))
    expected = _MEMBERS.get(kind)
    if expected is None:
        yield not_supported(path.child("type"), kind, sorted(_MEMBERS))
    elif expected not in given:
        detail = "must populate information for the given metric source"
        yield required(path.child(expected), detail)
    for source in given if len(given) > 1 else ():
        if source != expected:
            yield forbidden_field(path.child(source), "must populate the given metric source only")


def _object(source: JsonObject, path: Path) -> Errors:
    yield from _identifier(source, path)
    target, where = _target_of(source), path.child("target")
    yield from _target(target, where)
    if target.get("value") is None and target.get("averageValue") is None:
        yield required(
            where.child("averageValue"), "must set either a target value or averageValue"
        )


def _external(source: JsonObject, path: Path) -> Errors:
    yield from _identifier(source, path)
    target, where = _target_of(source), path.child("target")
    yield from _target(target, where)
    value, average = target.get("value"), target.get("averageValue")
    if value is None and average is None:
        detail = "must set either a target value for metric or a per-pod target"
        yield required(where.child("averageValue"), detail)
    if value is not None and average is not None:
        detail = "may not set both a target value for metric and a per-pod target"
        yield forbidden_field(where.child("value"), detail)


def _pods(source: JsonObject, path: Path) -> Errors:
    yield from _identifier(source, path)
    target, where = _target_of(source), path.child("target")
    yield from _target(target, where)
    if target.get("averageValue") is None:
        yield required(where.child("averageValue"), "must specify a positive target averageValue")


def _container_resource(source: JsonObject, path: Path) -> Errors:
    if name := source.get("name"):
        yield from container_resource(path.child("name"), name)
    else:
        yield required(path.child("name"), "must specify a resource name")
    if container := source.get("container"):
        yield from matching(path.child("container"), container, is_dns1123_label)
    else:
        yield required(path.child("container"), "must specify a container")
    yield from _raw_or_utilization(source, path)


def _resource(source: JsonObject, path: Path) -> Errors:
    if not source.get("name"):
        yield required(path.child("name"), "must specify a resource name")
    yield from _raw_or_utilization(source, path)


def _raw_or_utilization(source: JsonObject, path: Path) -> Errors:
    target, where = _target_of(source), path.child("target")
    yield from _target(target, where)
    utilization, average = target.get("averageUtilization"), target.get("averageValue")
    if utilization is None and average is None:
        yield required(where.child("averageUtilization"), _RAW_OR_UTILIZATION)
    if utilization is not None and average is not None:
        yield forbidden_field(where.child("averageValue"), _NOT_BOTH)


def _target_of(source: JsonObject) -> JsonObject:
    target: JsonObject = source.get("target") or {}
    return target


def _identifier(source: JsonObject, path: Path) -> Errors:
    name, where = (source.get("metric") or {}).get("name"), path.child("metric", "name")
    if name:
        yield from matching(where, name, is_path_segment_name)
    else:
        yield required(where, "must specify a metric name")


def _target(target: JsonObject, path: Path) -> Errors:
    kind = target.get("type") or ""
    if not kind:
        yield required(path.child("type"), "must specify a metric target type")
    if kind not in _TARGETS:
        detail = "must be either Utilization, Value, or AverageValue"
        yield invalid_value(path.child("type"), kind, detail)
    for name in ("value", "averageValue"):
        amount = target.get(name)
        if amount is not None and Quantity.parse(amount) <= _ZERO:
            yield invalid_value(path.child(name), amount, "must be positive")
    utilization = target.get("averageUtilization")
    if utilization is not None and utilization < 1:
        yield invalid_value(path.child("averageUtilization"), utilization, "must be greater than 0")


_SOURCES: Mapping[str, Callable[[JsonObject, Path], Errors]] = {
    "object": _object,
    "external": _external,
    "pods": _pods,
    "resource": _resource,
    "containerResource": _container_resource,
}
_MEMBERS: Mapping[str, str] = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}
