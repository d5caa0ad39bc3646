"""Preemption for one pod: who must go, on which node, and what is said."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.scheduler.cycle.decision import EvictPod
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.testing.builders import (
    PodBuilder,
    make_budget,
    make_node,
    make_pod,
    make_podgroup,
)
from kubegang.testing.deciding import (
    DecidingCore,
    bindings,
    failures,
    nominations,
    victims,
)

NODE = make_node("n").capacity(cpu="4")
LOW = make_pod("low").req(cpu="1").priority(10)
HIGH = make_pod("p").req(cpu="4").priority(100)


def said(core: DecidingCore) -> str:
    """Return what the pod is told after its own reasons."""
    return failures(core.decide_pod())["p"].partition(" preemption: ")[2]


def test_weaker_pods_make_room_and_the_node_is_promised() -> None:
    core = DecidingCore(NODE, LOW.on("n").times(4), HIGH)
    decision = core.decide_pod()
    assert victims(decision) == ["low-0", "low-1", "low-2", "low-3"]
    assert nominations(decision) == {"p": "n"}
    assert failures(decision) == {
        "p": "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential"
        " placement for pod on node n, preempting 4 victims"
    }
    core.carry_out(decision)
    assert bindings(core.decide_pod()) == {"p": "n"}


def test_victims_are_told_for_whom_they_go() -> None:
    core = DecidingCore(NODE, LOW.on("n").times(4), HIGH.req(cpu="1"))
    (evicted,) = [i for i in core.decide_pod().instructions if isinstance(i, EvictPod)]
    assert evicted.message == "Preempted by pod uid-p on node n"
    assert evicted.condition_message == (
        "default-scheduler: preempting to accommodate a higher priority pod"
    )


def test_whoever_can_stay_stays_the_strongest_first() -> None:
    core = DecidingCore(
        NODE,
        LOW.named("weak").req(cpu="2").priority(1).on("n"),
        LOW.named("strong").req(cpu="2").priority(50).on("n"),
        HIGH.req(cpu="2"),
    )
    assert victims(core.decide_pod()) == ["weak"]


def test_a_small_weak_pod_stays_if_its_going_would_not_help() -> None:
    core = DecidingCore(
        NODE,
        LOW.named("tiny").req(cpu="500m").priority(1).on("n"),
        LOW.named("big").req(cpu="3").priority(50).on("n"),
        HIGH.req(cpu="3"),
    )
    assert victims(core.decide_pod()) == ["big"]


def test_equal_priority_stays() -> None:
    core = DecidingCore(NODE, LOW.on("n").times(4), HIGH.priority(10))
    decision = core.decide_pod()
    assert victims(decision) == []
    assert said(core) == (
        "0/1 nodes are available: 1 No preemption victims found for incoming pod."
    )


def test_who_must_not_preempt_waits() -> None:
    core = DecidingCore(NODE, LOW.on("n").times(4), HIGH.never_preempting().nominated("n"))
    decision = core.decide_pod()
    assert (victims(decision), nominations(decision)) == ([], {})
    assert said(core) == "not eligible due to preemptionPolicy=Never."


def test_each_node_is_told_apart() -> None:
    """Recorded from kube-scheduler 1.37.2."""
    strong = LOW.priority(1000)
    core = DecidingCore(
        NODE.named("half"),
        NODE.named("small").capacity(cpu="1"),
        NODE.named("full"),
        NODE.named("tainted").taint("a", "NoSchedule"),
        LOW.on("half"),
        strong.named("s1").on("half"),
        strong.named("s2").req(cpu="4").on("full"),
        HIGH,
    )
    assert failures(core.decide_pod()) == {
        "p": "0/4 nodes are available: 1 node(s) had untolerated taint(s), 3 Insufficient cpu."
        " preemption: 0/4 nodes are available: 1 Insufficient cpu, 1 No preemption victims found"
        " for incoming pod, 2 Preemption is not helpful for scheduling."
    }


def test_who_waits_for_victims_does_not_look_for_more() -> None:
    core = DecidingCore(
        NODE.times(2),
        LOW.req(cpu="4").on("n-0").preempted(),
        LOW.named("other").req(cpu="4").on("n-1"),
        HIGH.nominated("n-0"),
    )
    decision = core.decide_pod()
    assert (victims(decision), nominations(decision)) == ([], {})
    assert said(core) == "not eligible due to a terminating pod on the nominated node."


@pytest.mark.parametrize(
    "leaving",
    [
        pytest.param(LOW.terminating(), id="deleted-by-somebody-else"),
        pytest.param(LOW.preempted().priority(100), id="not-weaker"),
    ],
)
def test_pods_that_go_for_another_reason_are_not_waited_for(leaving: PodBuilder) -> None:
    core = DecidingCore(
        NODE.times(2),
        leaving.req(cpu="4").on("n-0"),
        LOW.named("other").req(cpu="4").priority(1).on("n-1"),
        HIGH.nominated("n-0"),
    )
    assert said(core).startswith("found a potential placement")


def test_a_promised_node_that_is_out_of_the_question_is_given_up() -> None:
    core = DecidingCore(
        NODE.named("n-0").cordoned(),
        NODE.named("n-1"),
        LOW.req(cpu="4").on("n-0").preempted(),
        LOW.named("other").req(cpu="4").on("n-1"),
        HIGH.nominated("n-0"),
    )
    decision = core.decide_pod()
    assert (victims(decision), nominations(decision)) == (["other"], {"p": "n-1"})


def test_who_is_leaving_already_is_not_told_again() -> None:
    core = DecidingCore(
        NODE, LOW.named("a").req(cpu="2").on("n").preempted(), LOW.req(cpu="2").on("n"), HIGH
    )
    decision = core.decide_pod()
    assert victims(decision) == ["low"]
    assert said(core).endswith("preempting 2 victims")


def test_nobody_helps_and_an_old_promise_is_taken_back() -> None:
    core = DecidingCore(NODE, LOW.priority(100).on("n"), HIGH.nominated("n"))
    assert nominations(core.decide_pod()) == {"p": ""}


def test_weaker_pods_lose_the_promise_of_the_node() -> None:
    core = DecidingCore(
        NODE,
        LOW.on("n").times(4),
        make_pod("weaker").req(cpu="4").priority(50).nominated("n"),
        make_pod("equal").priority(100).nominated("n"),
        HIGH,
    )
    assert nominations(core.decide_pod()) == {"p": "n", "weaker": ""}


def test_nobody_loses_a_promise_if_all_victims_are_leaving_already() -> None:
    """As measured on kube-scheduler 1.37.2."""
    core = DecidingCore(
        NODE,
        LOW.req(cpu="4").on("n").preempted(),
        make_pod("weaker").req(cpu="4").priority(50).nominated("n"),
        HIGH,
    )
    assert nominations(core.decide_pod()) == {"p": "n"}


def test_who_is_promised_a_node_keeps_the_room_there() -> None:
    waiting = make_pod("first").req(cpu="4").priority(100).nominated("n")
    core = DecidingCore(NODE, LOW.req(cpu="4").on("n"), waiting, HIGH)
    decision = core.decide_pod()
    assert victims(decision) == []
    assert said(core) == "0/1 nodes are available: 1 Insufficient cpu."


# --- groups among the victims ---------------------------------------------------------------


def test_a_group_that_is_disrupted_whole_goes_on_every_node() -> None:
    core = DecidingCore(
        NODE.times(2),
        make_podgroup("g").gang(min_count=3).priority(10).disrupted_whole(),
        LOW.group("g").req(cpu="4").on("n-0"),
        LOW.named("far").group("g").on("n-1").times(2),
        HIGH.select("kubernetes.io/hostname", "n-0"),
    )
    core.builder.set_node(NODE.named("n-0").label("kubernetes.io/hostname", "n-0").info())
    assert victims(core.decide_pod()) == ["low", "far-0", "far-1"]


def test_a_group_of_higher_priority_protects_its_weak_member() -> None:
    core = DecidingCore(
        NODE, make_podgroup("g").priority(500), LOW.group("g").req(cpu="4").on("n"), HIGH
    )
    assert victims(core.decide_pod()) == []


# --- which node -----------------------------------------------------------------------------


def chosen(*running: PodBuilder, budgets: Any = ()) -> str:
    core = DecidingCore(NODE.named("a"), NODE.named("b"), running, budgets, HIGH)
    return nominations(core.decide_pod())["p"]


def test_the_node_with_fewer_broken_budgets_is_taken() -> None:
    web = LOW.label("app", "web").req(cpu="4").priority(1)
    node = chosen(
        web.named("w").on("a"),
        LOW.named("x").req(cpu="4").priority(50).on("b"),
        budgets=make_budget().selecting(app="web"),
    )
    assert node == "b"


def test_the_node_whose_strongest_victim_is_weakest_is_taken() -> None:
    node = chosen(
        LOW.named("x").req(cpu="4").priority(20).on("a"),
        *LOW.named("y").req(cpu="2").priority(15).on("b").times(2),
    )
    assert node == "b"


def test_the_node_with_the_lowest_sum_of_priorities_is_taken() -> None:
    node = chosen(
        LOW.named("x").req(cpu="2").priority(20).on("a"),
        LOW.named("y").req(cpu="2").priority(19).on("a"),
        LOW.named("z").req(cpu="2").priority(20).on("b"),
        LOW.named("w").req(cpu="2").priority(1).on("b"),
    )
    assert node == "b"


def test_more_victims_of_a_negative_priority_cost_more() -> None:
    node = chosen(
        *LOW.named("x").req(cpu="2").priority(-5).on("a").times(2),
        LOW.named("z").req(cpu="4").priority(-5).on("b"),
    )
    assert node == "b"


def test_the_node_whose_victims_started_last_is_taken() -> None:
    node = chosen(
        LOW.named("x").req(cpu="4").started(100).on("a"),
        LOW.named("z").req(cpu="4").started(200).on("b"),
    )
    assert node == "b"


def test_a_budget_is_broken_if_there_is_no_other_way() -> None:
    core = DecidingCore(
        NODE,
        LOW.label("app", "web").on("n").times(4),
        make_budget().selecting(app="web"),
        HIGH.req(cpu="2"),
    )
    decision = core.decide_pod()
    assert victims(decision) == ["low-2", "low-3"]
    assert decision.room is not None
    assert decision.room.budget_violations == 2


# --- how far is searched ----------------------------------------------------------------------


def test_only_so_many_candidates_are_compared() -> None:
    """The cheapest of all nodes lies beyond those that are looked at."""
    busy = [LOW.named(f"l{i}").req(cpu="4").priority(50).on(f"n-{i}") for i in range(20)]
    cheap = LOW.named("cheap").req(cpu="4").priority(1).on("n-20")
    args = {
        "DefaultPreemption": {"minCandidateNodesPercentage": 10, "minCandidateNodesAbsolute": 1}
    }
    found = set()
    for seed in range(12):
        core = DecidingCore(NODE.times(21), busy, cheap, HIGH, args=args, seed=seed)
        found.add(nominations(core.decide_pod())["p"])
    assert len(found) > 3, "chance says where the search begins"
    core = DecidingCore(NODE.times(21), busy, cheap, HIGH)
    assert nominations(core.decide_pod()) == {"p": "n-20"}, "all, by default"


def test_the_search_goes_on_until_somebody_breaks_no_budget() -> None:
    web = LOW.label("app", "web").req(cpu="4").priority(1)
    args = {"DefaultPreemption": {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 1}}
    for seed in range(6):
        core = DecidingCore(
            NODE.times(10),
            [web.named(f"w{i}").on(f"n-{i}") for i in range(9)],
            LOW.req(cpu="4").priority(90).on("n-9"),
            make_budget().selecting(app="web"),
            HIGH,
            args=args,
            seed=seed,
        )
        assert victims(core.decide_pod()) == ["low"]


@pytest.mark.parametrize(
    ("args", "want"),
    [
        pytest.param({"minCandidateNodesPercentage": 101}, "valid range", id="percentage"),
        pytest.param({"minCandidateNodesAbsolute": -1}, "valid range", id="absolute"),
        pytest.param(
            {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0},
            "cannot be zero at the same time",
            id="both-zero",
        ),
        pytest.param({"minCandidates": 5}, "unknown field", id="unknown"),
    ],
)
def test_arguments_that_cannot_be_used(args: dict[str, int], want: str) -> None:
    with pytest.raises(PluginConfigError, match=want):
        DecidingCore(args={"DefaultPreemption": args})
