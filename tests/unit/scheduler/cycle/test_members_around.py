"""Members of a group that care about each other: siblings placed before count (1.37.2)."""

from __future__ import annotations

from kubegang.testing.builders import PodGroupBuilder, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore, bindings, failures
from kubegang.testing.podterms import HOSTNAME, ZONE, evenly, pods_labelled, term

APP = pods_labelled(app="x")
MEMBER = make_pod("m").group("g").label("app", "x").req(cpu="1")
NODES = [
    make_node("a").zone("za").rack("r1"),
    make_node("b").zone("za").rack("r2"),
    make_node("c").zone("zb").rack("r3"),
]


def gang(min_count: int) -> PodGroupBuilder:
    return make_podgroup("g").gang(min_count=min_count)


def test_members_spread_over_zones() -> None:
    core = DecidingCore(NODES, gang(4), MEMBER.spread(evenly(APP, ZONE)).times(4))
    zones = {"a": "za", "b": "za", "c": "zb"}
    assert sorted(zones[node] for node in bindings(core.decide_group()).values()) == [
        "za",
        "za",
        "zb",
        "zb",
    ]


def test_members_keep_apart() -> None:
    core = DecidingCore(NODES, gang(3), MEMBER.apart(term(APP, HOSTNAME)).times(3))
    assert sorted(bindings(core.decide_group()).values()) == ["a", "b", "c"]


def test_one_member_too_many_to_keep_apart_starts_none() -> None:
    core = DecidingCore(NODES, gang(4), MEMBER.apart(term(APP, HOSTNAME)).times(4))
    decision = core.decide_group()
    assert bindings(decision) == {}
    text = "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."
    assert failures(decision)["m-3"] == text
    # Nothing is left behind by the siblings that were tried.
    assert core.snapshot.counts.picture() == {}


def test_members_gather_around_the_first() -> None:
    core = DecidingCore(NODES, gang(3), MEMBER.near(term(APP, "rack")).times(3))
    assert len(set(bindings(core.decide_group()).values())) == 1


def test_affinity_to_a_member_that_is_tried_later_fails() -> None:
    leader = make_pod("leader").group("g").label("role", "leader")
    worker = MEMBER.near(term(pods_labelled(role="leader"), ZONE))
    core = DecidingCore(NODES, gang(2), worker.named("w"), leader)
    assert bindings(core.decide_group()) == {}
    core = DecidingCore(NODES, gang(2), leader, worker.named("w"))
    assert len(bindings(core.decide_group())) == 2


def test_on_a_placement_the_whole_cluster_is_seen() -> None:
    """A target in another rack of the zone counts (measured on 1.37.2)."""
    target = make_pod("t").label("role", "target").on("a")
    near = MEMBER.near(term(pods_labelled(role="target"), ZONE))
    full = NODES[0].capacity(pods="1")
    core = DecidingCore(full, NODES[1:], target, gang(2).topology("rack"), near.times(2))
    assert set(bindings(core.decide_group()).values()) == {"b"}


def test_an_empty_zone_outside_the_placement_limits_the_skew() -> None:
    """The second member would get one ahead of the other zone (measured on 1.37.2)."""
    core = DecidingCore(NODES, gang(2).topology("rack"), MEMBER.spread(evenly(APP, ZONE)).times(2))
    decision = core.decide_group()
    assert bindings(decision) == {}
    text = "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints."
    assert text in failures(decision).values()
