"""One decision about a whole tree: who is bound, who is told what, who is evicted.

The texts of the ``default-scheduler`` profile are kube-scheduler 1.37.2's (measured).
"""

from __future__ import annotations

import msgspec
import pytest

from kubegang.scheduler.cycle.decision import EvictPod
from kubegang.testing.builders import (
    CompositePodGroupBuilder,
    PodBuilder,
    PodGroupBuilder,
    make_composite,
    make_node,
    make_pod,
    make_podgroup,
)
from kubegang.testing.deciding import (
    DecidingCore,
    bindings,
    default_profile,
    failures,
    group_conditions,
    nominations,
    victims,
)

AVAILABLE = "pod group is unschedulable, 0/1 placements are available, first placement status: "
NO_VICTIMS = ", pod group preemption: No preemption victims found for incoming preemptor"
SPEAKING = msgspec.structs.replace(default_profile(), speaking=True)


def gang(name: str, minimum: int, *, parent: str = "root", age: float = 0) -> PodGroupBuilder:
    return make_podgroup(name).gang(min_count=minimum).child_of(parent).created(10 - age)


def pods(group: str, count: int, *, cpu: str = "1") -> list[PodBuilder]:
    return [make_pod(f"{group}{n}").group(group).req(cpu=cpu) for n in range(count)]


def root(minimum: int) -> CompositePodGroupBuilder:
    return make_composite("root").gang(min_groups=minimum)


def test_a_tree_is_bound_as_a_whole() -> None:
    core = DecidingCore(
        make_node("n1").capacity(cpu="4"),
        root(2),
        gang("a", 2),
        gang("b", 2),
        pods("a", 2),
        pods("b", 2),
    )
    decision = core.decide_tree()
    assert bindings(decision) == {"a0": "n1", "a1": "n1", "b0": "n1", "b1": "n1"}
    assert group_conditions(decision) == {
        "a": ("True", "Scheduled", ""),
        "b": ("True", "Scheduled", ""),
    }


def test_a_tree_that_lacks_a_child_binds_nobody_and_tells_every_leaf() -> None:
    core = DecidingCore(
        make_node("n1").capacity(cpu="3"),
        root(2),
        gang("a", 2),
        gang("b", 2),
        pods("a", 2),
        pods("b", 2),
    )
    decision = core.decide_tree()
    text = f"{AVAILABLE}minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"
    assert bindings(decision) == {}
    # The first one fits; what it is told is the root's reason, shared with the root.
    assert group_conditions(decision) == {
        "a": ("False", "Unschedulable", text + NO_VICTIMS * 2),
        "b": ("False", "Unschedulable", text + NO_VICTIMS),
    }
    assert failures(decision) == {
        "a0": text,
        "a1": text,
        "b0": f"pod group is unschedulable, {text}{NO_VICTIMS}",
        "b1": "0/1 nodes are available: 1 Insufficient cpu.",
    }


def test_what_was_not_tried_any_more_shares_the_reason_of_the_one_above() -> None:
    core = DecidingCore(
        make_node("n1").capacity(cpu="3"),
        root(2),
        make_composite("one").gang(min_groups=2).child_of("root"),
        make_composite("two").child_of("root").created(20),
        gang("a", 2, parent="one"),
        gang("b", 2, parent="one"),
        gang("c", 1, parent="two"),
        pods("a", 2),
        pods("b", 2),
        pods("c", 1),
    )
    told = group_conditions(core.decide_tree())
    one = f"{AVAILABLE}minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"
    top = f"{AVAILABLE}minCount (2) cannot be satisfied: 0 scheduled, 1 remaining"
    assert told["a"] == ("False", "Unschedulable", one + NO_VICTIMS * 2)
    assert told["b"] == ("False", "Unschedulable", one + NO_VICTIMS)
    assert told["c"] == ("False", "Unschedulable", top + NO_VICTIMS * 3)


def test_a_child_that_fails_leaves_its_room_to_the_next() -> None:
    core = DecidingCore(
        make_node("n1").capacity(cpu="3"),
        root(1),
        gang("a", 2),
        gang("b", 1),
        pods("a", 2, cpu="2"),
        pods("b", 1, cpu="3"),
    )
    decision = core.decide_tree()
    assert bindings(decision) == {"b0": "n1"}
    assert decision.status == "partly-scheduled"
    assert group_conditions(decision)["a"][0] == "False"


def test_siblings_are_tried_in_the_order_of_their_creation() -> None:
    core = DecidingCore(
        make_node("n1").capacity(cpu="2"),
        root(1),
        gang("a", 2),
        gang("z", 2, age=1),
        pods("a", 2),
        pods("z", 2),
    )
    assert bindings(core.decide_tree()) == {"z0": "n1", "z1": "n1"}


