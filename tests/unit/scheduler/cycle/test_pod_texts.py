"""What an ordinary pod is told: texts recorded from kube-scheduler 1.37.2."""

from __future__ import annotations

import pytest

from kubegang.scheduler.cycle.decision import FailPod
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore, failures

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
NO_MATCH = "node(s) didn't match Pod's node affinity/selector"

FOUR = make_node().times(4)
FULL = [pod.req(cpu="3").on(f"n-{i}") for i, pod in enumerate(make_pod("f").times(4))]
MIXED = [
    make_node("n0").cordoned(),
    make_node("n1").taint("k", value="v"),
    make_node("n2").taint("k2", "NoExecute").taint("k3"),
    make_node("n3").capacity(cpu="1").label("disk", "ssd"),
    make_node("n4").capacity(pods="0"),
]


def told(pod: PodBuilder, *objects: NodeBuilder | PodBuilder) -> str:
    return failures(DecidingCore(*objects, pod.named("p")).decide_pod())["p"]


def test_without_any_node_there_is_little_to_say() -> None:
    assert told(make_pod()) == "no nodes available to schedule pods"


@pytest.mark.parametrize(
    ("pod", "want"),
    [
        pytest.param(make_pod().req(cpu="5"), "4 Insufficient cpu", id="cpu"),
        pytest.param(make_pod().req(cpu="1", memory="64Gi"), "4 Insufficient memory", id="memory"),
        pytest.param(make_pod().req(gpu="1"), "4 Insufficient nvidia.com/gpu", id="extended"),
        pytest.param(make_pod().select("x", "y"), f"4 {NO_MATCH}", id="selector"),
        pytest.param(
            make_pod().requires_name("In", "nope"),
            "4 node(s) didn't satisfy plugin(s) [NodeAffinity]",
            id="name-of-no-node",
        ),
    ],
)
def test_what_no_eviction_cures(pod: PodBuilder, want: str) -> None:
    assert told(pod, *FOUR) == (
        f"0/4 nodes are available: {want}. preemption: 0/4 nodes are available: 4 {NOT_HELPFUL}."
    )


@pytest.mark.parametrize(
    ("pod", "want", "want_preemption"),
    [
        pytest.param(
            make_pod().req(cpu="2"), "4 Insufficient cpu", f"4 {NO_VICTIMS}", id="cpu-taken"
        ),
        pytest.param(
            make_pod().req(cpu="2", memory="40Gi"),
            "4 Insufficient cpu, 4 Insufficient memory",
            f"4 {NOT_HELPFUL}",
            id="cpu-taken-and-memory-too-small",
        ),
        pytest.param(
            make_pod().req(cpu="2").select("kubernetes.io/hostname", "n-1"),
            f"1 Insufficient cpu, 3 {NO_MATCH}",
            f"1 {NO_VICTIMS}, 3 {NOT_HELPFUL}",
            id="one-node-selected",
        ),
        pytest.param(
            make_pod().req(cpu="2").requires_name("In", "n-2"),
            "1 Insufficient cpu, 3 node(s) didn't satisfy plugin(s) [NodeAffinity]",
            f"1 {NO_VICTIMS}, 3 {NOT_HELPFUL}",
            id="one-node-named",
        ),
    ],
)
def test_what_evictions_might_have_cured(pod: PodBuilder, want: str, want_preemption: str) -> None:
    assert told(pod, *FOUR, *FULL) == (
        f"0/4 nodes are available: {want}. preemption: 0/4 nodes are available: {want_preemption}."
    )


def test_who_never_preempts_is_not_eligible() -> None:
    assert told(make_pod().req(cpu="2").never_preempting(), *FOUR, *FULL) == (
        "0/4 nodes are available: 4 Insufficient cpu."
        " preemption: not eligible due to preemptionPolicy=Never."
    )


def test_names_that_contradict_each_other() -> None:
    pod = make_pod().requires_name("In", "n-1", "n-2")
    assert told(pod, *FOUR) == "0/4 nodes are available: pod affinity terms conflict. not found"


@pytest.mark.parametrize(
    ("pod", "want", "want_preemption"),
    [
        pytest.param(
            make_pod().req(cpu="2"),
            "1 Insufficient cpu, 1 Too many pods, 1 node(s) were unschedulable,"
            " 2 node(s) had untolerated taint(s)",
            f"1 {NO_VICTIMS}, 4 {NOT_HELPFUL}",
            id="five-nodes-four-reasons",
        ),
        pytest.param(
            make_pod().req(cpu="2").select("disk", "ssd"),
            f"1 Insufficient cpu, 1 {NO_MATCH}, 1 node(s) were unschedulable,"
            " 2 node(s) had untolerated taint(s)",
            f"5 {NOT_HELPFUL}",
            id="with-a-selector",
        ),
    ],
)
def test_mixed_reasons(pod: PodBuilder, want: str, want_preemption: str) -> None:
    assert told(pod, *MIXED) == (
        f"0/5 nodes are available: {want}. preemption: 0/5 nodes are available: {want_preemption}."
    )


def test_ports() -> None:
    nodes = [make_node("n-0").cordoned(), make_node("n-1")]
    pods = [pod.port(8080).on(f"n-{i}") for i, pod in enumerate(make_pod("e").times(2))]
    assert told(make_pod().port(8080), *nodes, *pods) == (
        "0/2 nodes are available: 1 node(s) didn't have free ports for the requested pod ports,"
        " 1 node(s) were unschedulable. preemption: 0/2 nodes are available:"
        f" 1 {NO_VICTIMS}, 1 {NOT_HELPFUL}."
    )


def test_the_queue_learns_whose_refusals_they_were() -> None:
    core = DecidingCore(*MIXED, make_pod().req(cpu="2").requires_name("NotIn", "n3"))
    (failed,) = core.decide_pod().instructions
    assert isinstance(failed, FailPod)
    assert failed.plugins == (
        "NodeAffinity",
        "NodeResourcesFit",
        "NodeUnschedulable",
        "TaintToleration",
    )
