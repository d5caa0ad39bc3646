"""HorizontalPodAutoscalers: what was wrong before may stay so, and bounds (1.37.2)."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.api.validation.table import validate_update
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

GVK = GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler")
GATES = FeatureGates({})
ODD = "a/b/c"


def autoscaler(**spec: Any) -> JsonObject:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    wanted = {"scaleTargetRef": target, "maxReplicas": 3, "metrics": [hits("v1")], **spec}
    metadata = {"name": "a", "namespace": "d"}
    return {"apiVersion": "autoscaling/v2", "kind": GVK.kind, "metadata": metadata, "spec": wanted}


def hits(version: str) -> JsonObject:
    described = {"apiVersion": version, "kind": "Service", "name": "s"}
    target = {"type": "Value", "value": "1"}
    metric = {"name": "hits"}
    source = {"describedObject": described, "metric": metric, "target": target}
    return {"type": "Object", "object": source}


def scaled(version: str, kind: str = "Deployment") -> JsonObject:
    return {"apiVersion": version, "kind": kind, "name": "d"}


def rules(**members: Any) -> JsonObject:
    policy = {"type": "Pods", "value": 1, "periodSeconds": 1, **members.pop("policy", {})}
    return {"scaleUp": {"policies": [policy], **members}}


@pytest.mark.parametrize(
    ("old", "new", "fields"),
    [
        ({}, {"minReplicas": 0}, ["spec.minReplicas"]),
        ({"minReplicas": 0}, {"minReplicas": 0}, []),
        ({"minReplicas": 1}, {"minReplicas": 0}, ["spec.minReplicas"]),
        ({}, {"scaleTargetRef": scaled(ODD)}, ["spec.scaleTargetRef.apiVersion"]),
        ({"scaleTargetRef": scaled(ODD)}, {"scaleTargetRef": scaled(ODD)}, []),
        (
            {"scaleTargetRef": scaled(ODD, "Other")},
            {"scaleTargetRef": scaled(ODD)},
            ["spec.scaleTargetRef.apiVersion"],
        ),
        ({}, {"scaleTargetRef": scaled("v1")}, ["spec.scaleTargetRef.apiVersion"]),
        ({}, {"scaleTargetRef": scaled("v1", "ReplicationController")}, []),
        (
            {},
            {"metrics": [hits(ODD)]},
            ["spec.metrics[0].object.describedObject.apiVersion"],
        ),
        ({"metrics": [hits(ODD)]}, {"metrics": [hits("v1"), hits(ODD)]}, []),
        ({}, {"behavior": rules(tolerance="0", policy={"periodSeconds": 1800})}, []),
        ({}, {"behavior": rules(stabilizationWindowSeconds=3600)}, []),
        (
            {},
            {"behavior": rules(tolerance="-1m", policy={"periodSeconds": 1801})},
            [
                "spec.behavior.scaleUp.policies[0].periodSeconds",
                "spec.behavior.scaleUp.tolerance",
            ],
        ),
        (
            {},
            {"behavior": rules(stabilizationWindowSeconds=3601)},
            ["spec.behavior.scaleUp.stabilizationWindowSeconds"],
        ),
    ],
)
def test_a_changed_autoscaler(old: JsonObject, new: JsonObject, fields: list[str]) -> None:
    errors = validate_update(autoscaler(**new), autoscaler(**old), GVK, GATES)

    assert [error.field for error in errors] == fields
