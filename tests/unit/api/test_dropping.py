"""Fields of switched-off features vanish, unless the stored object uses them."""

from __future__ import annotations

import copy

import pytest

from kubegang.api.dropping import drop_disabled_fields
from kubegang.api.dropping_rules import (
    JOB_RULES,
    KIND_RULES,
    POD_SPEC_PATHS,
    POD_SPEC_RULES,
    TEMPLATE_RULES,
)
from kubegang.api.facts import load_facts
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.app.profiles.table import RELEASES, profile_named
from kubegang.base.feature_gates import FeatureGates

POD = GroupVersionKind("", "v1", "Pod")
JOB = GroupVersionKind("batch", "v1", "Job")
CRON_JOB = GroupVersionKind("batch", "v1", "CronJob")
POD_GROUP = GroupVersionKind("scheduling.k8s.io", "v1beta1", "PodGroup")
OLD_POD_GROUP = GroupVersionKind("scheduling.k8s.io", "v1alpha2", "PodGroup")
WORKLOAD = GroupVersionKind("scheduling.k8s.io", "v1beta1", "Workload")

ON = profile_named("1.37").gates["apiserver"]
GENERIC = ON.with_changes(
    {
        "TopologyAwareWorkloadScheduling": False,
        "DRAWorkloadResourceClaims": False,
        "WorkloadWithJob": False,
        "PodGroupPreemptionPolicy": False,
        "CompositePodGroup": False,
    }
)
OFF = GENERIC.with_changes({"GenericWorkload": False})

TOPOLOGY = {"topology": [{"key": "rack"}]}
CLAIMS = [{"name": "a", "resourceClaimName": "b"}]


def dropped(
    new: JsonObject, gvk: GroupVersionKind, gates: FeatureGates, old: JsonObject | None = None
) -> JsonObject:
    result = copy.deepcopy(new)
    drop_disabled_fields(result, old, gvk, gates)
    return result


def test_nothing_is_dropped_with_the_gates_on() -> None:
    pod = {"spec": {"schedulingGroup": {"podGroupName": "pg"}, "resources": {}}}
    assert dropped(pod, POD, ON) == pod


def test_a_scheduling_group_is_dropped_with_its_gate_off() -> None:
    pod = {"spec": {"nodeName": "n", "schedulingGroup": {"podGroupName": "pg"}}}
    assert dropped(pod, POD, OFF) == {"spec": {"nodeName": "n"}}


def test_a_scheduling_group_stays_if_the_stored_pod_has_one() -> None:
    pod = {"spec": {"schedulingGroup": {"podGroupName": "pg"}}}
    assert dropped(pod, POD, OFF, old=pod) == pod


@pytest.mark.parametrize(
    ("gvk", "path"),
    [
        pytest.param(JOB, ("spec", "template", "spec"), id="job"),
        pytest.param(CRON_JOB, ("spec", "jobTemplate", "spec", "template", "spec"), id="cron-job"),
    ],
)
def test_pod_templates_are_dropped_from_too(gvk: GroupVersionKind, path: tuple[str, ...]) -> None:
    obj: JsonObject = {"schedulingGroup": {"podGroupName": "pg"}}
    want: JsonObject = {}
    for name in reversed(path):
        obj, want = {name: obj}, {name: want}
    assert dropped(obj, gvk, OFF) == want


def test_a_jobs_scheduling_hangs_on_its_own_gate() -> None:
    job = {"spec": {"parallelism": 2, "scheduling": {}}}
    assert dropped(job, JOB, GENERIC) == {"spec": {"parallelism": 2}}
    assert dropped(job, JOB, ON) == job
    assert dropped(job, JOB, GENERIC, old=job) == job


def test_a_pod_group_keeps_only_what_its_gates_allow() -> None:
    group = {
        "spec": {
            "schedulingPolicy": {"gang": {"minCount": 2}},
            "schedulingConstraints": TOPOLOGY,
            "resourceClaims": CLAIMS,
            "preemptionPolicy": "Never",
            "parentCompositePodGroupName": "parent",
            "priority": 3,
        }
    }
    assert dropped(group, POD_GROUP, GENERIC) == {
        "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}, "priority": 3}
    }


def test_one_field_in_use_does_not_save_another() -> None:
    stored = {"spec": {"schedulingConstraints": TOPOLOGY}}
    new = {"spec": {"schedulingConstraints": {"topology": []}, "preemptionPolicy": "Never"}}
    assert dropped(new, POD_GROUP, GENERIC, old=stored) == {
        "spec": {"schedulingConstraints": {"topology": []}}
    }


def test_claim_statuses_stay_while_the_spec_has_claims() -> None:
    stored = {"spec": {"resourceClaims": CLAIMS}}
    new = {**stored, "status": {"resourceClaimStatuses": [{"name": "a"}]}}
    assert dropped(new, POD_GROUP, GENERIC, old=stored) == new
    without: JsonObject = {"spec": {}}
    assert dropped({"spec": {}, "status": new["status"]}, POD_GROUP, GENERIC, old=without) == {
        "spec": {},
        "status": {},
    }


def test_in_1_36_a_dropped_disruption_mode_becomes_the_default() -> None:
    gates = (
        profile_named("1.36").gates["apiserver"].with_changes({"WorkloadAwarePreemption": False})
    )
    group = {"spec": {"disruptionMode": "PodGroup", "priority": 3, "priorityClassName": "a"}}
    assert dropped(group, OLD_POD_GROUP, gates) == {"spec": {"disruptionMode": "Pod"}}


