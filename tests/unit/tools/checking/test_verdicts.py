"""Whether Jobs and groups become gangs, per version, by which conditions and gates."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.options import GateFlags
from kubegang.tools.checking.report import NeededGates
from tests.unit.tools.checking.manifests import (
    checked,
    found,
    gang,
    gang_job,
    job,
    node,
    only,
    pod,
    pod_spec,
    pods_near,
    shaped_job,
    verdict,
)

ALL = ("1.35", "1.36", "1.37")


def old_workload(minimum: int) -> JsonObject:
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": "w"},
        "spec": {"podGroups": [{"name": "g", "policy": {"gang": {"minCount": minimum}}}]},
    }


def old_member(name: str) -> JsonObject:
    return pod(name, workloadRef={"name": "w", "podGroup": "g"})


def test_a_job_of_the_right_shape_is_a_gang_in_1_36_alone() -> None:
    report = checked(shaped_job(), version=ALL)

    assert [(v.version, v.gang, v.minimum) for v in report.verdicts] == [
        ("1.35", False, 0),
        ("1.36", True, 4),
        ("1.37", False, 0),
    ]
    assert verdict(report, "Job train", "1.35").why == "no controller of 1.35 makes groups for Jobs"
    assert verdict(report, "Job train", "1.37").why == "needs a gang in spec.scheduling"


def test_a_job_that_asks_for_a_gang_is_one_in_1_37_whatever_its_shape() -> None:
    report = checked(gang_job(minimum=3, completionMode="NonIndexed"), version=ALL)

    assert [(v.version, v.minimum) for v in report.verdicts if v.gang] == [("1.37", 3)]
    assert [one.versions for one in found(report, "unknown-field")] == [("1.35", "1.36")]


@pytest.mark.parametrize(
    ("spec", "field", "line"),
    [
        ({"parallelism": 1, "completions": 1}, "spec.parallelism", 14),
        ({"completionMode": "NonIndexed"}, "spec.completionMode", 16),
        ({"completions": 8}, "spec.completions", 15),
    ],
)
def test_the_condition_that_fails_is_named_with_its_line(
    spec: JsonObject, field: str, line: int
) -> None:
    report = checked(shaped_job(**spec), version="1.36")

    broken = [c for c in verdict(report, "Job train", "1.36").conditions if not c.holds]
    assert [c.field for c in broken] == [field]
    assert [c.place for c in broken] == [f"stdin:{line}:3"]
    assert (only(report, "not-a-gang").line, only(report, "not-a-gang").field) == (line, field)


def test_groups_of_1_35_are_entries_of_workloads() -> None:
    report = checked(old_workload(2), old_member("a"), old_member("b"), version="1.35")

    one = verdict(report, "Workload w/g", "1.35")
    assert (one.gang, one.minimum, one.homogeneous) == (True, 2, True)
    assert report.findings == () or not report.fails("warning")


def test_missing_members_of_an_entry_are_told_at_its_minimum() -> None:
    report = checked(old_workload(3), old_member("a"), version="1.35")

    one = only(report, "quorum-not-here")
    assert one.field == "spec.podGroups[0].policy.gang.minCount"
    assert one.line == 10


def test_a_group_in_another_versions_form_is_not_served() -> None:
    report = checked(gang("g", 1), version=ALL)

    assert [(one.versions, one.message) for one in found(report, "kind-not-served")] == [
        (("1.35",), "Kubernetes 1.35 has no PodGroup in scheduling.k8s.io/v1beta1"),
        (
            ("1.36",),
            "Kubernetes 1.36 has no PodGroup in scheduling.k8s.io/v1beta1; it has it in "
            "scheduling.k8s.io/v1alpha2",
        ),
    ]


def test_gates_are_named_per_component() -> None:
    report = checked(shaped_job(), version="1.36")

    assert report.gates == (
        needed("1.36", "apiserver", "GenericWorkload", "GangScheduling", "WorkloadWithJob"),
        needed("1.36", "controllers", "GenericWorkload", "WorkloadWithJob"),
        needed("1.36", "scheduler", "GenericWorkload", "GangScheduling"),
    )


def needed(version: str, component: str, *gates: str) -> NeededGates:
    return NeededGates(version=version, component=component, gates=gates)


def test_plain_objects_need_no_gates() -> None:
    assert checked(pod("a"), job(), version=ALL).gates == ()


def test_a_gate_that_is_off_in_one_component_is_told() -> None:
    gates = GateFlags(scheduler="GangScheduling=false,WorkloadAwarePreemption=false")
    report = checked(shaped_job(), version="1.36", gates=gates)

    assert only(report, "gate-missing").message == (
        "Job train needs the gate GangScheduling in the scheduler of 1.36, where it is off"
    )
    assert verdict(report, "Job train", "1.36").why == "the scheduler's gates for gangs are off"


def test_gates_of_one_version_are_left_alone_in_the_others() -> None:
    gates = GateFlags(all="CompositePodGroup=false")

    assert checked(pod("a"), version=ALL, gates=gates).versions == ALL


def test_batching_is_off_while_spreading_has_defaults(tmp_path: Path) -> None:
    objects = (gang("g", 1), pod("a", "g"))
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\n"
        "kind: KubeSchedulerConfiguration\n"
        "profiles:\n"
        "- pluginConfig:\n"
        "  - name: PodTopologySpread\n"
        "    args: {defaultingType: List, defaultConstraints: []}\n",
        encoding="utf-8",
    )

    plain, listed = checked(*objects), checked(*objects, config=str(config))

    assert verdict(plain, "PodGroup g").batching is False
    assert "PodTopologySpread has default constraints" in only(plain, "batching-off").message
    assert verdict(listed, "PodGroup g").batching is True
    assert found(listed, "batching-off") == []


def test_claims_and_affinity_turn_batching_off() -> None:
    claims = [{"name": "gpu", "resourceClaimName": "gpu"}]
    member = pod("a", "g", affinity=pods_near("app", "x"), resourceClaims=claims)

    why = verdict(checked(gang("g", 1), member), "PodGroup g").batching_why

    assert "its pods have pod affinity" in why
    assert "its pods have device claims" in why


def test_other_schedulers_can_be_named() -> None:
    objects = (pod("a", schedulerName="volcano"),)

    assert found(checked(*objects, scheduler_names=("volcano",)), "nobody-schedules") == []


def test_a_job_whose_pods_name_a_group_leaves_the_verdict_to_that() -> None:
    member = job(pods=pod_spec("g"), parallelism=2)

    report = checked(gang("g", 2), member)

    assert [(v.object, v.minimum) for v in report.verdicts] == [("PodGroup g", 2)]


def test_the_same_finding_in_several_versions_is_told_once() -> None:
    one = only(checked(pod("a", colour="red"), version=ALL), "unknown-field")

    assert one.versions == ALL
    assert one.place == "stdin:11:3"


def cron_job() -> JsonObject:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly"},
        "spec": {"schedule": "@daily", "jobTemplate": {"spec": gang_job()["spec"]}},
    }


def test_jobs_of_cron_jobs_are_gangs_by_shape_but_not_by_asking() -> None:
    """In 1.37 whoever controls a Job looks after its group, and CronJobs do not."""
    report = checked(cron_job(), version=("1.36", "1.37"))

    by_shape, by_spec = report.verdicts
    assert (by_shape.gang, by_shape.minimum) == (True, 4)
    assert (by_spec.gang, by_spec.why) == (False, "needs no controller above it")
    assert found(report, "not-a-gang")[0].field == "spec.jobTemplate"


WORKLOAD = {"workloadName": "w", "templateName": "t"}


def composite(minimum: int, key: str) -> JsonObject:
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha3",
        "kind": "CompositePodGroup",
        "metadata": {"name": "all"},
        "spec": {
            "workloadRef": WORKLOAD,
            "schedulingPolicy": {"gang": {"minGroupCount": minimum}},
            "schedulingConstraints": {"topology": [{"key": key}]},
        },
    }


def test_a_composite_group_counts_its_child_groups() -> None:
    child = gang("g", 1, parentCompositePodGroupName="all", workloadRef=WORKLOAD)

    report = checked(composite(2, "block"), child, pod("a", "g"))

    assert verdict(report, "CompositePodGroup all").why == "at least 2 groups start together"
    assert only(report, "quorum-not-here").message == (
        "CompositePodGroup all: 1 of 2 child groups are among the inputs; missing 1"
    )
    assert "CompositePodGroup" in report.gates[0].gates


def test_domains_must_lie_within_those_of_the_group_above() -> None:
    child = gang(
        "g",
        1,
        parentCompositePodGroupName="all",
        workloadRef=WORKLOAD,
        schedulingConstraints={"topology": [{"key": "rack"}]},
    )
    nodes = [node(f"n{b}", {"rack": "r1", "block": b}) for b in ("b1", "b2")]

    one = only(checked(composite(1, "block"), child, *nodes), "topology-not-nested")

    assert one.message == (
        'PodGroup g: rack "r1" is in 2 domains of block (b1, b2), which count as one'
    )
