"""What groups and their members are told: texts recorded from kube-scheduler 1.37.2."""

from __future__ import annotations

import pytest

from kubegang.scheduler.binder.outcome import group_result, queue_status
from kubegang.testing.builders import PodBuilder, make_cluster, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import (
    DecidingCore,
    bindings,
    default_profile,
    failures,
    group_condition,
)

CAUSE = "pod group is unschedulable"
NO_VICTIMS = "pod group preemption: No preemption victims found for incoming preemptor"
NOT_FOUND = 'error in "DynamicResources" PodGroupPostFilter plugins: not found'
NO_CLAIMS = "deallocation and deletion of ResourceClaims completed"
ONE_CPU = make_node().capacity(cpu="1")
MEMBER = make_pod("g").group("g").req(cpu="1")


def unsatisfied(minimum: int, scheduled: int, remaining: int) -> str:
    return f"minCount ({minimum}) cannot be satisfied: {scheduled} scheduled, {remaining} remaining"


def first_placement(status: str, *, placements: int = 1) -> str:
    return f"{CAUSE}, 0/{placements} placements are available, first placement status: {status}"


def test_a_gang_of_five_with_room_for_four() -> None:
    core = DecidingCore(ONE_CPU.times(4), make_podgroup("g").gang(min_count=5), MEMBER.times(5))
    decision = core.decide_group()
    text = f"{first_placement(unsatisfied(5, 4, 0))}, {NO_VICTIMS}"
    assert group_condition(decision) == ("False", "Unschedulable", text)
    fits = f"{CAUSE}, {text}"
    assert failures(decision) == {
        **{f"g-{i}": fits for i in range(4)},
        "g-4": "0/4 nodes are available: 4 Insufficient cpu.",
    }
    assert bindings(decision) == {}
    assert (decision.status, len(decision.unbound)) == ("unschedulable", 5)


def test_trying_ends_when_the_minimum_is_out_of_reach() -> None:
    core = DecidingCore(
        ONE_CPU.times(2), make_podgroup("g").gang(min_count=4), MEMBER.req(cpu="2").times(5)
    )
    decision = core.decide_group()
    text = first_placement(unsatisfied(4, 0, 3))
    assert group_condition(decision) == ("False", "Unschedulable", f"{text}, {NO_VICTIMS}")
    assert failures(decision) == {
        **{f"g-{i}": "0/2 nodes are available: 2 Insufficient cpu." for i in range(2)},
        # Those that were not tried have the text from before the post filters.
        **{f"g-{i}": text for i in range(2, 5)},
    }


def test_without_topology_placements_are_not_mentioned() -> None:
    profile = default_profile(
        feature_gates="TopologyAwareWorkloadScheduling=false,CompositePodGroup=false"
    )
    core = DecidingCore(
        ONE_CPU.times(2), make_podgroup("g").gang(min_count=3), MEMBER.times(3), profile=profile
    )
    condition = group_condition(core.decide_group())
    # Here the status stands without the cause, as no placement wraps it.
    assert condition == ("False", "Unschedulable", f"{unsatisfied(3, 2, 0)}, {NO_VICTIMS}")


def test_a_gang_that_fits() -> None:
    core = DecidingCore(ONE_CPU.times(4), make_podgroup("g").gang(min_count=4), MEMBER.times(4))
    decision = core.decide_group()
    assert group_condition(decision) == ("True", "Scheduled", "")
    assert sorted(bindings(decision).values()) == ["n-0", "n-1", "n-2", "n-3"]
    assert (decision.status, decision.unbound) == ("scheduled", ())


def test_a_member_beyond_the_minimum_is_left_over() -> None:
    core = DecidingCore(ONE_CPU.times(4), make_podgroup("g").gang(min_count=3), MEMBER.times(5))
    decision = core.decide_group()
    assert group_condition(decision) == ("True", "Scheduled", "")
    assert len(bindings(decision)) == 4
    assert failures(decision) == {"g-4": "0/4 nodes are available: 4 Insufficient cpu."}
    assert decision.status == "partly-scheduled"
    assert [pod.name for pod in decision.unbound] == ["g-4"]


