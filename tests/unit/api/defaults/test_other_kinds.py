from __future__ import annotations

import pytest

from kubegang.api.defaults.batch import generate_selector
from kubegang.api.defaults.table import apply_defaults
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

SCHEDULING = "scheduling.k8s.io"
JOB = GroupVersionKind("batch", "v1", "Job")


def defaulted(obj: JsonObject, gvk: GroupVersionKind, **gates: bool) -> JsonObject:
    apply_defaults(obj, gvk, FeatureGates(gates))
    return obj


def job(labels: dict[str, str] | None = None, **spec: object) -> JsonObject:
    template: JsonObject = {"metadata": {"labels": labels}} if labels else {}
    return defaulted(
        {"metadata": {"name": "j", "uid": "u"}, "spec": {"template": template, **spec}}, JOB
    )


def test_a_namespace_is_labelled_with_its_name_and_active() -> None:
    gvk = GroupVersionKind("", "v1", "Namespace")
    assert defaulted({"metadata": {"name": "team"}}, gvk) == {
        "metadata": {"name": "team", "labels": {"kubernetes.io/metadata.name": "team"}},
        "status": {"phase": "Active"},
    }


def test_a_node_offers_its_capacity_and_has_both_pod_range_fields() -> None:
    gvk = GroupVersionKind("", "v1", "Node")
    node = defaulted(
        {"spec": {"podCIDR": "10.0.0.0/24"}, "status": {"capacity": {"cpu": "4"}}}, gvk
    )
    assert node["status"]["allocatable"] == {"cpu": "4"}
    assert node["spec"]["podCIDRs"] == ["10.0.0.0/24"]
    assert defaulted({"spec": {"podCIDRs": ["::/64"]}}, gvk)["spec"]["podCIDR"] == "::/64"


@pytest.mark.parametrize(
    ("given", "filled"),
    [
        ({}, {"completions": 1, "parallelism": 1}),
        ({"completions": 3}, {"completions": 3, "parallelism": 1}),
        ({"parallelism": 3}, {"completions": None, "parallelism": 3}),
        ({"backoffLimitPerIndex": 1}, {"backoffLimit": 2**31 - 1}),
        ({}, {"backoffLimit": 6, "podReplacementPolicy": "TerminatingOrFailed"}),
        ({"podFailurePolicy": {}}, {"podReplacementPolicy": "Failed"}),
        ({}, {"completionMode": "NonIndexed", "suspend": False, "manualSelector": False}),
    ],
)
def test_a_job_gets_numbers_and_policies(given: JsonObject, filled: JsonObject) -> None:
    spec = job(**given)["spec"]
    assert {name: spec.get(name) for name in filled} == filled


def test_a_job_without_labels_has_those_of_its_template_also_the_generated_ones() -> None:
    labelled = job(labels={"app": "train"})
    generate_selector(labelled)
    assert labelled["metadata"]["labels"] == {
        "app": "train",
        "job-name": "j",
        "batch.kubernetes.io/job-name": "j",
        "controller-uid": "u",
        "batch.kubernetes.io/controller-uid": "u",
    }
    assert labelled["spec"]["selector"] == {
        "matchLabels": {"batch.kubernetes.io/controller-uid": "u"}
    }


def test_a_manual_selector_is_left_alone() -> None:
    manual = job(manualSelector=True, selector={"matchLabels": {"a": "b"}})
    generate_selector(manual)
    assert manual["spec"]["selector"] == {"matchLabels": {"a": "b"}}
    assert "metadata" not in manual["spec"]["template"]


def test_labels_that_a_user_gave_win_over_generated_ones() -> None:
    labelled = job(labels={"job-name": "other"})
    generate_selector(labelled)
    assert labelled["spec"]["template"]["metadata"]["labels"]["job-name"] == "other"


@pytest.mark.parametrize("version", ["v1beta1", "v1alpha3"])
def test_a_group_is_disrupted_pod_by_pod_and_preempts_if_the_gate_is_on(version: str) -> None:
    gvk = GroupVersionKind(SCHEDULING, version, "PodGroup")
    assert defaulted({}, gvk)["spec"] == {"disruptionMode": {"single": {}}}
    assert defaulted({}, gvk, PodGroupPreemptionPolicy=True)["spec"] == {
        "disruptionMode": {"single": {}},
        "preemptionPolicy": "PreemptLowerPriority",
    }


def test_the_disruption_mode_of_v1alpha2_is_a_word() -> None:
    gvk = GroupVersionKind(SCHEDULING, "v1alpha2", "PodGroup")
    assert defaulted({}, gvk)["spec"] == {"disruptionMode": "Pod"}


def test_a_priority_class_preempts() -> None:
    gvk = GroupVersionKind(SCHEDULING, "v1", "PriorityClass")
    assert defaulted({"value": 1}, gvk)["preemptionPolicy"] == "PreemptLowerPriority"


def test_a_kind_without_defaults_is_left_as_it_is() -> None:
    assert defaulted({"data": {}}, GroupVersionKind("", "v1", "ConfigMap")) == {"data": {}}
