"""One group's cycle as kube-scheduler 1.36.3 runs it: who is bound, told and evicted (measured)."""

from __future__ import annotations

import pytest

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.cycle.decision import Decision, EvictPod, FailPod, SkipPod
from kubegang.testing.builders import make_node, make_pod, make_podgroup
from kubegang.testing.deciding import (
    DecidingCore,
    bindings,
    default_profile,
    failures,
    group_condition,
    nominations,
    victims,
)
from kubegang.testing.snapshotdumps import dump_snapshot

PROFILE = default_profile(version="1.36")
SINGLY = default_profile(version="1.36", feature_gates="WorkloadAwarePreemption=false")
"""Members preempt one by one."""
PLAIN = default_profile(
    version="1.36",
    feature_gates="WorkloadAwarePreemption=false,TopologyAwareWorkloadScheduling=false",
)

NODE = make_node("n1").capacity(cpu="2")
LARGE = make_node("n1").capacity(cpu="3")
MEMBER = make_pod("p").group("g").req(cpu="1").priority(100)
WEAK = make_pod("low").req(cpu="1").priority(10).on("n1")
GANG = make_podgroup("g").priority(100)

NO_PERMIT = (
    "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, "
    "one or more plugins asked to wait and no plugin rejected pod"
)
NO_ROOM = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: "
GROUP_PREEMPTS = f"{NO_ROOM}not eligible due to workload aware preemption enabled"
ONE_DOMAIN = f"{NO_ROOM}not eligible due to placement-based pod group scheduling limitation"
FIRST = "0/1 placements are available, first placement status: pod group is unschedulable"


def unschedulable(text: str) -> tuple[str, str, str]:
    """Return the group's condition with this text."""
    return ("False", "Unschedulable", text)


def test_a_gang_below_its_minimum_binds_nobody() -> None:
    core = DecidingCore(NODE, GANG.gang(min_count=3), MEMBER.times(3), profile=PROFILE)
    decision = core.decide_group()
    assert bindings(decision) == {}
    assert failures(decision) == {"p-0": NO_PERMIT, "p-1": NO_PERMIT, "p-2": GROUP_PREEMPTS}
    no_victims = "No preemption victims found for incoming preemptor"
    assert group_condition(decision) == unschedulable(f"{FIRST}, {no_victims}")
    assert decision.status == "unschedulable"


def test_only_refused_members_name_the_plugins_that_refused_them() -> None:
    core = DecidingCore(NODE, GANG.gang(min_count=3), MEMBER.times(3), profile=PROFILE)
    plugins = {i.pod.name: i.plugins for i in fails(core.decide_group())}
    assert plugins == {"p-0": (), "p-1": (), "p-2": ("NodeResourcesFit",)}


def test_a_gang_that_reaches_its_minimum_binds_all_that_fit() -> None:
    core = DecidingCore(NODE, GANG.gang(min_count=2), MEMBER.times(3), profile=PROFILE)
    decision = core.decide_group()
    assert bindings(decision) == {"p-0": "n1", "p-1": "n1"}
    assert failures(decision) == {"p-2": GROUP_PREEMPTS}
    assert group_condition(decision) == ("True", "Scheduled", "")
    assert decision.status == "partly-scheduled"


def test_scheduled_members_count_for_the_minimum() -> None:
    bound = MEMBER.named("bound").on("n1")
    core = DecidingCore(NODE, GANG.gang(min_count=2), bound, MEMBER, profile=PROFILE)
    assert bindings(core.decide_group()) == {"p": "n1"}


def test_a_member_that_does_not_fit_does_not_end_the_attempt() -> None:
    big = MEMBER.named("big").req(cpu="8")
    core = DecidingCore(NODE, GANG.gang(min_count=2), big, MEMBER.times(2), profile=PROFILE)
    assert bindings(core.decide_group()) == {"p-0": "n1", "p-1": "n1"}


def test_members_may_differ_in_priority() -> None:
    weaker = MEMBER.named("q").priority(7)
    core = DecidingCore(NODE, GANG.gang(min_count=2), MEMBER, weaker, profile=PROFILE)
    assert bindings(core.decide_group()) == {"p": "n1", "q": "n1"}


