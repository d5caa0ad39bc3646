"""Preemption for a whole group: who must go anywhere in the cluster, and what is said."""

from __future__ import annotations

from kubegang.scheduler.cycle.decision import EvictPod
from kubegang.testing.builders import make_budget, make_cluster, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import (
    DecidingCore,
    bindings,
    default_profile,
    failures,
    group_condition,
    nominations,
    victims,
)

NODE = make_node("n").capacity(cpu="2")
GANG = make_podgroup("g").gang(min_count=2).priority(100)
MEMBER = make_pod("m").group("g").req(cpu="1").priority(100)
LOW = make_pod("low").req(cpu="1").priority(10)
CAUSE = "pod group is unschedulable"
TRIED = f"{CAUSE}, 0/1 placements are available, first placement status: "


def said(core: DecidingCore) -> str:
    """Return what stands in the group's condition after what the cycle itself found."""
    condition = group_condition(core.decide_group())
    assert condition is not None
    assert condition[:2] == ("False", "Unschedulable")
    return condition[2].partition("pod group preemption: ")[2]


def test_weaker_pods_anywhere_make_room_for_all_members() -> None:
    core = DecidingCore(
        NODE.times(2),
        LOW.named("a").on("n-0").times(2),
        LOW.on("n-1").times(2),
        GANG.gang(min_count=4),
        MEMBER.times(4),
    )
    decision = core.decide_group()
    assert sorted(victims(decision)) == ["a-0", "a-1", "low-0", "low-1"]
    assert sorted(nominations(decision).values()) == ["n-0", "n-0", "n-1", "n-1"]
    assert bindings(decision) == {}
    core.carry_out(decision)
    assert bindings(core.decide_group()) == nominations(decision)


def test_texts_while_room_is_made() -> None:
    core = DecidingCore(NODE, LOW.on("n").times(2), GANG, MEMBER.times(2))
    decision = core.decide_group()
    text = f"{TRIED}minCount (2) cannot be satisfied: 0 scheduled, 1 remaining"
    assert group_condition(decision) == (
        "False",
        "Unschedulable",
        f"{text}, pod group preemption: found a placement for podgroup, preempting 2 victims",
    )
    # Who was tried has its own reasons; who was not, the group's as they stood before.
    assert failures(decision) == {
        "m-0": "0/1 nodes are available: 1 Insufficient cpu.",
        "m-1": text,
    }
    evicted = [i for i in decision.instructions if isinstance(i, EvictPod)]
    assert {i.message for i in evicted} == {"Preempted by podgroup uid-g on node cluster"}
    assert {i.condition_message for i in evicted} == {
        "default-scheduler: preempting to accommodate a higher priority podgroup"
    }


def test_a_member_that_has_a_place_waits_with_the_group() -> None:
    core = DecidingCore(NODE, LOW.on("n"), GANG, MEMBER.times(2))
    decision = core.decide_group()
    condition = group_condition(decision)
    assert condition is not None
    assert failures(decision)["m-0"] == condition[2]
    assert nominations(decision) == {"m-0": "n", "m-1": "n"}


def test_the_weakest_go_and_nobody_more_than_needed() -> None:
    core = DecidingCore(
        NODE.capacity(cpu="3"),
        LOW.named("strong").priority(50).on("n"),
        LOW.on("n").times(2),
        GANG,
        MEMBER.times(2),
    )
    assert victims(core.decide_group()) == ["low-0", "low-1"]


def test_victims_go_where_the_members_were_placed() -> None:
    """A weaker pod elsewhere is spared: the places do not move any more (measured on 1.37.2)."""
    core = DecidingCore(
        NODE.named("a").label("disk", "ssd"),
        NODE.named("b"),
        LOW.named("strong").req(cpu="2").priority(50).on("a"),
        LOW.named("weak").req(cpu="2").priority(1).on("b"),
        GANG,
        MEMBER.prefers(100, ("disk", "Exists", ())).times(2),
    )
    assert victims(core.decide_group()) == ["strong"]


def test_a_group_that_is_disrupted_whole_goes_whole() -> None:
    core = DecidingCore(
        NODE.times(2),
        make_podgroup("v").priority(10).disrupted_whole(),
        LOW.group("v").on("n-0").times(2),
        LOW.named("far").group("v").on("n-1"),
        make_pod("x").req(cpu="1").priority(500).on("n-1"),
        GANG,
        MEMBER.times(2),
    )
    assert victims(core.decide_group()) == ["low-0", "low-1", "far"]


def test_of_a_group_disrupted_one_by_one_only_those_in_the_way_go() -> None:
    core = DecidingCore(
        NODE.capacity(cpu="3"),
        make_podgroup("v").gang(min_count=2).priority(10),
        LOW.group("v").on("n").times(3),
        GANG.gang(min_count=1),
        MEMBER.named("m"),
    )
    assert victims(core.decide_group()) == ["low-2"]


def test_plain_pods_go_before_groups_of_the_same_priority() -> None:
    core = DecidingCore(
        NODE,
        make_podgroup("v").priority(10).disrupted_whole(),
        LOW.named("member").group("v").on("n"),
        LOW.named("plain").on("n"),
        GANG.gang(min_count=1),
        MEMBER.named("m"),
    )
    assert victims(core.decide_group()) == ["plain"]


def test_a_budget_protects_a_pod_if_another_one_serves() -> None:
    core = DecidingCore(
        NODE,
        LOW.named("web").priority(1).label("app", "web").on("n"),
        LOW.on("n"),
        make_budget().selecting(app="web"),
        GANG.gang(min_count=1),
        MEMBER.named("m"),
    )
    assert victims(core.decide_group()) == ["low"]