def test_a_basic_group_of_which_nobody_fits() -> None:
    core = DecidingCore(ONE_CPU.times(2), make_podgroup("g"), MEMBER.req(cpu="2").times(2))
    decision = core.decide_group()
    text = f"{first_placement(unsatisfied(1, 0, 0))}, {NO_VICTIMS}"
    assert group_condition(decision) == ("False", "Unschedulable", text)
    assert set(failures(decision).values()) == {"0/2 nodes are available: 2 Insufficient cpu."}


def test_a_basic_group_of_which_the_second_fits() -> None:
    big = MEMBER.req(cpu="2").named("b0")
    core = DecidingCore(ONE_CPU, make_podgroup("g"), big, MEMBER.named("b1"))
    decision = core.decide_group()
    assert group_condition(decision) == ("True", "Scheduled", "")
    assert bindings(decision) == {"b1": "n"}
    assert failures(decision) == {"b0": "0/1 nodes are available: 1 Insufficient cpu."}


def test_left_over_members_of_a_running_group_fail_without_a_minimum() -> None:
    core = DecidingCore(
        ONE_CPU, make_podgroup("g"), MEMBER.named("old").on("n"), MEMBER.named("late")
    )
    decision = core.decide_group()
    assert group_condition(decision) == ("False", "Unschedulable", f"{CAUSE}, {NO_VICTIMS}")
    assert failures(decision) == {"late": "0/1 nodes are available: 1 Insufficient cpu."}


def test_members_that_have_a_node_count_for_the_minimum() -> None:
    core = DecidingCore(
        make_node(),
        make_podgroup("g").gang(min_count=3),
        [pod.on("n") for pod in MEMBER.named("old").times(2)],
        MEMBER.named("late"),
    )
    assert bindings(core.decide_group()) == {"late": "n"}


def test_racks_of_which_none_is_big_enough() -> None:
    core = DecidingCore(
        make_cluster(racks=2, nodes_per_rack=2, like=ONE_CPU),
        make_podgroup("g").gang(min_count=3).topology("rack"),
        MEMBER.times(3),
    )
    decision = core.decide_group()
    text = f"{first_placement(unsatisfied(3, 2, 0), placements=2)}, {NO_VICTIMS}"
    assert group_condition(decision) == ("False", "Unschedulable", text)
    assert failures(decision) == {
        "g-0": f"{CAUSE}, {text}",
        "g-1": f"{CAUSE}, {text}",
        "g-2": "0/2 nodes are available: 2 Insufficient cpu.",
    }


def test_a_topology_key_on_no_node() -> None:
    core = DecidingCore(
        ONE_CPU.times(2), make_podgroup("g").gang(min_count=2).topology("rack"), MEMBER.times(2)
    )
    decision = core.decide_group()
    want = f"no feasible placements found, {NO_VICTIMS}"
    assert group_condition(decision) == ("False", "Unschedulable", want)
    assert set(failures(decision).values()) == {"no feasible placements found"}


def test_a_group_pinned_to_two_domains() -> None:
    core = DecidingCore(
        make_node("n0").rack("a"),
        make_node("n1").rack("b"),
        make_podgroup("g").gang(min_count=2).topology("rack"),
        MEMBER.named("t0").on("n0"),
        MEMBER.named("t1").on("n1"),
        MEMBER.named("t2"),
    )
    decision = core.decide_group()
    text = (
        "cannot determine domain for already scheduled pods:"
        " more than 1 domain found for pod group: a, b"
    )
    assert group_condition(decision) == ("False", "SchedulerError", text)
    assert failures(decision) == {"t2": text}
    assert (group_result(decision), queue_status(decision)) == ("error", "error")


@pytest.mark.parametrize(
    "core",
    [
        pytest.param(
            DecidingCore(make_podgroup("g").gang(min_count=2), MEMBER.times(2)), id="no-node"
        ),
        pytest.param(
            DecidingCore(
                ONE_CPU.times(2),
                make_podgroup("g").gang(min_count=2),
                MEMBER.requires_name("In", "n-0", "n-1").times(2),
            ),
            id="every-member-refused-before-any-node",
        ),
        pytest.param(
            DecidingCore(ONE_CPU, make_podgroup("g").gang(min_count=3), MEMBER.times(2)),
            id="minimum-out-of-reach-at-once",
        ),
    ],
)
def test_the_true_reason_is_hidden_when_no_member_was_tried(core: DecidingCore) -> None:
    decision = core.decide_group()
    assert group_condition(decision) == ("False", "SchedulerError", NOT_FOUND)
    assert set(failures(decision).values()) == {NOT_FOUND}
    assert (group_result(decision), queue_status(decision)) == ("error", "unschedulable")


