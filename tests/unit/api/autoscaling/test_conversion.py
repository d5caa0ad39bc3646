"""What annotations of autoscaling/v1 say in autoscaling/v2, as Go's encoding/json reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubegang.api.autoscaling.conversion import V1, to_v1, to_v2

PREFIX = "autoscaling.alpha.kubernetes.io/"


def annotated(name: str, text: str) -> dict[str, Any]:
    return {"apiVersion": V1, "metadata": {"annotations": {f"{PREFIX}{name}": text}}, "spec": {}}


@pytest.mark.parametrize("name", ["metrics", "behavior", "current-metrics", "conditions"])
@pytest.mark.parametrize("text", ["x", "1", '{"ScaleUp":1}', "[1]", "[" * 2000])
def test_what_cannot_be_read_says_nothing(name: str, text: str) -> None:
    seen = to_v2(annotated(name, text))
    assert seen["status"] == {}
    assert [one["resource"]["name"] for one in seen["spec"]["metrics"]] == ["cpu"]
    assert "behavior" not in seen["spec"]


def test_null_is_an_empty_metric() -> None:
    assert to_v2(annotated("metrics", "[null]"))["spec"]["metrics"] == [{"type": ""}]
    assert to_v2(annotated("current-metrics", "[null]"))["status"]["currentMetrics"] == [
        {"type": ""}
    ]


def test_null_is_an_empty_condition() -> None:
    seen = to_v2(annotated("conditions", "[null]"))
    assert seen["status"]["conditions"] == [{}]
    assert to_v1(seen)["metadata"]["annotations"] == {
        f"{PREFIX}conditions": '[{"type":"","status":"","lastTransitionTime":null}]'
    }


def test_members_that_conditions_do_not_have_are_left_out() -> None:
    seen = to_v2(annotated("conditions", '[{"type":"A","Status":"True","more":1}]'))
    assert seen["status"]["conditions"] == [{"type": "A", "status": "True"}]


def test_null_is_an_empty_policy() -> None:
    seen = to_v2(annotated("behavior", '{"ScaleUp":{"policies":[null]}}'))
    assert seen["spec"]["behavior"] == {"scaleUp": {"policies": [{}]}}


@pytest.mark.parametrize(
    ("source", "flat", "want"),
    [
        ("resource", {"targetAverageUtilization": 5}, {"averageUtilization": 5}),
        ("resource", {"targetAverageValue": "5"}, {"averageValue": "5"}),
        ("containerResource", {"targetAverageUtilization": 5}, {"averageUtilization": 5}),
        ("external", {"targetValue": "5"}, {"value": "5"}),
        ("external", {"targetAverageValue": "5"}, {"averageValue": "5"}),
        ("object", {"targetValue": "5"}, {"value": "5"}),
        ("object", {"targetValue": "0", "averageValue": "5"}, {"averageValue": "5"}),
        ("object", {"targetValue": "6", "averageValue": "5"}, {"averageValue": "5", "value": "6"}),
        ("pods", {"targetAverageValue": "5"}, {"averageValue": "5"}),
    ],
)
def test_what_is_aimed_at_says_of_which_kind_it_is(
    source: str, flat: dict[str, Any], want: dict[str, Any]
) -> None:
    kinds = {"averageUtilization": "Utilization", "averageValue": "AverageValue", "value": "Value"}
    seen = to_v2(annotated("metrics", json.dumps([{"type": "T", source: flat}])))

    assert seen["spec"]["metrics"][0][source]["target"] == {"type": kinds[min(want)], **want}


def test_no_empty_annotations_are_left() -> None:
    assert to_v2(annotated("metrics", "[]"))["metadata"] == {}
    kept = {"annotations": {"a": "b"}}
    assert to_v2({"apiVersion": V1, "metadata": kept})["metadata"] == kept


def test_members_are_known_in_whatever_capitals() -> None:
    text = '[{"Type":"Pods","PODS":{"metricname":"m","TargetAverageValue":"1"}}]'

    assert to_v2(annotated("metrics", text))["spec"]["metrics"] == [
        {
            "type": "Pods",
            "pods": {
                "metric": {"name": "m"},
                "target": {"type": "AverageValue", "averageValue": "1"},
            },
        }
    ]