def test_leaves_without_pods_count_and_are_told_too() -> None:
    core = DecidingCore(
        make_node("n1").capacity(cpu="3"),
        root(2),
        gang("a", 2, age=2),
        gang("b", 2, age=1),
        gang("empty", 1),
        pods("a", 2, cpu="9"),
        pods("b", 2),
    )
    decision = core.decide_tree()
    above = f"{AVAILABLE}minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"
    assert failures(decision)["b0"] == above
    assert group_conditions(decision)["empty"][2] == (
        f"{AVAILABLE}pod group is unschedulable{NO_VICTIMS}"
    )


def test_a_child_that_has_what_it_needs_counts_without_new_pods() -> None:
    core = DecidingCore(
        make_node("n1").capacity(cpu="3"),
        root(2),
        gang("a", 1),
        gang("b", 2),
        make_pod("a0").group("a").req(cpu="1").on("n1"),
        pods("b", 2),
    )
    assert bindings(core.decide_tree()) == {"b0": "n1", "b1": "n1"}


def test_leftovers_alone_do_not_make_an_attempt_a_success() -> None:
    core = DecidingCore(
        make_node("n1").capacity(cpu="3"),
        root(1),
        gang("a", 1),
        make_pod("a0").group("a").req(cpu="1").on("n1"),
        make_pod("a1").group("a").req(cpu="9"),
    )
    decision = core.decide_tree()
    assert failures(decision) == {"a1": "pod group is unschedulable"}
    assert group_conditions(decision)["a"][2] == f"pod group is unschedulable{NO_VICTIMS * 2}"


def test_a_tree_without_a_domain_tells_every_leaf_that_there_is_none() -> None:
    core = DecidingCore(
        make_node("n1"),
        root(1).topology("rack"),
        gang("a", 1),
        gang("b", 1),
        pods("a", 1),
        pods("b", 1),
    )
    decision = core.decide_tree()
    assert set(failures(decision).values()) == {"no feasible placements found"}
    assert {text for _, _, text in group_conditions(decision).values()} == {
        f"no feasible placements found{NO_VICTIMS * 3}"
    }


def test_children_get_their_domains_within_that_of_their_parent() -> None:
    core = DecidingCore(
        make_node("a1").rack("a1").label("zone", "a").capacity(cpu="3"),
        make_node("a2").rack("a2").label("zone", "a").capacity(cpu="5"),
        make_node("b1").rack("b1").label("zone", "b").capacity(cpu="5"),
        make_node("b2").rack("b2").label("zone", "b").capacity(cpu="5"),
        root(2).topology("zone"),
        gang("x", 5).topology("rack"),
        gang("y", 5).topology("rack"),
        pods("x", 5),
        pods("y", 5),
    )
    bound = bindings(core.decide_tree())
    racks = {name: {node for pod, node in bound.items() if pod[0] == name} for name in "xy"}
    assert sorted(map(tuple, racks.values())) == [("b1",), ("b2",)]


def test_what_is_broken_below_breaks_the_whole_tree() -> None:
    core = DecidingCore(
        make_node("n1").rack("r1"),
        make_node("n2").rack("r2"),
        root(1),
        make_composite("sub").child_of("root"),
        gang("a", 1).topology("rack").child_of("sub"),
        gang("b", 1),
        make_pod("a0").group("a").on("n1"),
        make_pod("a1").group("a").on("n2"),
        pods("b", 1),
        make_pod("a2").group("a"),
    )
    decision = core.decide_tree()
    child = "composite pod group evaluation failed due to child error: "
    problem = (
        f"{child}{child}cannot determine domain for already scheduled pods: "
        "more than 1 domain found for pod group: r1, r2"
    )
    assert failures(decision) == {"a2": problem, "b0": problem}
    assert set(group_conditions(decision).values()) == {("False", "SchedulerError", problem)}
    assert decision.status == "error"


def test_pods_must_have_the_priority_of_the_root() -> None:
    core = DecidingCore(
        make_node("n1"),
        root(1).priority(100),
        make_podgroup("a").priority(50).child_of("root"),
        make_podgroup("b").priority(100).child_of("root"),
        make_pod("a0").group("a").priority(50),
        make_pod("b0").group("b").priority(100),
    )
    decision = core.decide_tree()
    text = (
        "all pods in a single pod group should have the same priority as the pod group's "
        "priority, got 50 and 100"
    )
    assert failures(decision) == {"a0": text, "b0": text}
    assert group_conditions(decision) == dict.fromkeys(
        ("a", "b"), ("False", "SchedulerError", text)
    )


