from __future__ import annotations

import copy

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.unit.api.validation.objects import (
    GATES,
    create,
    pod_group,
    update,
    update_status,
    workload,
)

GANG = {"gang": {"minCount": 2}}
LEAF = {"name": "workers", "schedulingPolicy": GANG}


def fields(errors: list[str]) -> list[str]:
    return [line.partition(": ")[0].removeprefix("spec.") for line in errors]


def composite(name: str, **children: list[JsonObject]) -> JsonObject:
    return {"name": name, "schedulingPolicy": {"basic": {}}, **children}


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"schedulingPolicy": GANG}, []),
        ({"schedulingPolicy": {}}, ["schedulingPolicy"]),
        ({"schedulingPolicy": {"gang": {}}}, ["schedulingPolicy.gang.minCount"]),
        ({"schedulingPolicy": {**GANG, "basic": {}}}, ["schedulingPolicy"]),
        ({"workloadRef": {"workloadName": "w", "templateName": "t"}}, []),
        ({"workloadRef": {}}, ["workloadRef.workloadName", "workloadRef.templateName"]),
        ({"parentCompositePodGroupName": "p"}, ["workloadRef"]),
        (
            {"schedulingConstraints": {"topology": [{"key": "-"}]}},
            ["schedulingConstraints.topology[0].key"],
        ),
        ({"schedulingConstraints": {"topology": [{}, {}]}}, ["schedulingConstraints.topology"]),
        ({"resourceClaims": [{"name": "a", "resourceClaimName": "c"}]}, []),
        ({"resourceClaims": [{"name": "a"}]}, ["resourceClaims[0]"]),
        ({"resourceClaims": [{"name": "a"}] * 5}, ["resourceClaims"]),
        ({"disruptionMode": {"single": {}, "all": {}}}, ["disruptionMode"]),
        ({"priority": 1_000_000_001}, ["priority"]),
        ({"preemptionPolicy": "x"}, ["preemptionPolicy"]),
    ],
)
def test_a_pod_group_is_checked(spec: JsonObject, wrong: list[str]) -> None:
    assert fields(create(pod_group(**spec))) == wrong


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"schedulingPolicy": {"gang": {"minCount": 5}}}, []),
        ({"schedulingPolicy": {"gang": {"minCount": 0}}}, ["schedulingPolicy.gang.minCount"]),
        ({"schedulingPolicy": {"basic": {}}}, ["schedulingPolicy.basic", "schedulingPolicy.gang"]),
        ({"priority": 5}, ["priority"]),
        ({"disruptionMode": {"all": {}}}, ["disruptionMode"]),
        ({"workloadRef": {"workloadName": "w", "templateName": "t"}}, ["workloadRef"]),
    ],
)
def test_of_a_pod_group_only_the_gangs_minimum_changes(
    change: JsonObject, wrong: list[str]
) -> None:
    assert fields(update(pod_group(schedulingPolicy=GANG), **change)) == wrong


def test_fields_of_gates_that_are_off_are_forbidden_but_stay_where_they_are() -> None:
    gates = GATES.with_changes({"TopologyAwareWorkloadScheduling": False})
    constrained = pod_group(schedulingConstraints={"topology": [{"key": "rack"}]})
    assert create(constrained, gates) == ["spec.schedulingConstraints: Forbidden"]
    assert update(constrained, gates) == []


def test_claims_of_a_status_are_those_of_the_spec() -> None:
    group = pod_group(resourceClaims=[{"name": "a", "resourceClaimName": "c"}])
    made = {"name": "a", "resourceClaimName": "c"}
    assert update_status(group, resourceClaimStatuses=[made]) == []
    found = update_status(group, resourceClaimStatuses=[made, {"name": "b"}, made])
    assert [line.partition(": ")[0] for line in found] == [
        "status.resourceClaimStatuses[1].name",
        "status.resourceClaimStatuses[2]",
    ]


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"podGroupTemplates": [LEAF]}, []),
        ({}, [""]),
        ({"podGroupTemplates": [LEAF, LEAF]}, ["podGroupTemplates[1]"]),
        (
            {"podGroupTemplates": [{"name": "a.b", "schedulingPolicy": GANG}]},
            ["podGroupTemplates[0].name"],
        ),
        (
            {"controllerRef": {"kind": "a/b", "name": ".."}, "podGroupTemplates": [LEAF]},
            ["controllerRef.kind", "controllerRef.name"],
        ),
        ({"compositePodGroupTemplates": [composite("a", podGroupTemplates=[LEAF])]}, []),
    ],
)
def test_a_workload_is_checked(spec: JsonObject, wrong: list[str]) -> None:
    found = [field.removeprefix("spec") for field in fields(create(workload(**spec)))]
    assert found == wrong


