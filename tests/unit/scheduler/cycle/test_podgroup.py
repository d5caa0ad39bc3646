"""One group's cycle beyond its texts: which members, which placement, and no traces."""

from __future__ import annotations

import msgspec

from kubegang.scheduler.cycle.decision import NominateNode, SkipPod
from kubegang.testing.builders import make_cluster, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import (
    DecidingCore,
    bindings,
    default_profile,
    failures,
    group_condition,
)
from kubegang.testing.snapshotdumps import dump_snapshot

ONE_CPU = make_node().capacity(cpu="1")
MEMBER = make_pod("g").group("g").req(cpu="1")
GANG = make_podgroup("g").gang(min_count=2)


def test_members_are_tried_in_order_without_looking_back() -> None:
    small = make_pod("small").group("g").req(cpu="1")
    big = make_pod("big").group("g").req(cpu="4", memory="32Gi")
    nodes = [make_node("large"), make_node("tiny").capacity(cpu="1", memory="1Gi")]
    core = DecidingCore(nodes, GANG, big, small)
    assert bindings(core.decide_group()) == {"big": "large", "small": "tiny"}
    # The small one takes the emptier, large node; 1.37 does not try another order.
    core = DecidingCore(nodes, GANG, small, big)
    assert bindings(core.decide_group()) == {}


def test_a_member_that_is_deleted_or_has_a_node_is_dropped() -> None:
    core = DecidingCore(ONE_CPU.times(4), GANG, MEMBER.times(2), MEMBER.named("gone").terminating())
    decision = core.decide_group()
    assert SkipPod(core.waiting["gone"], "skip schedule deleting pod: default/gone") in (
        decision.instructions
    )
    assert len(bindings(decision)) == 2
    assert "gone" not in [pod.name for pod in decision.unbound]


def test_a_group_without_anybody_left_is_skipped() -> None:
    core = DecidingCore(ONE_CPU, GANG, MEMBER.terminating())
    decision = core.decide_group()
    assert decision.status == "skipped"
    assert [type(i) for i in decision.instructions] == [SkipPod]


def test_a_deleted_member_counts_for_nobody() -> None:
    core = DecidingCore(ONE_CPU.times(4), GANG, MEMBER, MEMBER.named("gone").terminating())
    decision = core.decide_group()
    assert bindings(decision) == {}
    assert decision.status == "error", "the minimum is out of reach at once"


def test_a_group_whose_object_has_gone_waits() -> None:
    core = DecidingCore(ONE_CPU, MEMBER)
    decision = core.decide_group()
    assert failures(decision) == {"g": "pod group object not found for pod group default/g"}
    assert group_condition(decision) is None


def test_a_terminating_group_still_schedules() -> None:
    core = DecidingCore(ONE_CPU.times(2), GANG.terminating(), MEMBER.times(2))
    assert len(bindings(core.decide_group())) == 2


def test_the_fuller_rack_wins_among_those_that_hold_the_group() -> None:
    busy = [pod.req(cpu="1").on(f"r1-{i}") for i, pod in enumerate(make_pod("x").times(2))]
    core = DecidingCore(
        make_cluster(racks=3, nodes_per_rack=4, like=ONE_CPU),
        GANG.topology("rack"),
        busy,
        MEMBER.times(2),
    )
    assert set(bindings(core.decide_group()).values()) == {"r1-2", "r1-3"}


def test_the_rack_that_holds_more_wins_if_equally_full() -> None:
    core = DecidingCore(
        make_cluster(racks=1, nodes_per_rack=2, like=ONE_CPU),
        [node.rack("big").named(f"big-{i}") for i, node in enumerate(ONE_CPU.times(3))],
        GANG.topology("rack"),
        MEMBER.times(3),
    )
    decision = core.decide_group()
    assert {node[:3] for node in bindings(decision).values()} == {"big"}


def test_a_rack_is_chosen_whole() -> None:
    core = DecidingCore(
        make_cluster(racks=4, nodes_per_rack=3, like=ONE_CPU),
        make_podgroup("g").gang(min_count=3).topology("rack"),
        MEMBER.times(3),
    )
    drawn = set()
    for _ in range(30):
        racks = {node[:2] for node in bindings(core.decide_group()).values()}
        assert len(racks) == 1
        drawn |= racks
    assert len(drawn) > 1, "equal racks have equal chances"


def test_leftovers_of_the_chosen_rack_say_what_it_lacks() -> None:
    core = DecidingCore(
        make_cluster(racks=1, nodes_per_rack=2, like=ONE_CPU),
        [node.rack("big").named(f"big-{i}") for i, node in enumerate(ONE_CPU.times(3))],
        GANG.topology("rack"),
        MEMBER.times(4),
    )
    decision = core.decide_group()
    assert failures(decision) == {"g-3": "0/3 nodes are available: 3 Insufficient cpu."}


def test_promises_are_cleared_for_members_that_would_fit() -> None:
    core = DecidingCore(
        ONE_CPU,
        GANG,
        MEMBER.named("fits").nominated("n"),
        MEMBER.named("does-not").nominated("n"),
    )
    cleared = [i for i in core.decide_group().instructions if isinstance(i, NominateNode)]
    assert [(i.pod.name, i.node) for i in cleared] == [("fits", "")]


def test_nothing_is_left_in_the_snapshot() -> None:
    core = DecidingCore(
        make_cluster(racks=2, nodes_per_rack=2, like=ONE_CPU),
        GANG.topology("rack"),
        MEMBER.times(2),
        make_pod("there").req(cpu="500m").on("r0-0"),
    )
    before = dump_snapshot(core.snapshot)
    assert core.decide_group().status == "scheduled"
    assert dump_snapshot(core.snapshot) == before


def test_a_profile_that_speaks_gives_the_reason_that_upstream_hides() -> None:
    profile = msgspec.structs.replace(default_profile(), speaking=True)
    core = DecidingCore(GANG, MEMBER.times(2), profile=profile)
    decision = core.decide_group()
    want = (
        "needs 2 pods at once in the cluster; 0 find room; pod g-0 needs 1 cpu,"
        " but there is no node to run on; add one"
    )
    upstream = (
        "pod group is unschedulable, 0/1 placements are available, first placement status: "
        "minCount (2) cannot be satisfied: 0 scheduled, 1 remaining"
    )
    assert group_condition(decision) == ("False", "Unschedulable", f"{want} ({upstream})")
    assert decision.diagnosis.message == want


def test_members_that_fail_alike_are_told_alike_each_by_its_name() -> None:
    core = DecidingCore(
        ONE_CPU.times(2),
        make_podgroup("g"),
        MEMBER.req(cpu="2").times(3),
        MEMBER.named("other").req(cpu="3"),
    )
    decision = core.decide_group()
    assert set(failures(decision).values()) == {"0/2 nodes are available: 2 Insufficient cpu."}
    said = [entry.message.split(" on one node")[0] for entry in decision.diagnosis.pods]
    assert said == [
        "pod g-0 needs 2 cpu",
        "pod g-1 needs 2 cpu",
        "pod g-2 needs 2 cpu",
        "pod other needs 3 cpu",
    ]
