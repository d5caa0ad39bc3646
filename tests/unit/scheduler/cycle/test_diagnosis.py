"""Sentences for people: what was needed, what was found, what would help."""

from __future__ import annotations

import pytest

from kubegang.scheduler.cycle.shortfall import format_amount
from kubegang.testing.builders import PodBuilder, make_cluster, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore


@pytest.mark.parametrize(
    ("pod", "want"),
    [
        pytest.param(
            make_pod().req(cpu="2"),
            "pod p needs 2 cpu on one node; none of 3 nodes fits: 2 Insufficient cpu, 1 node(s)"
            " were unschedulable; b comes closest; it would fit with 500m more cpu (1500m free)",
            id="nearly",
        ),
        pytest.param(
            make_pod().req(cpu="8", memory="33Gi"),
            "pod p needs 8 cpu and 33Gi memory on one node; none of 3 nodes fits: 2 Insufficient"
            " cpu, 2 Insufficient memory, 1 node(s) were unschedulable; b comes closest but is too"
            " small (6500m more cpu (1500m free) and 1Gi more memory (32Gi free)); a larger node"
            " would help",
            id="too-small",
        ),
        pytest.param(
            make_pod().select("disk", "ssd"),
            "pod p needs a place on one node; none of 3 nodes fits: 2 node(s) didn't match Pod's"
            " node affinity/selector, 1 node(s) were unschedulable; a node that meets all of"
            " these, or a pod that asks for less of them, would help",
            id="no-candidate",
        ),
        pytest.param(
            make_pod().requires_name("In", "a", "b"),
            "pod p needs a place on one node; none of 3 nodes fits: 3 pod affinity terms conflict;"
            " a node that meets all of these, or a pod that asks for less of them, would help",
            id="contradiction",
        ),
    ],
)
def test_a_pod_without_a_node(pod: PodBuilder, want: str) -> None:
    core = DecidingCore(
        make_node("a"),
        make_node("b"),
        make_node("c").cordoned(),
        make_pod("x").req(cpu="3").on("a"),
        make_pod("y").req(cpu="2500m").on("b"),
        pod,
    )
    diagnosis = core.decide_pod().diagnosis
    assert diagnosis.message == want
    assert diagnosis.outcome == "unschedulable"
    assert diagnosis.pods[0].nodes == 3


def test_a_full_node_says_so() -> None:
    core = DecidingCore(
        make_node("n").capacity(pods="1"), make_pod("x").on("n"), make_pod().req(cpu="1")
    )
    assert core.decide_pod().diagnosis.message.endswith(
        "n comes closest; it would fit with 1 more pods (0 free)"
    )


def test_reasons_come_most_frequent_first() -> None:
    core = DecidingCore(
        make_node("a").cordoned(), make_node("b").taint("k"), make_node("c").taint("k"), make_pod()
    )
    reasons = core.decide_pod().diagnosis.pods[0].reasons
    assert [(r.nodes, r.reason) for r in reasons] == [
        (2, "node(s) had untolerated taint(s)"),
        (1, "node(s) were unschedulable"),
    ]


def test_a_group_one_pod_short_of_room() -> None:
    core = DecidingCore(
        make_node().capacity(gpu="1").times(2),
        make_podgroup("g").gang(min_count=3),
        make_pod("w").group("g").req(gpu="1").times(3),
    )
    diagnosis = core.decide_group().diagnosis
    assert diagnosis.message == (
        "needs 3 pods at once in the cluster; 2 find room; pod w-2 needs 1 nvidia.com/gpu on one"
        " node; none of 2 nodes fits: 2 Insufficient nvidia.com/gpu; n-0 comes closest; it would"
        " fit with 1 more nvidia.com/gpu (0 free)"
    )
    assert (diagnosis.quorum, diagnosis.scheduled) == (3, 0)
    assert [entry.pod.name for entry in diagnosis.pods] == ["w-2"]


def test_a_group_that_no_rack_holds() -> None:
    core = DecidingCore(
        make_cluster(racks=3, nodes_per_rack=1),
        make_podgroup("g").gang(min_count=2).topology("rack"),
        make_pod("w").group("g").req(cpu="3").times(2),
    )
    assert core.decide_group().diagnosis.message.startswith(
        'needs 2 pods at once in any of 3 domains of "rack"; 1 finds room; pod w-1 needs 3 cpu'
    )


def test_a_topology_key_that_no_node_has() -> None:
    core = DecidingCore(make_node(), make_podgroup("g").topology("rack"), make_pod("w").group("g"))
    assert core.decide_group().diagnosis.message == (
        'needs 1 pod in one domain of "rack", but no node has that label; label nodes with it'
    )


def test_a_group_that_starts_and_leaves_one_behind() -> None:
    core = DecidingCore(
        make_node(),
        make_podgroup("g").gang(min_count=1),
        make_pod("old").group("g").on("n"),
        make_pod("w").group("g").req(cpu="3").times(2),
    )
    diagnosis = core.decide_group().diagnosis
    assert diagnosis.message.startswith(
        "1 pod starts; 2 of at least 1 have a node; 1 more pod finds no room yet: pod w-1 needs"
    )
    assert (diagnosis.outcome, diagnosis.scheduled) == ("scheduled", 2)


@pytest.mark.parametrize(
    ("resource", "amount", "want"),
    [
        ("cpu", 2000, "2"),
        ("cpu", 1500, "1500m"),
        ("memory", 3 * 2**30, "3Gi"),
        ("memory", 1536 * 2**20, "1536Mi"),
        ("memory", 1025, "1025"),
        ("memory", 0, "0"),
        ("hugepages-2Mi", 2**21, "2Mi"),
        ("nvidia.com/gpu", 1024, "1024"),
    ],
)
def test_amounts_read_as_manifests_write_them(resource: str, amount: int, want: str) -> None:
    assert format_amount(resource, amount) == want
