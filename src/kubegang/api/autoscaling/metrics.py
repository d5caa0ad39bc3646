"""Metrics of autoscaling/v2 as autoscaling/v1 keeps them in annotations: flat, and typed by name.

The members and their order are those of the API types of autoscaling/v1 (k8s.io/api 0.37.2).

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

_Form = Literal["text", "quantity", "optional", "selector", "reference"]


class _Member(NamedTuple):
    """A flat member, where autoscaling/v2 has it, and what is written when it is not given."""

    flat: str
    place: tuple[str, ...]
    form: _Form


_Members = Mapping[str, Sequence[_Member]]


def _members(value: str, *, current: bool) -> _Members:
    """Return the members by source; ``value`` begins their names, ``current`` is of a status."""
    holder = "current" if current else "target"
    always: _Form = "quantity" if current else "optional"
    metric = _Member("metricName", ("metric", "name"), "text")
    selector = _Member("selector", ("metric", "selector"), "selector")
    utilization = _Member(f"{value}AverageUtilization", (holder, "averageUtilization"), "optional")
    average = f"{value}AverageValue"
    place = (holder, "averageValue")
    return {
        "object": (
            _Member("target", ("describedObject",), "reference"),
            metric,
            _Member(f"{value}Value", (holder, "value"), "quantity"),
            selector,
            _Member("averageValue", place, "optional"),
        ),
        "pods": (metric, _Member(average, place, "quantity"), selector),
        "resource": (
            _Member("name", ("name",), "text"),
            utilization,
            _Member(average, place, always),
        ),
        "containerResource": (
            _Member("name", ("name",), "text"),
            utilization,
            _Member(average, place, always),
            _Member("container", ("container",), "text"),
        ),
        "external": (
            metric,
            _Member("metricSelector", ("metric", "selector"), "selector"),
            _Member(f"{value}Value", (holder, "value"), always),
            _Member(average, place, "optional"),
        ),
    }


_SPECS = _members("target", current=False)
_STATUSES = _members("current", current=True)


def flat_specs(metrics: Sequence[JsonObject]) -> list[JsonObject]:
    """Return metrics of a spec as autoscaling/v1 writes them."""
    return [_flat(metric, _SPECS) for metric in metrics]


def flat_statuses(metrics: Sequence[JsonObject]) -> list[JsonObject]:
    """Return metrics of a status as autoscaling/v1 writes them."""
    return [_flat(metric, _STATUSES) for metric in metrics]


def specs_of(flat: Sequence[JsonObject | None]) -> list[JsonObject]:
    """Return flat metrics as a spec of autoscaling/v2 has them, which says what is aimed at.

    Null is an empty metric to Go.
    """
    metrics = [_nested(metric or {}, _SPECS) for metric in flat]
    for metric in metrics:
        for source in _SPECS:
            if source in metric:
                target = metric[source].setdefault("target", {})
                target["type"] = _target_type(source, target)
    return metrics


def statuses_of(flat: Sequence[JsonObject | None]) -> list[JsonObject]:
    """Return flat metrics as a status of autoscaling/v2 has them."""
    return [_nested(metric or {}, _STATUSES) for metric in flat]


def _target_type(source: str, target: JsonObject) -> str:
    """Return what is aimed at; an object's zero value beside an average was never given."""
    if source in ("resource", "containerResource"):
        return "AverageValue" if target.get("averageUtilization") is None else "Utilization"
    if source == "external":
        return "AverageValue" if target.get("value") is None else "Value"
    if source == "object" and target.get("averageValue") is None:
        return "Value"
    if source == "object" and Quantity.parse(target["value"]) == Quantity.parse("0"):
        del target["value"]
    return "AverageValue"


def _flat(metric: JsonObject, sources: _Members) -> JsonObject:
    flat: JsonObject = {"type": metric.get("type") or ""}
    for source, members in sources.items():
        nested = metric.get(source)
        if nested is not None:
            flat[source] = {}
            for member in members:
                value = _written(_at(nested, member.place), member.form)
                if value is not None:
                    flat[source][member.flat] = value
    return flat


def _written(value: Any, form: _Form) -> Any:
    match form:
        case "text":
            return value or ""
        case "quantity":
            return "0" if value is None else value
        case "reference":
            return _reference(value or {})
        case "selector":
            return None if value is None else _selector(value)
    return value


def _reference(reference: JsonObject) -> JsonObject:
    written = {"kind": reference.get("kind") or "", "name": reference.get("name") or ""}
    if reference.get("apiVersion"):
        written["apiVersion"] = reference["apiVersion"]
    return written


def _selector(selector: JsonObject) -> JsonObject:
    """Return a label selector with its members as Go orders them."""
    written: JsonObject = {}
    if labels := selector.get("matchLabels"):
        written["matchLabels"] = dict(sorted(labels.items()))
    if expressions := selector.get("matchExpressions"):
        written["matchExpressions"] = [
            {
                "key": one.get("key") or "",
                "operator": one.get("operator") or "",
                **({"values": one["values"]} if one.get("values") else {}),
            }
            for one in expressions
        ]
    return written


def _nested(flat: JsonObject, sources: _Members) -> JsonObject:
    given = _in_small_letters(flat)
    metric: JsonObject = {"type": given.get("type") or ""}
    for source, members in sources.items():
        if (found := given.get(source.lower())) is None:
            continue
        nested: JsonObject = {}
        known = _in_small_letters(found)
        for member in members:
            value = _written(known.get(member.flat.lower()), member.form)
            if value is not None:
                _put(nested, member.place, value)
        metric[source] = nested
    return metric


def _in_small_letters(obj: JsonObject) -> JsonObject:
    """Return members by names in small letters: Go reads them in whatever capitals."""
    return {name.lower(): value for name, value in obj.items()}


def _at(obj: JsonObject, place: Sequence[str]) -> Any:
    value: Any = obj
    for name in place:
        value = (value or {}).get(name)
    return value


def _put(obj: JsonObject, place: Sequence[str], value: Any) -> None:
    for name in place[:-1]:
        obj = obj.setdefault(name, {})
    obj[place[-1]] = value
