"""Defaults of HorizontalPodAutoscalers.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.defaults.members import member
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

DEFAULT_UTILIZATION = 80
"""The use of CPU, in percent of what is asked for, where no metric is named."""

_PERIOD = 15
_UP = (("Pods", 4), ("Percent", 100))
_DOWN = (("Percent", 100),)


def cpu_metric(utilization: int) -> JsonObject:
    """Return the metric of autoscaling/v2 that aims at a use of CPU."""
    target = {"type": "Utilization", "averageUtilization": utilization}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def default_autoscaler_v1(autoscaler: JsonObject, _gates: FeatureGates) -> None:
    """Fill in an object of autoscaling/v1; what it aims at is filled in by conversion."""
    _least_one(autoscaler)


def default_autoscaler(autoscaler: JsonObject, _gates: FeatureGates) -> None:
    """Fill in an object of autoscaling/v2."""
    fill_in_autoscaler(autoscaler)


def fill_in_autoscaler(autoscaler: JsonObject) -> None:
    """Fill in an object of autoscaling/v2, new or as it is stored."""
    spec = _least_one(autoscaler)
    if not spec.get("metrics"):
        spec["metrics"] = [cpu_metric(DEFAULT_UTILIZATION)]
    if (behavior := spec.get("behavior")) is not None:
        up = {"stabilizationWindowSeconds": 0, **_rules(_UP)}
        behavior["scaleUp"] = {**up, **(behavior.get("scaleUp") or {})}
        behavior["scaleDown"] = {**_rules(_DOWN), **(behavior.get("scaleDown") or {})}


def _least_one(autoscaler: JsonObject) -> JsonObject:
    spec = member(autoscaler, "spec")
    if spec.get("minReplicas") is None:
        spec["minReplicas"] = 1
    return spec


def _rules(policies: Sequence[tuple[str, int]]) -> JsonObject:
    return {
        "selectPolicy": "Max",
        "policies": [
            {"type": kind, "value": value, "periodSeconds": _PERIOD} for kind, value in policies
        ],
    }
