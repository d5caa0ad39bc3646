"""What check says about situations that users of gang schedulers suffer from.

The inputs are small forms of what public issue threads tell; each test names its thread.
"""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.unit.tools.checking.manifests import (
    RACK,
    checked,
    deployment,
    found,
    gang,
    node,
    only,
    pod,
    pod_spec,
    pods_near,
    verdict,
)

VERSIONS = ("1.36", "1.37")
RACKS: dict[str, Any] = {"schedulingConstraints": {"topology": [{"key": RACK}]}}


def mpi_job(*, waits: bool) -> JsonObject:
    roles = {"Worker": 4, "Launcher": 1}
    spec: JsonObject = {
        "mpiReplicaSpecs": {
            role: {"replicas": number, "template": {"spec": pod_spec("g", cpu="1")}}
            for role, number in roles.items()
        }
    }
    if waits:
        spec["launcherCreationPolicy"] = "WaitForWorkersReady"
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": "m"},
        "spec": spec,
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_a_launcher_that_waits_for_workers_makes_the_quorum_unreachable(version: str) -> None:
    """mpi-operator#608."""
    group, patient = gang("g", 5, version=version), mpi_job(waits=True)

    one = only(checked(group, patient, version=version), "quorum-unreachable")

    assert one.message == (
        "PodGroup g: 4 of 5 members can exist; MPIJob m makes 4 at most (it waits for running "
        "pods before it makes the launcher); quorum can never be met; use min 4"
    )
    assert one.severity == "error"
    assert (one.field, one.line) == ("spec.schedulingPolicy.gang.minCount", 8)


@pytest.mark.parametrize(("minimum", "waits"), [(4, True), (5, False)])
def test_a_quorum_that_the_operator_creates_is_reachable(minimum: int, waits: bool) -> None:
    """mpi-operator#608, repaired in either way."""
    report = checked(gang("g", minimum), mpi_job(waits=waits))

    assert found(report, "quorum-unreachable") == []
    assert verdict(report, "PodGroup g").minimum == minimum


def test_members_of_an_operator_that_exist_already_count_by_what_it_makes() -> None:
    """mpi-operator#608, from a dump: the pods are there, the launcher is not."""
    owner = {"apiVersion": "v1", "kind": "MPIJob", "name": "m", "uid": "m", "controller": True}
    workers = [pod(f"w{i}", "g", cpu="1") for i in range(4)]
    for worker in workers:
        worker["metadata"]["ownerReferences"] = [owner]

    one = only(checked(gang("g", 5), mpi_job(waits=True), *workers), "quorum-unreachable")

    assert one.message.startswith("PodGroup g: 4 of 5 members can exist; MPIJob m makes 4 at most")


def test_whole_nodes_are_counted_not_sums_of_gpus() -> None:
    """kueue#1476: 22 GPUs are free, but only one whole node."""
    nodes = [node(f"n{i}", gpu="8") for i in (1, 2, 3)]
    held = [pod("a", nodeName="n1", gpu="1"), pod("b", nodeName="n2", gpu="1")]
    members = [pod("master", "g", gpu="8"), pod("worker", "g", gpu="8")]

    report = checked(*nodes, *held, gang("g", 2), *members)

    assert only(report, "does-not-fit").message == (
        "PodGroup g would wait on these nodes: needs 2 pods at once in the cluster; 1 finds "
        "room; pod worker needs 8 nvidia.com/gpu on one node; none of 3 nodes fits: 3 "
        "Insufficient nvidia.com/gpu; n1 comes closest; it would fit with 1 more "
        "nvidia.com/gpu (7 free)"
    )
    assert found(checked(*nodes, gang("g", 2), *members), "does-not-fit") == []


def rolling(surge: int, away: int) -> JsonObject:
    return {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": surge, "maxUnavailable": away},
    }


def test_a_surge_below_the_minimum_can_never_form_a_gang() -> None:
    """volcano#4739."""
    web = deployment("web", "g", replicas=2, strategy=rolling(1, 0))

    one = only(checked(gang("g", 2), web), "rollout-below-quorum")

    assert one.message == "PodGroup g: surge of 1 can never form a gang of 2: maxSurge ≥ 2"
    assert one.severity == "error"


@pytest.mark.parametrize("strategy", [rolling(2, 0), rolling(1, 1), {"type": "Recreate"}], ids=str)
def test_a_roll_out_that_makes_a_whole_gang_is_fine(strategy: JsonObject) -> None:
    """volcano#4739, repaired."""
    web = deployment("web", "g", replicas=2, strategy=strategy)

    assert found(checked(gang("g", 2), web), "rollout-below-quorum") == []


def test_sums_of_resources_are_no_minimum() -> None:
    """volcano#5075."""
    group: JsonObject = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "big"},
        "spec": {"minResources": {"cpu": "1000"}},
    }

    report = checked(group, node("n1", cpu="10"))

    assert only(report, "no-minimum").message == (
        "PodGroup big has no minMember: minResources has no counterpart in Kubernetes; set minCount"
    )
    assert report.fails("error")
    assert report.verdicts == ()


def test_empty_and_missing_topology_labels_are_told() -> None:
    """kubernetes#140308."""
    nodes = [node("n1", {RACK: ""}), node("n2", {RACK: "r1"}), node("n3")]

    report = checked(gang("g", 1, **RACKS), *nodes)

    assert only(report, "topology-label-missing").message == (
        f"PodGroup g: 1 node without the label {RACK} can never be used: n3"
    )
    assert only(report, "topology-label-empty").message == (
        f"PodGroup g: 1 node with an empty label {RACK} make a domain of their own: n1"
    )


def test_missing_members_are_counted() -> None:
    """kubernetes#141900."""
    report = checked(gang("g", 4), *[pod(f"p{i}", "g") for i in range(3)])

    assert only(report, "quorum-not-here").message == (
        "PodGroup g: 3 of 4 members are among the inputs; missing 1"
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_two_schedulers_for_one_group_are_found_before_submission(version: str) -> None:
    """kubernetes#139293."""
    other = pod("b", "g", schedulerName="kubegang")

    report = checked(gang("g", 2, version=version), pod("a", "g"), other, version=version)

    assert only(report, "mixed-scheduler-names").message == (
        'PodGroup g: pods of Pod b have schedulerName "kubegang", those of Pod a '
        '"default-scheduler"'
    )
    assert report.fails("error")


def test_a_mixed_group_is_told_what_is_not_promised() -> None:
    """KEP-4671: refused because of the order in which its pods were created."""
    pods = [pod(f"p{i}", "g", cpu=cpu) for i, cpu in enumerate("2213")]

    report = checked(gang("g", 4), *pods)

    assert [one.message for one in found(report, "heterogeneous")] == [
        "PodGroup g: pods of Pod p2 differ from those of Pod p0 in requests; a placement is not "
        "promised even if one exists"
    ]
    assert verdict(report, "PodGroup g").homogeneous is False


def test_affinity_to_the_own_leader_is_told() -> None:
    """KEP-4671: workers tried before the leader that they must be near to."""
    near = pods_near("role", "leader")
    workers = [pod(f"w{i}", "g", cpu="1", affinity=near) for i in (1, 2)]
    leader = pod("leader", "g", labels={"role": "leader"}, cpu="1")

    one = only(checked(gang("g", 3), *workers, leader), "dependency-inside")

    assert one.object == "Pod w1"
    assert one.message == (
        f"PodGroup g: required pod affinity over {RACK} counts pods of the group itself, so "
        "whether it fits depends on the order in which they are tried"
    )