def impossible_child(*, speaking: bool) -> DecidingCore:
    """Return a cluster where only one of two children can ever run, after a preemption."""
    return DecidingCore(
        [make_node(name).capacity(cpu="2").label("host", name) for name in ("n1", "n2", "n3")],
        [make_pod(f"v{n}").req(cpu="2").on(f"n{n}").priority(10) for n in (1, 2, 3)],
        root(1).priority(100),
        make_podgroup("a").gang(min_count=1).child_of("root").priority(100),
        make_composite("sub").gang(min_groups=2).child_of("root").priority(100),
        make_podgroup("b").gang(min_count=1).child_of("sub").priority(100),
        make_podgroup("c").gang(min_count=2).child_of("sub").priority(100),
        make_pod("a0").group("a").req(cpu="2").priority(100).select("host", "n1"),
        make_pod("b0").group("b").req(cpu="2").priority(100).select("host", "n3"),
        [
            make_pod(f"c{n}").group("c").req(cpu="2").priority(100).select("host", "n2")
            for n in (0, 1)
        ],
        profile=SPEAKING if speaking else default_profile(),
    )


def test_upstream_evicts_for_children_that_cannot_run_as_well() -> None:
    decision = impossible_child(speaking=False).decide_tree()
    assert sorted(victims(decision)) == ["v1", "v2", "v3"]
    assert nominations(decision) == {"a0": "n1", "b0": "n3", "c0": "n2"}
    events = {i.message for i in decision.instructions if isinstance(i, EvictPod)}
    assert events == {"Preempted by compositepodgroup uid-root on node cluster"}


def test_who_speaks_evicts_only_for_children_that_will_run() -> None:
    decision = impossible_child(speaking=True).decide_tree()
    assert victims(decision) == ["v1"]
    assert nominations(decision) == {"a0": "n1"}


def test_who_speaks_tells_which_level_lacks_what() -> None:
    core = DecidingCore(
        make_node("n1").capacity(cpu="3"),
        root(2),
        gang("a", 2),
        gang("b", 2),
        pods("a", 2),
        pods("b", 2),
        profile=SPEAKING,
    )
    decision = core.decide_tree()
    pod = (
        "pod b1 needs 1 cpu on one node; none of 1 node fits: 1 Insufficient cpu; "
        "n1 comes closest; it would fit with 1 more cpu (0 free)"
    )
    below = f"needs 2 pods at once in the cluster; 1 finds room; {pod}"
    above = f"needs 2 child groups at once in the cluster; 1 finds room; PodGroup b {below}"
    assert decision.diagnosis.message == above
    told = group_conditions(decision)
    assert told["a"][2].startswith(f"CompositePodGroup root {above} (pod group is unschedulable, ")
    assert told["b"][2].startswith(f"{below} (pod group is unschedulable, ")


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_tree_of_one_is_decided_as_the_group_alone(name: str) -> None:
    nodes = [make_node(f"n{n}").capacity(cpu="2") for n in range(4)]
    members = pods(name, 5)
    alone = DecidingCore(nodes, make_podgroup(name).gang(min_count=3), members, seed=3)
    tree = DecidingCore(nodes, make_composite(), gang(name, 3), members, seed=3)
    assert bindings(alone.decide_group(name)) == bindings(tree.decide_tree())


def test_of_a_child_that_fails_those_that_would_fit_lose_their_promise() -> None:
    core = DecidingCore(
        make_node("n1").capacity(cpu="3"),
        root(1),
        gang("a", 2, age=1),
        gang("b", 3),
        pods("a", 2),
        [pod.nominated("n1") for pod in pods("b", 3)],
    )
    decision = core.decide_tree()
    assert bindings(decision) == {"a0": "n1", "a1": "n1"}
    assert nominations(decision) == {"b0": ""}


def test_upstream_spares_nobody_if_places_of_a_failed_child_were_taken_by_the_next() -> None:
    def core_of(*, speaking: bool) -> DecidingCore:
        return DecidingCore(
            make_node("n1").capacity(cpu="1"),
            make_node("n2").capacity(cpu="3"),
            make_pod("v1").req(cpu="1").priority(10).on("n1"),
            make_pod("v2").req(cpu="3").priority(10).on("n2"),
            root(1).priority(100),
            gang("a", 2, age=1).priority(100),
            gang("b", 1).priority(100),
            [pod.priority(100) for pod in pods("a", 2, cpu="2")],
            [pod.priority(100) for pod in pods("b", 1, cpu="2")],
            profile=SPEAKING if speaking else default_profile(),
        )

    assert sorted(victims(core_of(speaking=False).decide_tree())) == ["v1", "v2"]
    assert victims(core_of(speaking=True).decide_tree()) == ["v2"]