@pytest.mark.parametrize(
    ("templates", "problem"),
    [
        ([composite("a")], "compositePodGroupTemplates[0]"),
        ([composite("workers", podGroupTemplates=[LEAF])], "podGroupTemplates[0]"),
        (
            [
                composite(
                    "a",
                    podGroupTemplates=[LEAF],
                    compositePodGroupTemplates=[
                        composite("b", podGroupTemplates=[{**LEAF, "name": "c", "priority": 5}])
                    ],
                )
            ],
            "priority",
        ),
    ],
)
def test_a_tree_of_templates_is_checked_as_a_whole(
    templates: list[JsonObject], problem: str
) -> None:
    errors = create(workload(compositePodGroupTemplates=templates))
    assert errors
    assert problem in "\n".join(errors)


def test_templates_may_be_put_in_another_order_but_not_exchanged() -> None:
    other = {**copy.deepcopy(LEAF), "name": "leader"}
    old = workload(podGroupTemplates=[LEAF, other])
    assert update(old, podGroupTemplates=[other, LEAF]) == []
    assert update(old, podGroupTemplates=[LEAF, {**other, "name": "third"}]) == [
        "spec.podGroupTemplates[1]: Forbidden: item may not be added",
        "spec.podGroupTemplates: Forbidden: item may not be removed",
    ]


def in_version(version: str, kind: str, **spec: object) -> JsonObject:
    return {
        "apiVersion": f"scheduling.k8s.io/{version}",
        "kind": kind,
        "metadata": {"name": "x", "namespace": "default"},
        "spec": spec,
    }


def test_v1alpha2_freezes_policies_and_templates_altogether() -> None:
    group = in_version("v1alpha2", "PodGroup", schedulingPolicy=GANG)
    assert update(group, schedulingPolicy={"gang": {"minCount": 3}}) == [
        "spec.schedulingPolicy: Invalid value: null: field is immutable"
    ]
    old = in_version("v1alpha2", "Workload", podGroupTemplates=[LEAF])
    assert create(old) == []
    assert update(old, podGroupTemplates=[]) == [
        "spec.podGroupTemplates: Invalid value: null: field is immutable",
        "spec.podGroupTemplates: Required value",
    ]


@pytest.mark.parametrize(
    ("groups", "errors"),
    [
        ([{"name": "g", "policy": GANG}], []),
        ([], ["podGroups: Required value: must have at least one item"]),
        (
            [{"name": "g", "policy": {}}],
            ["podGroups[0].policy: Required value: exactly one of `basic`, `gang` is required"],
        ),
        (
            [{"name": "g", "policy": {"gang": {}}}],
            ["podGroups[0].policy.gang.minCount: Invalid value: 0: must be greater than zero"],
        ),
        (
            [{"name": "g", "policy": GANG}] * 2,
            ['podGroups[1].name: Duplicate value: "g"'],
        ),
    ],
)
def test_v1alpha1_has_words_of_its_own(groups: list[JsonObject], errors: list[str]) -> None:
    found = create(in_version("v1alpha1", "Workload", podGroups=groups))
    assert [line.removeprefix("spec.") for line in found] == errors


def test_a_v1alpha1_workload_may_get_its_controller_later() -> None:
    groups = [{"name": "g", "policy": GANG}]
    controller = {"apiGroup": "batch", "kind": "Job", "name": "j"}
    old = in_version("v1alpha1", "Workload", podGroups=groups)
    assert update(old, controllerRef=controller) == []
    owned = in_version("v1alpha1", "Workload", podGroups=groups, controllerRef=controller)
    assert update(owned, controllerRef=None) == [
        "controllerRef: Invalid value: null: field is immutable"
    ]
    assert update(owned, podGroups=[{"name": "h", "policy": {"basic": {}}}]) == [
        'podGroups: Invalid value: [{"Name":"h","Policy":{"Basic":{},"Gang":null}}]: '
        "field is immutable"
    ]
