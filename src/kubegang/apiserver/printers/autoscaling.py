"""HorizontalPodAutoscalers: what they scale, and what they aim at."""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.autoscaling.conversion import V1, to_v2
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import (
    NONE,
    UNKNOWN,
    UNSET,
    age,
    member,
    name,
    number,
    objects,
    text,
)
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer

_SHOWN = 2
_SOURCES: Mapping[str, str] = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_OF_RESOURCES = ("resource", "containerResource")


def _cells(autoscaler: JsonObject, now: float) -> list[Cell]:
    known = to_v2(autoscaler) if autoscaler.get("apiVersion") == V1 else autoscaler
    target = member(known, "spec", "scaleTargetRef")
    low = member(known, "spec", "minReplicas")
    return [
        name(known),
        f"{text(target, 'kind')}/{text(target, 'name')}",
        _metrics(known),
        UNSET if low is None else str(low),
        number(known, "spec", "maxReplicas"),
        number(known, "status", "currentReplicas"),
        age(known, now),
    ]


def _metrics(autoscaler: JsonObject) -> str:
    metrics = objects(autoscaler, "spec", "metrics")
    seen = objects(autoscaler, "status", "currentMetrics")
    shown = ", ".join(
        _metric(metric, seen[position] if position < len(seen) else {})
        for position, metric in enumerate(metrics[:_SHOWN])
    )
    rest = len(metrics) - _SHOWN
    return f"{shown} + {rest} more..." if rest > 0 else shown or NONE


def _metric(metric: JsonObject, seen: JsonObject) -> str:
    source = _SOURCES.get(text(metric, "type"))
    if source is None:
        return "<unknown type>"
    wanted = metric.get(source) or {}
    current: JsonObject = (seen.get(source) or {}).get("current") or {}
    has_current = seen.get(source) is not None
    average = member(wanted, "target", "averageValue")
    if source in _OF_RESOURCES:
        return f"{text(wanted, 'name')}: {_resource(wanted, current, has_current=has_current)}"
    if source == "pods":
        return f"{_amount(current, 'averageValue', has_current=has_current)}/{average}"
    if average is not None:
        is_known = current.get("averageValue") is not None
        return f"{_amount(current, 'averageValue', has_current=is_known)}/{average} (avg)"
    value = member(wanted, "target", "value")
    return f"{_amount(current, 'value', has_current=has_current)}/{value}"


def _resource(wanted: JsonObject, current: JsonObject, *, has_current: bool) -> str:
    average = member(wanted, "target", "averageValue")
    if average is not None:
        return f"{_amount(current, 'averageValue', has_current=has_current)}/{average}"
    used, aim = current.get("averageUtilization"), member(wanted, "target", "averageUtilization")
    shown = UNKNOWN if used is None else f"{used}%"
    return f"{shown}/{'<auto>' if aim is None else f'{aim}%'}"


def _amount(current: JsonObject, which: str, *, has_current: bool) -> str:
    """Return an amount; one that is reported without a value is Go's nil."""
    return str(current.get(which, "<nil>")) if has_current else UNKNOWN


AUTOSCALER = Printer(
    (
        NAME,
        Column("Reference", "What is scaled."),
        Column("Targets", "What each metric is, and what it should be."),
        Column("MinPods", "The fewest pods."),
        Column("MaxPods", "The most pods."),
        Column("Replicas", "Pods when last looked at."),
        AGE,
    ),
    _cells,
)