def test_a_basic_group_needs_one() -> None:
    core = DecidingCore(NODE, GANG, MEMBER.times(3), profile=PROFILE)
    decision = core.decide_group()
    assert len(bindings(decision)) == 2
    assert group_condition(decision) == ("True", "Scheduled", "")


def test_without_nodes_members_are_told_so() -> None:
    core = DecidingCore(GANG.gang(min_count=2), MEMBER.times(2), profile=PROFILE)
    decision = core.decide_group()
    assert set(failures(decision).values()) == {"no nodes available to schedule pods"}


def test_nodes_without_the_topology_key_are_no_placement() -> None:
    group = GANG.gang(min_count=1).topology("rack")
    decision = DecidingCore(NODE, group, MEMBER, profile=PROFILE).decide_group()
    text = (
        "no feasible placements found, workload aware preemption is not supported "
        "for pod groups with scheduling constraints"
    )
    assert failures(decision) == {"p": text}
    assert group_condition(decision) == unschedulable(text)


def test_a_group_with_a_topology_key_preempts_nobody() -> None:
    group = GANG.gang(min_count=2).topology("rack")
    core = DecidingCore(NODE.rack("r1"), WEAK, group, MEMBER.times(2), profile=PROFILE)
    decision = core.decide_group()
    assert victims(decision) == []
    assert failures(decision) == {"p-0": NO_PERMIT, "p-1": ONE_DOMAIN}
    not_supported = (
        "workload aware preemption is not supported for pod groups with scheduling constraints"
    )
    assert group_condition(decision) == unschedulable(f"{FIRST}, {not_supported}")


def test_the_domain_that_holds_the_gang_is_taken_whole() -> None:
    small, large = make_node("a").capacity(cpu="1").rack("r1"), make_node("b").rack("r2")
    group = GANG.gang(min_count=2).topology("rack")
    core = DecidingCore(small, large, group, MEMBER.times(2), profile=PROFILE)
    assert set(bindings(core.decide_group()).values()) == {"b"}


def test_members_in_two_domains_are_an_error() -> None:
    nodes = [make_node("n1").rack("r1"), make_node("n2").rack("r2")]
    bound = [MEMBER.named("a").on("n1"), MEMBER.named("b").on("n2")]
    group = GANG.gang(min_count=1).topology("rack")
    decision = DecidingCore(nodes, group, bound, MEMBER, profile=PROFILE).decide_group()
    text = (
        "cannot determine domain for already scheduled pods: "
        "more than 1 domain found for pod group: r1, r2"
    )
    assert [(i.reason, i.message) for i in fails(decision)] == [("SchedulerError", text)]
    assert group_condition(decision) == ("False", "SchedulerError", text)


def test_a_group_preempts_as_a_whole_and_promises_only_what_is_free() -> None:
    low = [WEAK.named("low1"), WEAK.named("low2")]
    core = DecidingCore(LARGE, low, GANG.gang(min_count=3), MEMBER.times(3), profile=PROFILE)
    decision = core.decide_group()
    assert sorted(victims(decision)) == ["low1", "low2"]
    assert {i.message.split(" ")[2] for i in evictions(decision)} == {"podgroup"}
    assert nominations(decision) == {"p-0": "n1"}
    assert failures(decision) == {"p-0": FIRST, "p-1": GROUP_PREEMPTS, "p-2": GROUP_PREEMPTS}
    assert group_condition(decision) == unschedulable(FIRST)


def test_a_group_for_which_no_eviction_makes_room_evicts_nobody() -> None:
    big = MEMBER.req(cpu="2")
    core = DecidingCore(LARGE, WEAK, GANG.gang(min_count=2), big.times(2), profile=PROFILE)
    decision = core.decide_group()
    assert victims(decision) == []
    assert group_condition(decision) == unschedulable(f"{FIRST}, {FIRST}")


def test_one_member_that_never_preempts_keeps_the_group_from_it() -> None:
    never = MEMBER.never_preempting().times(2)
    decision = DecidingCore(
        NODE, WEAK, GANG.gang(min_count=2), never, profile=PROFILE
    ).decide_group()
    assert victims(decision) == []
    text = f"{FIRST}, not eligible due to preemptionPolicy=Never."
    assert group_condition(decision) == unschedulable(text)


