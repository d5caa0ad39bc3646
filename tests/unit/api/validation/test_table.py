from __future__ import annotations

import copy

import pytest

from kubegang.api.validation.table import validate_create, validate_update
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from tests.unit.api.validation.objects import (
    GATES,
    container,
    create,
    filled,
    job,
    lines,
    pod,
    pod_group,
    workload,
)

TEMPLATE = {"name": "workers", "schedulingPolicy": {"gang": {"minCount": 2}}}
EVENT_SUBJECT = {"kind": "Pod", "name": "p", "namespace": "default"}


def named(api_version: str, kind: str, *, namespaced: bool = True, **members: object) -> JsonObject:
    namespace = {"namespace": "default"} if namespaced else {}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "x", **namespace},
        **members,
    }


@pytest.mark.parametrize(
    "obj",
    [
        pod(),
        job(),
        pod_group(),
        workload(podGroupTemplates=[TEMPLATE]),
        named("v1", "Namespace", namespaced=False),
        named("v1", "Node", namespaced=False),
        named("v1", "ConfigMap", data={"a": "b"}),
        named("v1", "ServiceAccount"),
        named("v1", "Event", involvedObject=EVENT_SUBJECT),
        named("coordination.k8s.io/v1", "Lease", spec={"leaseDurationSeconds": 15}),
        named("policy/v1", "PodDisruptionBudget", spec={"minAvailable": "50%"}),
        named("scheduling.k8s.io/v1", "PriorityClass", namespaced=False, value=5),
        named("v1", "Secret"),
        named("rbac.authorization.k8s.io/v1", "Role"),
    ],
    ids=lambda obj: obj["kind"],
)
def test_a_small_object_of_every_kind_is_fine(obj: JsonObject) -> None:
    assert create(obj) == []


def test_validation_changes_nothing() -> None:
    obj = filled(pod(containers=[container(resources={"limits": {"cpu": "1"}})]))
    before = copy.deepcopy(obj)
    validate_create(obj, GroupVersionKind.of(obj), GATES)
    validate_update(obj, before, GroupVersionKind.of(obj), GATES)
    assert obj == before


def test_the_same_error_is_told_once() -> None:
    node = named("v1", "Node", namespaced=False, status={"capacity": {"cpu": "-1"}})
    error = 'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0'
    gvk = GroupVersionKind.of(node)
    assert lines(validate_update(node, node, gvk, GATES)) == [error]


def test_metadata_comes_before_the_spec_for_most_kinds() -> None:
    fields = [line.partition(":")[0] for line in create(pod(metadata={"name": "A"}, containers=[]))]
    assert fields == ["metadata.name", "spec.containers"]


def test_a_budget_tells_its_metadata_only_once_the_spec_is_in_order() -> None:
    wrong = named("policy/v1", "PodDisruptionBudget", spec={"minAvailable": -1})
    wrong["metadata"]["labels"] = {"-": "a"}
    assert create(wrong) == [
        "spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"
    ]
    wrong["spec"] = {"minAvailable": 1}
    assert [line.partition(":")[0] for line in create(wrong)] == ["metadata.labels"]


@pytest.mark.parametrize(
    ("target", "errors"),
    [
        ({"name": "node-1"}, []),
        ({"kind": "Node", "name": "node-1"}, []),
        ({}, ["target.name: Required value"]),
        (
            {"kind": "Pod", "name": "x"},
            ['target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"'],
        ),
    ],
)
def test_a_binding_names_a_node(target: JsonObject, errors: list[str]) -> None:
    binding = named("v1", "Binding", target=target)
    assert lines(validate_create(binding, GroupVersionKind("", "v1", "Binding"), GATES)) == errors