def test_the_priority_of_the_group_decides() -> None:
    core = DecidingCore(
        NODE,
        make_podgroup("v").priority(100).disrupted_whole(),
        LOW.group("v").on("n").times(2),
        GANG,
        MEMBER.times(2),
    )
    assert victims(core.decide_group()) == []
    assert said(core) == "No preemption victims found for incoming preemptor"


def test_nobody_goes_if_that_does_not_help() -> None:
    core = DecidingCore(
        NODE, LOW.on("n"), LOW.named("x").priority(500).on("n"), GANG, MEMBER.times(2)
    )
    decision = core.decide_group()
    assert (victims(decision), nominations(decision)) == ([], {})
    # Recorded from 1.37.2, with what the plugin for claims has to say before.
    assert group_condition(decision) == (
        "False",
        "Unschedulable",
        f"{TRIED}minCount (2) cannot be satisfied: 0 scheduled, 1 remaining,"
        " deallocation and deletion of ResourceClaims completed,"
        f" pod group preemption: {TRIED}minCount (2) cannot be satisfied:"
        " 1 scheduled, 0 remaining",
    )


def test_a_group_that_must_not_preempt_waits() -> None:
    core = DecidingCore(
        NODE,
        LOW.on("n").times(2),
        GANG.never_preempting(),
        MEMBER.never_preempting().times(2),
    )
    assert victims(core.decide_group()) == []
    assert said(core) == "not eligible due to preemptionPolicy=Never."


def test_without_a_policy_of_the_group_the_members_decide() -> None:
    profile = default_profile(feature_gates="PodGroupPreemptionPolicy=false")
    core = DecidingCore(
        NODE, LOW.on("n").times(2), GANG, MEMBER.never_preempting().times(2), profile=profile
    )
    assert said(core) == "not eligible due to preemptionPolicy=Never."


def test_while_victims_are_leaving_nobody_else_is_chosen() -> None:
    promised = MEMBER.nominated("n-0").times(2)
    core = DecidingCore(
        NODE.times(2),
        LOW.on("n-0").preempted().times(2),
        LOW.named("other").priority(1).on("n-1").times(2),
        GANG,
        promised,
    )
    decision = core.decide_group()
    assert (victims(decision), nominations(decision)) == ([], {})
    assert said(core) == "ongoing preemption on nominated nodes"
    assert decision.room is not None
    assert decision.room.outcome == "Success"


def test_a_member_that_finds_room_meanwhile_keeps_its_promise() -> None:
    """As in scenario preemption-38: better room must not cost the promised one."""
    core = DecidingCore(
        NODE.named("free").capacity(cpu="1"),
        NODE.named("n-0").capacity(cpu="1"),
        LOW.on("n-0").preempted(),
        GANG,
        MEMBER.named("m-0").nominated("n-0"),
        MEMBER.named("m-1").nominated("n-0"),
    )
    assert nominations(core.decide_group()) == {}


def test_members_that_find_room_in_vain_lose_their_promise() -> None:
    core = DecidingCore(
        NODE.capacity(cpu="1"), GANG, MEMBER.named("m-0").nominated("n"), MEMBER.named("m-1")
    )
    assert nominations(core.decide_group()) == {"m-0": ""}


def test_what_is_promised_to_a_stronger_group_is_left_to_it() -> None:
    core = DecidingCore(
        NODE,
        make_podgroup("first").priority(200),
        make_pod("f").group("first").req(cpu="2").priority(200).nominated("n"),
        GANG.gang(min_count=1),
        MEMBER.named("m"),
    )
    assert failures(core.decide_group()) == {"m": "0/1 nodes are available: 1 Insufficient cpu."}


def test_what_is_promised_to_a_weaker_pod_may_be_taken() -> None:
    core = DecidingCore(
        NODE,
        make_pod("weaker").req(cpu="2").priority(50).nominated("n"),
        GANG,
        MEMBER.times(2),
    )
    assert bindings(core.decide_group()) == {"m-0": "n", "m-1": "n"}


def test_members_do_not_stand_in_their_own_way() -> None:
    """What is promised to the group's own members is theirs, whichever takes it."""
    core = DecidingCore(NODE, GANG, MEMBER.nominated("n").times(2))
    assert bindings(core.decide_group()) == {"m-0": "n", "m-1": "n"}


def test_a_member_above_the_minimum_that_fits_nowhere_costs_nobody_his_place() -> None:
    core = DecidingCore(
        NODE.times(2),
        LOW.req(cpu="2").on("n-0"),
        LOW.named("other").req(cpu="2").on("n-1"),
        GANG.gang(min_count=1),
        MEMBER.named("m-0").req(cpu="2"),
        MEMBER.named("m-1").req(cpu="8"),
    )
    decision = core.decide_group()
    assert len(victims(decision)) == 1
    assert set(nominations(decision)) == {"m-0"}


def test_a_rack_is_cleared_for_a_group_that_must_stay_in_one() -> None:
    core = DecidingCore(
        make_cluster(racks=2, nodes_per_rack=1, like=NODE),
        LOW.named("a").priority(500).on("r0-0"),
        LOW.named("b").on("r0-0"),
        LOW.named("c").on("r1-0").times(2),
        GANG.topology("rack"),
        MEMBER.times(2),
    )
    decision = core.decide_group()
    assert victims(decision) == ["c-0", "c-1"]
    assert set(nominations(decision).values()) == {"r1-0"}


def test_the_decision_says_what_is_being_done() -> None:
    core = DecidingCore(NODE, LOW.on("n").times(2), GANG, MEMBER.times(2))
    message = core.decide_group().diagnosis.message
    assert message.endswith("room is being made, 2 pods of lower priority must go")