def test_with_the_gate_off_each_member_preempts_for_itself() -> None:
    low = [WEAK.named("low1"), WEAK.named("low2")]
    core = DecidingCore(LARGE, low, GANG.gang(min_count=3), MEMBER.times(3), profile=PLAIN)
    decision = core.decide_group()
    assert sorted(victims(decision)) == ["low1", "low2"]
    assert len({i.preemptor for i in evictions(decision)}) == 2
    assert nominations(decision) == {"p-0": "n1", "p-1": "n1", "p-2": "n1"}
    waits = "pod group is unschedulable, pod group is waiting for preemption to complete"
    node_text = "0/1 nodes are available: 1 Insufficient cpu."
    assert failures(decision) == {"p-0": waits, "p-1": node_text, "p-2": node_text}
    assert group_condition(decision) == unschedulable(waits)


@pytest.mark.parametrize("profile", [PLAIN, SINGLY])
def test_with_the_gate_off_pods_go_even_for_a_group_that_cannot_start(
    profile: SchedulerProfile,
) -> None:
    low = [WEAK.named("low1"), WEAK.named("low2")]
    core = DecidingCore(NODE, low, GANG.gang(min_count=3), MEMBER.times(3), profile=profile)
    decision = core.decide_group()
    assert sorted(victims(decision)) == ["low1", "low2"]
    assert nominations(decision) == {}
    nobody = f"{NO_ROOM}0/1 nodes are available: 1 Insufficient cpu."
    assert failures(decision) == {"p-0": NO_PERMIT, "p-1": NO_PERMIT, "p-2": nobody}


def test_a_victim_of_two_members_is_evicted_once() -> None:
    low = [WEAK.named(f"low{number}") for number in range(3)]
    core = DecidingCore(LARGE, low, GANG.gang(min_count=2), MEMBER.times(2), profile=SINGLY)
    found = victims(core.decide_group())
    assert len(found) == len(set(found)) == 2


def test_members_of_other_schedulers_are_an_error_of_each() -> None:
    other = MEMBER.named("q").scheduler("another")
    core = DecidingCore(NODE, GANG.gang(min_count=2), MEMBER, other, profile=PROFILE)
    decision = core.decide_group()
    text = (
        "all pods in a single pod group should have the same .spec.schedulerName set, "
        'got: "another" and "default-scheduler"'
    )
    assert failures(decision) == {"p": text, "q": text}
    assert group_condition(decision) is None


def test_a_group_whose_object_has_gone_is_an_error() -> None:
    decision = DecidingCore(NODE, MEMBER, profile=PROFILE).decide_group()
    missing = 'podgroup.scheduling.k8s.io "g" not found'
    assert [(i.reason, i.message) for i in fails(decision)] == [("SchedulerError", missing)]


def test_deleted_members_are_dropped_and_a_group_without_others_is_skipped() -> None:
    core = DecidingCore(NODE, GANG, MEMBER.terminating(), profile=PROFILE)
    decision = core.decide_group()
    assert decision.status == "skipped"
    assert [type(i) for i in decision.instructions] == [SkipPod]


def test_the_attempt_leaves_no_trace() -> None:
    low = [WEAK.named("low1"), WEAK.named("low2")]
    for profile in (PROFILE, PLAIN):
        core = DecidingCore(LARGE, low, GANG.gang(min_count=3), MEMBER.times(3), profile=profile)
        before = dump_snapshot(core.snapshot)
        core.decide_group()
        assert dump_snapshot(core.snapshot) == before


def test_plain_pods_preempt_without_looking_at_groups() -> None:
    whole = make_podgroup("victims").gang(min_count=1).priority(1000).disrupted_whole()
    held = [make_pod(f"v{n}").group("victims").req(cpu="1").priority(10).on("n1") for n in (1, 2)]
    strong = make_pod("s").req(cpu="1").priority(100)
    decision = DecidingCore(NODE, whole, held, strong, profile=PROFILE).decide_pod("s")
    assert len(victims(decision)) == 1
    assert failures(decision) == {"s": "0/1 nodes are available: 1 Insufficient cpu."}


def fails(decision: Decision) -> list[FailPod]:
    """Return a decision's failures."""
    return [i for i in decision.instructions if isinstance(i, FailPod)]


def evictions(decision: Decision) -> list[EvictPod]:
    """Return a decision's evictions."""
    return [i for i in decision.instructions if isinstance(i, EvictPod)]
