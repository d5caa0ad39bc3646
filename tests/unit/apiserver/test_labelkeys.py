"""matchLabelKeys and mismatchLabelKeys: merged into selectors when a pod is created."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kubegang.apiserver.strategies.labelkeys import merge_label_keys

LABELS = {"app": "x", "tier": "web"}
WEB = {"key": "tier", "operator": "In", "values": ["web"]}
NOT_WEB = {"key": "tier", "operator": "NotIn", "values": ["web"]}


def merged(spec: dict[str, Any]) -> dict[str, Any]:
    pod = {"metadata": {"labels": LABELS}, "spec": copy.deepcopy(spec)}
    merge_label_keys(pod)
    return pod["spec"]


@pytest.mark.parametrize("kind", ["podAffinity", "podAntiAffinity"])
def test_terms_of_both_kinds_take_the_pods_values(kind: str) -> None:
    term = {"labelSelector": {"matchLabels": {"app": "x"}}, "matchLabelKeys": ["tier", "none"]}
    weighted = {"podAffinityTerm": {"labelSelector": {}, "mismatchLabelKeys": ["tier"]}}
    terms = merged(
        {
            "affinity": {
                kind: {
                    "requiredDuringSchedulingIgnoredDuringExecution": [term],
                    "preferredDuringSchedulingIgnoredDuringExecution": [weighted],
                }
            }
        }
    )["affinity"][kind]
    (required,) = terms["requiredDuringSchedulingIgnoredDuringExecution"]
    assert required["labelSelector"] == {"matchLabels": {"app": "x"}, "matchExpressions": [WEB]}
    (preferred,) = terms["preferredDuringSchedulingIgnoredDuringExecution"]
    assert preferred["podAffinityTerm"]["labelSelector"] == {"matchExpressions": [NOT_WEB]}


def test_keys_come_after_what_the_selector_says_already() -> None:
    exists = {"key": "a", "operator": "Exists"}
    constraint = {"labelSelector": {"matchExpressions": [exists]}, "matchLabelKeys": ["tier"]}
    (done,) = merged({"topologySpreadConstraints": [constraint]})["topologySpreadConstraints"]
    assert done["labelSelector"]["matchExpressions"] == [exists, WEB]
    assert done["matchLabelKeys"] == ["tier"]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"affinity": {"nodeAffinity": {}}}, id="nodes-only"),
        pytest.param(
            {"topologySpreadConstraints": [{"matchLabelKeys": ["tier"]}]}, id="no-selector"
        ),
        pytest.param(
            {"topologySpreadConstraints": [{"labelSelector": {}, "matchLabelKeys": ["none"]}]},
            id="labels-that-the-pod-lacks",
        ),
    ],
)
def test_nothing_else_changes(spec: dict[str, Any]) -> None:
    assert merged(spec) == spec
