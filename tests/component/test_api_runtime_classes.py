"""Pods get what their RuntimeClass says, or are refused; all measured on 1.37.2."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apiserver.admission.runtimeclasses import merged_tolerations
from tests.component.apiharness import PODS, Api, api_test, pod

CLASSES = "/apis/node.k8s.io/v1/runtimeclasses"
FULL: dict[str, Any] = {
    "overhead": {"podFixed": {"cpu": "100m", "memory": "1Gi"}},
    "scheduling": {
        "nodeSelector": {"a": "b"},
        "tolerations": [{"key": "k", "operator": "Exists"}],
    },
}
OTHER = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
WITHOUT = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


async def make_classes(api: Api) -> None:
    for name, more in (("plain", {}), ("full", FULL)):
        await api.create(CLASSES, {"metadata": {"name": name}, "handler": "h", **more})


@api_test
async def test_a_pod_gets_overhead_selector_and_tolerations(api: Api) -> None:
    await make_classes(api)
    made = await api.create(PODS, pod("p", runtimeClassName="full", nodeSelector={"c": "d"}))
    spec = made["spec"]
    assert spec["overhead"] == {"cpu": "100m", "memory": "1Gi"}
    assert spec["nodeSelector"] == {"a": "b", "c": "d"}
    keys = [toleration["key"].rpartition("/")[2] for toleration in spec["tolerations"]]
    assert keys == ["not-ready", "unreachable", "k"]
    same = pod("q", runtimeClassName="full", overhead={"cpu": "0.1", "memory": "1024Mi"})
    assert (await api.create(PODS, same))["spec"]["overhead"] == spec["overhead"]


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"runtimeClassName": "none"}, 'pod rejected: RuntimeClass "none" not found'),
        ({"runtimeClassName": "full", "overhead": {"cpu": "1"}}, OTHER),
        ({"runtimeClassName": "plain", "overhead": {"cpu": "1"}}, WITHOUT),
        ({"overhead": {"cpu": "1"}}, WITHOUT),
        (
            {"runtimeClassName": "full", "nodeSelector": {"a": "x"}},
            "conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = x",
        ),
    ],
)
def test_a_pod_that_says_otherwise_is_refused(spec: dict[str, Any], why: str) -> None:
    async def scenario(api: Api) -> None:
        await make_classes(api)
        reply = await api.post(PODS, pod("p", **spec))
        assert (reply.status, reply.message) == (403, f'pods "p" is forbidden: {why}')

    api_test(scenario)()


@pytest.mark.parametrize(
    ("tolerations", "kept"),
    [
        ([{"operator": "Exists"}, {"key": "k", "operator": "Exists"}], [0]),
        (
            [
                {"key": "k", "operator": "Exists", "effect": "NoExecute"},
                {"key": "q", "operator": "Exists"},
                {"key": "k", "operator": "Exists"},
            ],
            [1, 2],
        ),
        (
            [
                {"key": "k", "operator": "Exists", "effect": "NoSchedule"},
                {"key": "k", "operator": "Exists", "effect": "NoExecute"},
            ],
            [0, 1],
        ),
        ([{"key": "k", "value": "1"}, {"key": "k", "value": "1"}], [0]),
        (
            [
                {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
                {"key": "k", "operator": "Exists", "effect": "NoExecute"},
            ],
            [1],
        ),
    ],
)
def test_a_toleration_that_another_one_includes_is_left_out(
    tolerations: list[dict[str, Any]], kept: list[int]
) -> None:
    assert merged_tolerations(tolerations) == [tolerations[i] for i in kept]