@pytest.mark.parametrize(
    ("topology", "want"),
    [
        pytest.param("", f"{unsatisfied(3, 2, 0)}, {NO_CLAIMS}", id="no-key"),
        pytest.param("kubernetes.io/hostname", unsatisfied(3, 1, 1), id="with-a-key"),
    ],
)
def test_a_group_that_never_preempts(topology: str, want: str) -> None:
    group = make_podgroup("g").gang(min_count=3).never_preempting()
    core = DecidingCore(
        ONE_CPU.times(2),
        group.topology(topology) if topology else group,
        MEMBER.never_preempting().times(3),
    )
    condition = group_condition(core.decide_group())
    assert condition is not None
    assert condition[2] == (
        f"{first_placement(want, placements=2 if topology else 1)},"
        " pod group preemption: not eligible due to preemptionPolicy=Never."
    )


def test_a_member_that_names_its_node() -> None:
    core = DecidingCore(
        ONE_CPU.times(3),
        make_podgroup("g").gang(min_count=2),
        MEMBER.requires_name("In", "n-1").times(2),
    )
    text = failures(core.decide_group())["g-1"]
    assert text == (
        "0/3 nodes are available:"
        " 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )


PRIORITY = "all pods in a single pod group should have the same priority"
POLICY = "all pods in a single pod group should have the same preemption policy"
SCHEDULER = "all pods in a single pod group should have the same .spec.schedulerName set"


@pytest.mark.parametrize(
    ("members", "gates", "want"),
    [
        pytest.param(
            [MEMBER.priority(1000)],
            "",
            f"{PRIORITY} as the pod group's priority, got 1000 and 0",
            id="priority",
        ),
        pytest.param(
            [MEMBER, MEMBER.named("old").priority(7).on("n-0")],
            "",
            f"{PRIORITY} as the pod group's priority, got 7 and 0",
            id="priority-of-a-member-with-a-node",
        ),
        pytest.param(
            [MEMBER.never_preempting()],
            "",
            f"{POLICY} as the pod group's preemption policy, got Never and PreemptLowerPriority",
            id="policy",
        ),
        pytest.param(
            [MEMBER, MEMBER.named("other").never_preempting()],
            "PodGroupPreemptionPolicy=false",
            f"{POLICY}, got Never and PreemptLowerPriority",
            id="policy-among-pods",
        ),
        pytest.param(
            [MEMBER.priority(5), MEMBER.named("other").scheduler("mine")],
            "",
            f"{PRIORITY} as the pod group's priority, got 5 and 0",
            id="the-first-pod-that-breaks-a-rule",
        ),
        pytest.param(
            [MEMBER, MEMBER.named("other").scheduler("mine")],
            "",
            f'{SCHEDULER}, got: "mine" and "default-scheduler"',
            id="scheduler-name",
        ),
    ],
)
def test_members_must_agree_with_their_group(
    members: list[PodBuilder], gates: str, want: str
) -> None:
    core = DecidingCore(
        ONE_CPU.times(2),
        make_podgroup("g"),
        members,
        profile=default_profile(feature_gates=gates),
    )
    decision = core.decide_group()
    assert group_condition(decision) == ("False", "SchedulerError", want)
    assert set(failures(decision).values()) == {want}
    assert decision.status == "error"


def test_a_group_whose_policy_counts_for_nothing_is_judged_by_its_pods() -> None:
    profile = default_profile(feature_gates="PodGroupPreemptionPolicy=false")
    core = DecidingCore(
        ONE_CPU,
        make_podgroup("g").gang(min_count=2),
        MEMBER.never_preempting().times(2),
        profile=profile,
    )
    condition = group_condition(core.decide_group())
    assert condition is not None
    assert condition[2].endswith("not eligible due to preemptionPolicy=Never.")