def test_templates_are_compared_with_the_stored_ones_by_their_place() -> None:
    def template(name: str) -> JsonObject:
        return {"name": name, "schedulingConstraints": TOPOLOGY}

    stored = {"spec": {"podGroupTemplates": [template("a"), {"name": "b"}]}}
    new = {"spec": {"podGroupTemplates": [template("b"), template("a")]}}
    assert dropped(new, WORKLOAD, GENERIC, old=stored) == {
        "spec": {"podGroupTemplates": [template("b"), {"name": "a"}]}
    }


def test_composite_templates_are_compared_by_name() -> None:
    def composite(name: str) -> JsonObject:
        return {"name": name, "preemptionPolicy": "Never"}

    stored = {"spec": {"compositePodGroupTemplates": [{"name": "a"}, composite("b")]}}
    new = {"spec": {"compositePodGroupTemplates": [composite("b"), composite("a")]}}
    assert dropped(new, WORKLOAD, GENERIC, old=stored) == {
        "spec": {"compositePodGroupTemplates": [composite("b"), {"name": "a"}]}
    }


def test_new_composite_templates_vanish_with_their_gate_off() -> None:
    workload = {"spec": {"compositePodGroupTemplates": [{"name": "a"}]}}
    assert dropped(workload, WORKLOAD, GENERIC) == {"spec": {}}


def test_a_composite_templates_constraint_hangs_on_no_gate() -> None:
    gates = ON.with_changes({"TopologyAwareWorkloadScheduling": False})
    inner = {"name": "l", "schedulingConstraints": TOPOLOGY}
    composite = {"name": "a", "schedulingConstraints": TOPOLOGY, "podGroupTemplates": [inner]}
    assert dropped({"spec": {"compositePodGroupTemplates": [composite]}}, WORKLOAD, gates) == {
        "spec": {
            "compositePodGroupTemplates": [
                {
                    "name": "a",
                    "schedulingConstraints": TOPOLOGY,
                    "podGroupTemplates": [{"name": "l"}],
                }
            ]
        }
    }


@pytest.mark.parametrize(
    ("lifecycle", "want"),
    [
        pytest.param({"stopSignal": "SIGINT"}, {}, id="becomes-empty-and-goes"),
        pytest.param({}, {"lifecycle": {}}, id="was-empty-and-stays"),
        pytest.param(
            {"stopSignal": "SIGINT", "preStop": {}}, {"lifecycle": {"preStop": {}}}, id="has-more"
        ),
    ],
)
def test_a_lifecycle_that_becomes_empty_goes(lifecycle: JsonObject, want: JsonObject) -> None:
    pod = {"spec": {"containers": [{"name": "c", "lifecycle": lifecycle}]}}
    assert dropped(pod, POD, ON) == {"spec": {"containers": [{"name": "c", **want}]}}


def test_a_field_in_the_middle_of_lists_is_found() -> None:
    source = {"serviceAccountToken": {"path": "p", "user": 5}}
    pod = {"spec": {"volumes": [{"name": "v", "projected": {"sources": [source]}}]}}
    assert dropped(pod, POD, ON)["spec"]["volumes"][0]["projected"]["sources"] == [
        {"serviceAccountToken": {"path": "p"}}
    ]


def test_a_field_in_the_values_of_a_map_is_found() -> None:
    gvk = GroupVersionKind("resource.k8s.io", "v1", "ResourceSlice")
    attributes = {"cores": {"int": 4}, "modes": {"strings": ["a"], "int": 1}}
    resource_slice = {"spec": {"devices": [{"name": "d", "attributes": attributes}]}}
    assert dropped(resource_slice, gvk, ON)["spec"]["devices"][0]["attributes"] == {
        "cores": {"int": 4},
        "modes": {"int": 1},
    }


def test_every_rule_names_a_field_and_a_gate_that_exist() -> None:
    tables = [load_facts(release.name) for release in RELEASES]
    gates = {gate.name for release in RELEASES for gate in release.known_gates}
    pod_spec = [t.definition("io.k8s.api.core.v1.PodSpec") for t in tables]
    job_spec = [t.definition("io.k8s.api.batch.v1.JobSpec") for t in tables]
    template = [
        t.definition(name)
        for t in tables
        for name in t.names()
        if name.endswith(".PodGroupTemplate")
    ]
    scopes = [(POD_SPEC_RULES, pod_spec), (JOB_RULES, job_spec), (TEMPLATE_RULES, template)]
    for (group, kind), rules in KIND_RULES.items():
        structures = [
            t.kind(gvk)
            for t in tables
            for gvk in t.kinds()
            if (gvk.group, gvk.kind) == (group, kind)
        ]
        scopes.append((rules, structures))
    for rules, structures in scopes:
        for rule in rules.rules:
            assert rule.gate in gates
            for field in (*rule.fields, *rule.in_use):
                assert any(has_path(structure, field) for structure in structures), field


def has_path(schema: Schema, path: str) -> bool:
    for part in path.split("."):
        many = part.endswith(("[]", "{}"))
        child = schema.fields.get(part[:-2] if many else part)
        if child is not None and many:
            child = child.items
        if child is None:
            return False
        schema = child
    return True


@pytest.mark.parametrize("key", POD_SPEC_PATHS)
def test_every_pod_spec_is_where_the_rules_say(key: tuple[str, str]) -> None:
    facts = load_facts("1.37")
    structure = facts.kind(GroupVersionKind(key[0], "v1", key[1]))
    for path in POD_SPEC_PATHS[key]:
        assert has_path(structure, f"{path}.containers")
