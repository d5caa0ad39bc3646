"""Workloads and PodGroups of all releases come out in one form."""

from __future__ import annotations

from kubegang.api.meta import Empty
from kubegang.api.scheduling.decoding import (
    decode_composite_pod_group,
    decode_pod_group,
    decode_workload,
)
from kubegang.api.scheduling.types import (
    DisruptionMode,
    GangSchedulingPolicy,
    PodGroupSchedulingPolicy,
    PodGroupTemplate,
    SchedulingConstraints,
    TopologyConstraint,
    WorkloadReference,
)

GANG = PodGroupSchedulingPolicy(gang=GangSchedulingPolicy(min_count=3))
RACK = SchedulingConstraints(topology=(TopologyConstraint(key="rack"),))


def test_the_groups_of_1_35_are_templates() -> None:
    workload = decode_workload(
        {
            "apiVersion": "scheduling.k8s.io/v1alpha1",
            "metadata": {"name": "w"},
            "spec": {"podGroups": [{"name": "a", "policy": {"gang": {"minCount": 3}}}]},
        }
    )
    assert workload.metadata.name == "w"
    assert workload.spec.pod_group_templates == (
        PodGroupTemplate(name="a", scheduling_policy=GANG),
    )


def test_a_pod_group_of_1_36() -> None:
    group = decode_pod_group(
        {
            "apiVersion": "scheduling.k8s.io/v1alpha2",
            "metadata": {"name": "pg"},
            "spec": {
                "podGroupTemplateRef": {
                    "workload": {"workloadName": "w", "podGroupTemplateName": "a"}
                },
                "schedulingPolicy": {"gang": {"minCount": 3}},
                "schedulingConstraints": {"topology": [{"key": "rack"}]},
                "disruptionMode": "PodGroup",
                "priority": 5,
            },
        }
    )
    assert group.spec.workload_ref == WorkloadReference(workload_name="w", template_name="a")
    assert group.spec.scheduling_policy == GANG
    assert group.spec.scheduling_constraints == RACK
    assert group.spec.disruption_mode == DisruptionMode(all=Empty())
    assert group.spec.priority == 5


def test_a_pod_group_of_1_36_without_a_template() -> None:
    group = decode_pod_group(
        {
            "apiVersion": "scheduling.k8s.io/v1alpha2",
            "spec": {"podGroupTemplateRef": None, "schedulingPolicy": {"basic": {}}},
        }
    )
    assert group.spec.workload_ref is None
    assert group.spec.disruption_mode is None


def test_templates_of_1_36() -> None:
    workload = decode_workload(
        {
            "apiVersion": "scheduling.k8s.io/v1alpha2",
            "spec": {
                "podGroupTemplates": [
                    {
                        "name": "a",
                        "schedulingPolicy": {"gang": {"minCount": 3}},
                        "schedulingConstraints": None,
                        "disruptionMode": "Pod",
                        "priorityClassName": "high",
                    }
                ]
            },
        }
    )
    assert workload.spec.pod_group_templates == (
        PodGroupTemplate(
            name="a",
            scheduling_policy=GANG,
            disruption_mode=DisruptionMode(single=Empty()),
            priority_class_name="high",
        ),
    )


def test_beta_and_alpha_of_1_37_are_equal() -> None:
    spec = {
        "parentCompositePodGroupName": "parent",
        "workloadRef": {"workloadName": "w", "templateName": "a"},
        "schedulingPolicy": {"gang": {"minCount": 3}},
        "disruptionMode": {"all": {}},
        "preemptionPolicy": "Never",
    }
    beta = decode_pod_group({"apiVersion": "scheduling.k8s.io/v1beta1", "spec": spec})
    alpha = decode_pod_group({"apiVersion": "scheduling.k8s.io/v1alpha3", "spec": spec})
    assert beta == alpha
    assert beta.spec.parent_composite_pod_group_name == "parent"
    assert beta.spec.disruption_mode is not None
    assert beta.spec.disruption_mode.mode == "all"


def test_a_workload_of_composites_has_no_flat_templates() -> None:
    workload = decode_workload(
        {
            "apiVersion": "scheduling.k8s.io/v1beta1",
            "spec": {
                "podGroupTemplates": None,
                "compositePodGroupTemplates": [
                    {
                        "name": "c",
                        "schedulingPolicy": {"gang": {"minGroupCount": 2}},
                        "podGroupTemplates": [{"name": "l", "schedulingPolicy": {"basic": {}}}],
                    }
                ],
            },
        }
    )
    assert workload.spec.pod_group_templates is None
    (composite,) = workload.spec.composite_pod_group_templates
    assert composite.scheduling_policy.gang is not None
    assert composite.scheduling_policy.gang.min_group_count == 2
    assert [template.name for template in composite.pod_group_templates] == ["l"]


def test_a_composite_pod_group() -> None:
    group = decode_composite_pod_group(
        {
            "apiVersion": "scheduling.k8s.io/v1alpha3",
            "spec": {
                "workloadRef": {"workloadName": "w", "templateName": "c"},
                "schedulingPolicy": {"gang": {"minGroupCount": 2}},
            },
        }
    )
    assert group.spec.workload_ref == WorkloadReference(workload_name="w", template_name="c")
