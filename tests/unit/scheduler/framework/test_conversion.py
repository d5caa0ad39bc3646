"""API objects as the scheduler sees them."""

from __future__ import annotations

import msgspec

from kubegang.api.core.types import Pod, PodCondition, PodSchedulingGroup
from kubegang.api.meta import Condition, decode
from kubegang.api.scheduling.types import PodGroup, PodGroupStatus
from kubegang.scheduler.framework.groupconversion import pod_group_info
from kubegang.scheduler.framework.nodes import NodeImage, Taint
from kubegang.scheduler.framework.podconversion import pod_info
from kubegang.scheduler.framework.pods import HostPort, PodGroupKey
from kubegang.scheduler.framework.terms import (
    NodeSelectorTerm,
    PreferredTerm,
    Requirement,
    Toleration,
)
from kubegang.testing.builders import make_budget, make_node, make_pod, make_podgroup


def test_a_pod_on_the_wire_becomes_what_decisions_read() -> None:
    pod = decode(
        {
            "metadata": {
                "name": "p", "namespace": "ns", "uid": "u1", "resourceVersion": "7",
                "labels": {"a": "b"}, "creationTimestamp": "1970-01-01T00:01:00Z",
                "deletionTimestamp": "1970-01-01T00:02:00Z",
            },
            "spec": {
                "schedulerName": "s", "priority": 5, "preemptionPolicy": "Never",
                "schedulingGroup": {"podGroupName": "g"},
                "schedulingGates": [{"name": "wait"}],
                "tolerations": [{"key": "k", "value": "v"}],
                "nodeSelector": {"z": "1", "a": "2"},
                "containers": [
                    {"name": "c", "image": "reg:5000/app", "ports": [
                        {"containerPort": 80, "hostPort": 8080}, {"containerPort": 81},
                    ]},
                ],
                "initContainers": [
                    {"name": "i", "image": "init:1", "ports": [{"hostPort": 1}]},
                ],
            },
            "status": {
                "phase": "Failed", "nominatedNodeName": "n9",
                "conditions": [
                    {"type": "PodScheduled", "status": "False", "reason": "r", "message": "m"}
                ],
            },
        },
        Pod,
    )  # fmt: skip
    info = pod_info(pod)
    assert (info.key, info.uid, info.resource_version) == ("ns/p", "u1", "7")
    assert (info.priority, info.preemption_policy, info.scheduler_name) == (5, "Never", "s")
    assert info.pod_group == PodGroupKey("ns", "g")
    assert info.scheduling_gates == ("wait",)
    assert info.tolerations == (Toleration("k", "Equal", "v", ""),)
    assert info.affinity.selector == (("a", "2"), ("z", "1"))
    assert info.host_ports == (HostPort("0.0.0.0", "TCP", 8080),)
    assert info.images == ("init:1", "reg:5000/app:latest")
    assert (info.terminating, info.finished, info.created) == (True, True, 60.0)
    assert info.nominated_node_name == "n9"
    assert info.condition == ("False", "r", "m")


def test_a_sidecar_takes_its_host_port() -> None:
    pod = make_pod().init(sidecar=True).obj()
    sidecar = pod.spec.init_containers[0]
    ports = decode(
        {"ports": [{"containerPort": 1, "hostPort": 9, "hostIP": "10.0.0.1"}]}, type(sidecar)
    ).ports
    spec = msgspec.structs.replace(
        pod.spec, init_containers=(msgspec.structs.replace(sidecar, ports=ports),)
    )
    info = pod_info(msgspec.structs.replace(pod, spec=spec))
    assert info.host_ports == (HostPort("10.0.0.1", "TCP", 9),)


def test_an_empty_group_reference_is_no_group() -> None:
    pod = make_pod().obj()
    spec = msgspec.structs.replace(pod.spec, scheduling_group=PodSchedulingGroup(None))
    assert pod_info(msgspec.structs.replace(pod, spec=spec)).pod_group is None


def test_terms_that_say_nothing_are_left_out() -> None:
    info = (
        make_pod()
        .requires()
        .requires(("a", "Exists", ()))
        .prefers(3)
        .prefers(0, ("a", "Exists", ()))
        .prefers(2, ("b", "In", ("c",)))
        .info()
    )
    assert info.affinity.required == (NodeSelectorTerm((Requirement("a", "Exists", ()),), ()),)
    assert info.affinity.preferred == (
        PreferredTerm(2, NodeSelectorTerm((Requirement("b", "In", ("c",)),), ())),
    )


def test_a_node_keeps_pods_apart_from_other_resources() -> None:
    info = (
        make_node("n")
        .capacity(cpu="2", memory="1Ki", gpu="3", pods="7")
        .taint("k", "NoExecute", value="v")
        .image("a:1", size_bytes=5)
        .cordoned()
        .info()
    )
    assert info.allowed_pods == 7
    assert info.allocatable == (("cpu", 2000), ("memory", 1024), ("nvidia.com/gpu", 3))
    assert info.taints == (Taint("k", "v", "NoExecute"),)
    assert info.images == (NodeImage("a:1", 5),)
    assert info.unschedulable


def test_a_status_heartbeat_changes_nothing_for_scheduling() -> None:
    node = make_node("n").info()
    assert node.same_for_scheduling(msgspec.structs.replace(node, resource_version="9"))
    assert not node.same_for_scheduling(msgspec.structs.replace(node, unschedulable=True))


def test_a_group_with_its_condition_of_this_release() -> None:
    group = (
        make_podgroup("g").gang(min_count=3).topology("rack").priority(9).disrupted_whole().obj()
    )
    conditions = (
        Condition("Other", "True"),
        Condition("PodGroupInitiallyScheduled", "False", reason="r", message="m"),
    )
    with_status = PodGroup(group.metadata, group.spec, PodGroupStatus(conditions))
    info = pod_group_info(with_status, condition_type="PodGroupInitiallyScheduled")
    assert (info.min_count, info.quorum, info.topology_key, info.priority) == (3, 3, "rack", 9)
    assert (info.disruption_mode, info.preemption_policy) == ("all", "PreemptLowerPriority")
    assert info.initially_scheduled == ("False", "r", "m")
    assert (
        pod_group_info(with_status, condition_type="PodGroupScheduled").initially_scheduled is None
    )


def test_a_basic_group_needs_one() -> None:
    info = make_podgroup("g").info()
    assert (info.min_count, info.quorum) == (None, 1)


def test_a_condition_of_another_type_is_not_the_scheduling_condition() -> None:
    pod = make_pod().obj()
    status = msgspec.structs.replace(pod.status, conditions=(PodCondition("Ready", "True"),))
    assert pod_info(msgspec.structs.replace(pod, status=status)).condition is None


def test_when_a_pod_started() -> None:
    assert (make_pod().info().started, make_pod().started(60).info().started) == (None, 60)


def test_a_victim_is_known_by_its_condition_once_it_terminates() -> None:
    victim = make_pod().preempted()
    assert victim.info().preempted
    assert not make_pod().terminating().info().preempted
    marked = msgspec.structs.replace(
        victim.obj(), metadata=msgspec.structs.replace(victim.metadata, deletion_timestamp=None)
    )
    assert not pod_info(marked).preempted, "it has been told, but not deleted"


def test_a_disruption_budget_as_preemption_reads_it() -> None:
    budget = make_budget("b").selecting(app="web").allowing(2).disrupted("p").info()
    assert (budget.namespace, budget.name, budget.disruptions_allowed) == ("default", "b", 2)
    assert budget.selector == (Requirement("app", "In", ("web",)),)
    assert budget.disrupted_pods == ("p",)
    assert make_budget().info().selector is None
