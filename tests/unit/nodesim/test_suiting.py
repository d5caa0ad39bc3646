"""Whether a node is one that a pod may run on; the kubelet's rules, case by case."""

from __future__ import annotations

import msgspec
import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.nodesim.forms import SimulatedNode, SimulatedPod
from kubegang.nodesim.suiting import other_system, untolerated_taint, unwanted_node


def pod(spec: JsonObject, **labels: str) -> SimulatedPod:
    return msgspec.convert({"metadata": {"labels": labels}, "spec": spec}, SimulatedPod)


def node(*taints: JsonObject, **labels: str) -> SimulatedNode:
    obj = {"metadata": {"name": "n", "labels": labels}, "spec": {"taints": list(taints)}}
    return msgspec.convert(obj, SimulatedNode)


def evicting(value: str = "") -> JsonObject:
    return {"key": "k", "value": value, "effect": "NoExecute"}


@pytest.mark.parametrize(
    ("toleration", "value", "fits"),
    [
        ({"key": "k", "operator": "Exists"}, "", True),
        ({"operator": "Exists"}, "", True),
        ({"key": "other", "operator": "Exists"}, "", False),
        ({"key": "k", "operator": "Exists", "effect": "NoSchedule"}, "", False),
        ({"key": "k", "value": "v"}, "v", True),
        ({"key": "k", "operator": "Equal", "value": "v"}, "w", False),
        ({"key": "k", "operator": "Gt", "value": "5"}, "6", True),
        ({"key": "k", "operator": "Gt", "value": "5"}, "5", False),
        ({"key": "k", "operator": "Lt", "value": "5"}, "4", True),
        ({"key": "k", "operator": "Lt", "value": "5"}, "6", False),
        ({"key": "k", "operator": "Gt", "value": "5"}, "many", False),
        ({"key": "k", "operator": "Gt", "value": "5"}, "1_000", False),
        ({"key": "k", "operator": "Never", "value": "v"}, "v", False),
    ],
)
def test_a_taint_that_evicts_has_to_be_tolerated(
    toleration: JsonObject, value: str, *, fits: bool
) -> None:
    found = untolerated_taint(pod({"tolerations": [toleration]}), node(evicting(value)))
    assert (found is None) == fits


@pytest.mark.parametrize(
    ("terms", "fits"),
    [
        ([{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}], True),
        ([{"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]}], False),
        ([{"matchExpressions": [{"key": "zone", "operator": "Exists"}]}], True),
        ([{"matchExpressions": [{"key": "rack", "operator": "DoesNotExist"}]}], True),
        ([{"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["7"]}]}], True),
        ([{"matchExpressions": [{"key": "cores", "operator": "Lt", "values": ["8"]}]}], False),
        ([{"matchExpressions": [{"key": "cores", "operator": "Near", "values": ["8"]}]}], False),
        ([{}], False),
        ([{}, {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}], True),
        (
            [
                {
                    "matchExpressions": [{"key": "zone", "operator": "Exists"}],
                    "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n"]}],
                }
            ],
            False,
        ),
    ],
)
def test_one_of_the_required_terms_has_to_hold(terms: list[JsonObject], *, fits: bool) -> None:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    who = pod({"affinity": {"nodeAffinity": required}})
    assert (unwanted_node(who, node(zone="a", cores="8")) is None) == fits


def test_selector_and_affinity_both_have_to_hold() -> None:
    required = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    both = pod({"nodeSelector": {"b": "1"}, "affinity": affinity})
    assert unwanted_node(both, node(a="1", b="1")) is None
    assert unwanted_node(both, node(a="1")) is not None
    assert unwanted_node(both, node(b="1")) is not None


@pytest.mark.parametrize(
    ("who", "reason"),
    [
        (pod({}, **{"kubernetes.io/os": "windows"}), "PodOSSelectorNodeLabelDoesNotMatch"),
        (pod({"os": {"name": "windows"}}), "PodOSNotSupported"),
        (pod({"os": {"name": "linux"}}, **{"kubernetes.io/os": "linux"}), ""),
        (pod({}), ""),
    ],
    ids=["label", "field", "linux", "nothing said"],
)
def test_simulated_nodes_run_linux(who: SimulatedPod, reason: str) -> None:
    found = other_system(who)
    assert (found.reason if found is not None else "") == reason
