"""Every rule of check applies where it should, and nowhere else."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.options import GateFlags
from kubegang.tools.checking.report import CheckReport
from kubegang.tools.checking.rules import RULES
from tests.unit.tools.checking.manifests import (
    RACK,
    ZONE,
    basic,
    checked,
    deployment,
    found,
    gang,
    gang_job,
    job,
    node,
    pod,
    pods_near,
    priority_class,
    shaped_job,
)

RACKS: dict[str, Any] = {"schedulingConstraints": {"topology": [{"key": RACK}]}}
VOLCANO: JsonObject = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "PodGroup",
    "metadata": {"name": "v"},
    "spec": {"minMember": 3},
}
SURGE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}}
SMALL_SURGE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
SPREAD = {
    "maxSkew": 1,
    "topologyKey": RACK,
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"app": "a"}},
}


class Case(NamedTuple):
    """A rule with objects to which it applies, and objects to which it does not.

    Attributes:
        broken: to which it applies.
        field: the path that the finding names.
        fine: to which it does not.
        gates: with which it applies; without, all gang gates are on.
    """

    rule: str
    broken: tuple[JsonObject, ...]
    field: str
    fine: tuple[JsonObject, ...]
    gates: GateFlags = GateFlags()
    version: str = "1.37"


def members(*names: str, group: str = "g") -> tuple[JsonObject, ...]:
    return tuple(pod(name, group) for name in names)


CASES = (
    Case(
        "kind-not-served",
        (gang("g", 1, version="1.36"),),
        "apiVersion",
        (gang("g", 1),),
    ),
    Case("unknown-field", (pod("a", colour="red"),), "spec.colour", (pod("a"),)),
    Case("wrong-type", (job(parallelism="four"),), "spec.parallelism", (job(parallelism=4),)),
    Case(
        "field-dropped",
        (gang("g", 1, **RACKS),),
        "spec.schedulingConstraints",
        (gang("g", 1),),
        GateFlags(apiserver="TopologyAwareWorkloadScheduling=false,CompositePodGroup=false"),
    ),
    Case(
        "field-refused",
        (gang("g", 0),),
        "spec.schedulingPolicy.gang.minCount",
        (gang("g", 1),),
    ),
    Case(
        "gate-missing",
        (gang_job(),),
        "",
        (job(),),
        GateFlags(controllers="WorkloadWithJob=false"),
    ),
    Case(
        "not-a-gang",
        (shaped_job(completionMode="NonIndexed"),),
        "spec.completionMode",
        (shaped_job(),),
        version="1.36",
    ),
    Case("group-not-found", members("a"), "spec.schedulingGroup", (gang("g", 1), *members("a"))),
    Case(
        "mixed-scheduler-names",
        (gang("g", 2), pod("a", "g"), pod("b", "g", schedulerName="kubegang")),
        "spec.schedulerName",
        (gang("g", 2), *members("a", "b"), pod("c", schedulerName="kubegang")),
    ),
    Case(
        "mixed-priorities",
        (priority_class("high", 7), gang("g", 1), pod("a", "g", priorityClassName="high")),
        "spec.priorityClassName",
        (
            priority_class("high", 7),
            gang("g", 1, priorityClassName="high"),
            pod("a", "g", priorityClassName="high"),
        ),
    ),
    Case(
        "heterogeneous",
        (gang("g", 2), pod("a", "g", cpu="1"), pod("b", "g", cpu="2")),
        "spec.containers",
        (gang("g", 2), pod("a", "g", cpu="2"), pod("b", "g", cpu="2000m")),
    ),
    Case(
        "dependency-inside",
        (gang("g", 1), pod("a", "g", labels={"app": "a"}, affinity=pods_near("app", "a"))),
        "spec.affinity.podAffinity",
        (gang("g", 1), pod("a", "g", labels={"app": "a"}, affinity=pods_near("app", "b"))),
    ),
    Case(
        "batching-off",
        (gang("g", 1), pod("a", "g", affinity=pods_near("app", "b"))),
        "spec.affinity",
        (pod("a", affinity=pods_near("app", "b")),),
    ),
    Case(
        "quorum-unreachable",
        (gang_job(minimum=4, parallelism=4, completions=2),),
        "spec.scheduling.schedulingPolicy",
        (gang_job(minimum=4),),
    ),
    Case(
        "quorum-not-here",
        (gang("g", 3), *members("a", "b")),
        "spec.schedulingPolicy.gang.minCount",
        (gang("g", 2), *members("a", "b")),
    ),
    Case(
        "rollout-below-quorum",
        (gang("g", 2), deployment("web", "g", replicas=2, strategy=SMALL_SURGE)),
        "spec.strategy.rollingUpdate.maxSurge",
        (gang("g", 2), deployment("web", "g", replicas=2, strategy=SURGE)),
    ),
    Case(
        "nobody-schedules",
        (pod("a", schedulerName="volcano"),),
        "spec.schedulerName",
        (pod("a", schedulerName="kubegang"),),
    ),
    Case(
        "topology-label-missing",
        (gang("g", 1, **RACKS), node("n1", {RACK: "a"}), node("n2")),
        "metadata.labels",
        (gang("g", 1, **RACKS), node("n1", {RACK: "a"})),
    ),
    Case(
        "topology-label-empty",
        (gang("g", 1, **RACKS), node("n1", {RACK: ""})),
        f"metadata.labels[{RACK}]",
        (gang("g", 1), node("n1", {RACK: ""})),
    ),
    Case(
        "topology-not-nested",
        (
            gang("g", 1, **RACKS),
            node("n1", {RACK: "a", ZONE: "z1"}),
            node("n2", {RACK: "a", ZONE: "z2"}),
        ),
        f"metadata.labels[{RACK}]",
        (
            gang("g", 1, **RACKS),
            node("n1", {RACK: "a", ZONE: "z1"}),
            node("n2", {RACK: "b", ZONE: "z2"}),
        ),
    ),
    Case("other-gang-scheduler", (VOLCANO,), "kind", (gang("g", 1),)),
    Case("no-minimum", ({**VOLCANO, "spec": {"queue": "q"}},), "spec", (VOLCANO,)),
    Case(
        "does-not-fit",
        (gang("g", 2), pod("a", "g", cpu="3"), pod("b", "g", cpu="3"), node("n1", cpu="4")),
        "spec.schedulingPolicy.gang.minCount",
        (gang("g", 2), pod("a", "g", cpu="2"), pod("b", "g", cpu="2"), node("n1", cpu="4")),
    ),
)


def report(case: Case, objects: tuple[JsonObject, ...]) -> CheckReport:
    return checked(*objects, version=case.version, gates=case.gates)


def test_every_rule_has_a_case() -> None:
    assert {case.rule for case in CASES} == set(RULES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_a_rule_applies_where_it_is_broken(case: Case) -> None:
    findings = found(report(case, case.broken), case.rule)

    assert [one.field for one in findings][:1] == [case.field]
    assert findings[0].severity == RULES[case.rule].severity
    assert findings[0].source == "stdin"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_a_rule_does_not_apply_where_it_is_kept(case: Case) -> None:
    assert found(report(case, case.fine), case.rule) == []


def test_a_basic_group_is_no_gang() -> None:
    (one,) = found(checked(basic("g"), pod("a", "g")), "not-a-gang")

    assert one.message == "PodGroup g is no gang in 1.37: its policy is basic"


def test_hard_spreading_over_siblings_is_a_dependency() -> None:
    spread = pod("a", "g", labels={"app": "a"}, topologySpreadConstraints=[SPREAD])

    (one,) = found(checked(gang("g", 1), spread), "dependency-inside")

    assert one.field == "spec.topologySpreadConstraints"
