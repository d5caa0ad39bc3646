"""HorizontalPodAutoscalers between autoscaling/v1 and autoscaling/v2, as the real server does.

autoscaling/v1 knows one metric, the use of CPU; whatever else an object has stands in
annotations while it is seen in that version (measured on 1.37.2).

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from kubegang.api.autoscaling.metrics import flat_specs, flat_statuses, specs_of, statuses_of
from kubegang.api.defaults.autoscaling import DEFAULT_UTILIZATION, cpu_metric
from kubegang.api.facts import NEWEST, load_facts
from kubegang.apimachinery.gotext import go_json
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.typecheck import fits

V1 = "autoscaling/v1"
V2 = "autoscaling/v2"

_PREFIX = "autoscaling.alpha.kubernetes.io/"
_METRICS = f"{_PREFIX}metrics"
_BEHAVIOR = f"{_PREFIX}behavior"
_CURRENT_METRICS = f"{_PREFIX}current-metrics"
_CONDITIONS = f"{_PREFIX}conditions"
_OWN = (
    _METRICS,
    _BEHAVIOR,
    _CURRENT_METRICS,
    _CONDITIONS,
    f"{_PREFIX}scale-down-tolerance",
    f"{_PREFIX}scale-up-tolerance",
)

SPEC_ANNOTATIONS = (_METRICS, _BEHAVIOR)
"""Annotations of autoscaling/v1 that are a part of the spec."""

STATUS_ANNOTATIONS = (_CURRENT_METRICS, _CONDITIONS)
"""Annotations of autoscaling/v1 that are a part of the status."""

_CPU = "targetCPUUtilizationPercentage"
_CURRENT_CPU = "currentCPUUtilizationPercentage"
_CONDITION_MEMBERS = (
    "type",
    "status",
    "lastTransitionTime",
    "reason",
    "message",
    "observedGeneration",
)
_RULE_MEMBERS = ("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")
_POLICY_MEMBERS = ("type", "value", "periodSeconds")
_KIND = GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler")

# No JSON, JSON that nests too deep, members of other types, amounts that are none.
_UNREADABLE = (
    msgspec.DecodeError,
    RecursionError,
    AttributeError,
    KeyError,
    TypeError,
    ValueError,
)


def drop_own_annotations(obj: JsonObject) -> None:
    """Take away, in place, the annotations that stand for members of autoscaling/v2."""
    obj["metadata"] = without_own_annotations(obj["metadata"])


def without_own_annotations(metadata: JsonObject) -> JsonObject:
    """Return metadata without these annotations; the same if it has none of them."""
    annotations = metadata.get("annotations") or {}
    if not any(name in annotations for name in _OWN):
        return metadata
    kept = {name: text for name, text in annotations.items() if name not in _OWN}
    rest = {name: value for name, value in metadata.items() if name != "annotations"}
    return {**rest, "annotations": kept} if kept else rest


def to_v2(obj: JsonObject) -> JsonObject:
    """Return an object of autoscaling/v1 as autoscaling/v2 has it; annotations become members."""
    annotations = obj["metadata"].get("annotations") or {}
    spec, status = dict(obj.get("spec") or {}), dict(obj.get("status") or {})
    metrics = _read(annotations, _METRICS, specs_of, ("spec", "metrics")) or []
    utilization = spec.pop(_CPU, None)
    if utilization is not None:
        metrics = [*metrics, cpu_metric(utilization)]
    spec["metrics"] = metrics or [cpu_metric(DEFAULT_UTILIZATION)]
    if behavior := _read(annotations, _BEHAVIOR, _behavior, ("spec", "behavior")):
        spec["behavior"] = behavior
    current = status.pop(_CURRENT_CPU, None)
    if current is not None:
        resource = {"name": "cpu", "current": {"averageUtilization": current}}
        status["currentMetrics"] = [{"type": "Resource", "resource": resource}]
    for name, place, make in (
        (_CURRENT_METRICS, "currentMetrics", statuses_of),
        (_CONDITIONS, "conditions", _conditions),
    ):
        if (found := _read(annotations, name, make, ("status", place))) is not None:
            status[place] = found
    metadata = without_own_annotations(obj["metadata"])
    return {**obj, "apiVersion": V2, "metadata": metadata, "spec": spec, "status": status}


def to_v1(obj: JsonObject) -> JsonObject:
    """Return an object of autoscaling/v2 as autoscaling/v1 has it."""
    spec, status = dict(obj.get("spec") or {}), dict(obj.get("status") or {})
    texts: dict[str, str] = {}
    metrics = spec.pop("metrics", None) or []
    used = next((one for one in metrics if _is_cpu_utilization(one)), None)
    if used is not None:
        spec[_CPU] = used["resource"]["target"]["averageUtilization"]
    if others := [one for one in metrics if not _is_cpu_utilization(one)]:
        texts[_METRICS] = go_json(flat_specs(others))
    if (behavior := spec.pop("behavior", None)) is not None:
        texts[_BEHAVIOR] = go_json(_internal_behavior(behavior))
    if current := status.pop("currentMetrics", None):
        texts[_CURRENT_METRICS] = go_json(flat_statuses(current))
        status.update(_current_cpu(current))
    if conditions := status.pop("conditions", None):
        texts[_CONDITIONS] = go_json([_condition(one) for one in conditions])
    metadata = without_own_annotations(obj["metadata"])
    if texts:
        metadata = {**metadata, "annotations": {**(metadata.get("annotations") or {}), **texts}}
    return {**obj, "apiVersion": V1, "metadata": metadata, "spec": spec, "status": status}


def _is_cpu_utilization(metric: JsonObject) -> bool:
    resource = metric.get("resource") or {}
    target = resource.get("target") or {}
    is_cpu = metric.get("type") == "Resource" and resource.get("name") == "cpu"
    return is_cpu and target.get("averageUtilization") is not None


def _current_cpu(metrics: Sequence[JsonObject]) -> JsonObject:
    found: JsonObject = {}
    for metric in metrics:
        resource = metric.get("resource") or {}
        current = (resource.get("current") or {}).get("averageUtilization")
        if (
            metric.get("type") == "Resource"
            and resource.get("name") == "cpu"
            and current is not None
        ):
            found[_CURRENT_CPU] = current
    return found


def _condition(condition: JsonObject) -> JsonObject:
    written = {name: condition[name] for name in _CONDITION_MEMBERS if name in condition}
    return {"type": "", "status": "", "lastTransitionTime": None, **written}


def _conditions(written: Sequence[JsonObject | None]) -> list[JsonObject]:
    """Return conditions as an annotation has them; null is an empty one to Go."""
    return [_named(one or {}, _CONDITION_MEMBERS) for one in written]


def _internal_behavior(behavior: JsonObject) -> JsonObject:
    """Return the behavior with Go's own names of its members, all of them written."""
    return {
        go_name: None if behavior.get(name) is None else _internal_rules(behavior[name])
        for name, go_name in (("scaleUp", "ScaleUp"), ("scaleDown", "ScaleDown"))
    }


def _internal_rules(rules: JsonObject) -> JsonObject:
    written = {_go_name(name): rules.get(name) for name in _RULE_MEMBERS}
    if written["Policies"] is not None:
        written["Policies"] = [
            {_go_name(name): policy.get(name) for name in _POLICY_MEMBERS}
            for policy in written["Policies"]
        ]
    return written


def _go_name(member: str) -> str:
    return member[0].upper() + member[1:]


def _behavior(internal: JsonObject) -> JsonObject:
    """Return a behavior from Go's own names, whatever their capitals; empty if it says nothing."""
    rules = _named(internal, ("scaleUp", "scaleDown"))
    for name, value in rules.items():
        rules[name] = _named(value, _RULE_MEMBERS)
        if "policies" in rules[name]:
            rules[name]["policies"] = [
                _named(policy or {}, _POLICY_MEMBERS) for policy in rules[name]["policies"]
            ]
    return rules


def _named(internal: JsonObject, members: Sequence[str]) -> JsonObject:
    """Return the members that are known and not null, by names in whatever capitals."""
    by_name = {name.lower(): name for name in members}
    return {
        by_name[key.lower()]: value
        for key, value in internal.items()
        if key.lower() in by_name and value is not None
    }


def _read(
    annotations: JsonObject, name: str, make: Callable[[Any], Any], place: tuple[str, str]
) -> Any:
    """Return what an annotation holds; ``None`` if it is not there or cannot be read."""
    if name not in annotations:
        return None
    try:
        made = make(msgspec.json.decode(annotations[name].encode()))
    except _UNREADABLE:
        return None
    part, member = place
    schema = load_facts(NEWEST).kind(_KIND).fields[part].fields[member]
    return made if fits(made, schema) else None
