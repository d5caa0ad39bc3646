"""Reusing the ranking of a pod for those that are just like it; reasons as measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from kubegang.scheduler.cycle.decision import Decision
from kubegang.scheduler.framework.pods import NodeName
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore, bindings, default_profile

LIST = {"PodTopologySpread": {"defaultingType": "List"}}
"""Without default constraints, which would leave no pod with a signature."""

BIG = make_pod("big").req(cpu="3", memory="1Gi")
SMALL = make_pod("small").req(cpu="500m", memory="1Gi")


def nodes(count: int, *, cpu: str = "4") -> Iterable[NodeBuilder]:
    return make_node().capacity(cpu=cpu, memory="32Gi", pods="110").times(count)


class Stream:
    """Pods that are decided about one after the other.

    Attributes:
        counted: what batching counted, by result, reason or ``rescored``.
        chosen: the node of each pod that got one.
    """

    def __init__(self, count: int, *, version: str = "1.37", gates: str = "") -> None:
        profile = default_profile(version=version, feature_gates=gates)
        self.core = DecidingCore(nodes(count), profile=profile, args=LIST)
        self.counted: Counter[str] = Counter()
        self.chosen: list[str] = []

    def add(self, *pods: PodBuilder) -> Stream:
        for pod in pods:
            named = pod.named(f"p{len(self.chosen)}-{len(self.core.waiting)}")
            self.core.add(named)
            self.note(self.core.decide_pod(named.metadata.name))
            self.core.waiting.pop(named.metadata.name, None)
        return self

    def note(self, decision: Decision) -> None:
        self.core.carry_out(decision)
        self.chosen += bindings(decision).values()
        if decision.batching is not None:
            report = decision.batching
            self.counted.update(report.attempts)
            self.counted.update(report.flushes)
            self.counted["rescored"] += report.rescored
            self.counted += Counter()


def test_pods_that_fill_their_nodes_get_one_ranking() -> None:
    stream = Stream(6).add(*[BIG] * 4)
    assert stream.counted == {"no_hint": 1, "hint_used": 3}
    assert len(set(stream.chosen)) == 4


def test_a_node_with_room_left_takes_part_again() -> None:
    stream = Stream(3).add(*[SMALL] * 9)
    assert stream.counted == {"no_hint": 1, "hint_used": 8, "rescored": 8}
    assert sorted(Counter(stream.chosen).values()) == [3, 3, 3]


@pytest.mark.parametrize("version", ["1.36", "1.35"])
def test_before_1_37_a_ranking_is_of_no_use_while_its_node_has_room(version: str) -> None:
    stream = Stream(3, version=version).add(*[SMALL] * 5)
    assert stream.counted == {"no_hint": 5, "node_not_full": 4}
    assert Stream(6, version=version).add(*[BIG] * 4).counted == {"no_hint": 1, "hint_used": 3}


def test_another_kind_of_pod_gets_no_hint() -> None:
    assert Stream(6).add(BIG, SMALL, BIG).counted == {"no_hint": 3, "pod_incompatible": 2}


def test_a_ranking_ends_with_its_nodes() -> None:
    assert Stream(3).add(*[BIG] * 5).counted == {"no_hint": 3, "hint_used": 2}


def test_a_pod_for_which_there_was_one_node_leaves_nothing() -> None:
    assert Stream(1).add(*[SMALL] * 2).counted == {"no_hint": 2, "empty_list": 2}


def test_a_pod_that_found_no_node_comes_between() -> None:
    huge = make_pod("huge").req(cpu="99")
    stream = Stream(6).add(BIG, BIG, huge, BIG, BIG)
    assert stream.counted == {
        "no_hint": 3,
        "hint_used": 2,
        "pod_incompatible": 1,
        "pod_skipped": 1,
    }


def test_a_ranking_is_good_for_half_a_second() -> None:
    stream = Stream(6).add(BIG)
    stream.core.now = 0.5
    assert stream.add(BIG).counted == {"no_hint": 1, "hint_used": 1}
    stream.core.now = 0.51
    assert stream.add(BIG).counted == {"no_hint": 2, "hint_used": 1, "expired": 1}


def test_a_node_that_is_gone_takes_the_ranking_with_it() -> None:
    stream = Stream(6).add(BIG)
    for pod in list(stream.core.snapshot.pods()):
        stream.core.builder.remove_pod(pod.uid)
    stream.core.builder.remove_node(stream.core.snapshot.nodes.names[0])
    stream.core.builder.remove_node(NodeName(stream.chosen[0]))
    assert stream.add(BIG).counted == {"no_hint": 2, "node_missing": 1}


def test_a_hint_that_does_not_pass_leads_to_a_search() -> None:
    stream = Stream(2).add(BIG)
    other = next(name for name in ("n-0", "n-1") if name != stream.chosen[0])
    stream.core.add(BIG.named("in-the-way").on(other), nodes(3))
    assert stream.add(BIG).counted == {"no_hint": 1, "hint_not_used": 1, "empty_list": 1}
    assert stream.chosen[1] == "n-2"


def test_a_promised_node_goes_before_the_ranking() -> None:
    stream = Stream(6).add(BIG, BIG.nominated("gone"), BIG)
    assert stream.counted == {"no_hint": 2, "hint_used": 1, "pod_nominated": 1}


def test_before_1_37_a_promise_uses_up_a_ranked_node() -> None:
    stream = Stream(6, version="1.36").add(BIG, BIG.nominated("gone"), BIG)
    assert stream.counted == {"no_hint": 1, "hint_not_used": 1, "hint_used": 1}


def test_default_constraints_leave_no_pod_with_a_signature() -> None:
    core = DecidingCore(nodes(4), BIG.named("p"))
    report = core.decide_pod("p").batching
    assert report is not None
    assert (report.attempts, report.flushes) == ({"no_hint": 1}, {"pod_not_batchable": 1})


def test_without_the_gate_nothing_is_kept() -> None:
    stream = Stream(6, gates="OpportunisticBatching=false").add(BIG, BIG)
    assert stream.core.batch is None
    assert not stream.counted


def test_members_of_a_group_use_each_others_ranking() -> None:
    stream = Stream(6)
    stream.core.add(make_podgroup("g").gang(min_count=4), BIG.group("g").times(4))
    stream.note(stream.core.decide_group("g"))
    assert stream.counted == {"no_hint": 1, "hint_used": 3}
    # A pod in the next cycle does too.
    assert stream.add(BIG).counted == {"no_hint": 1, "hint_used": 4}


def test_a_group_that_does_not_fit_counts_what_it_tried() -> None:
    stream = Stream(3)
    stream.core.add(make_podgroup("g").gang(min_count=3), BIG.group("g").times(6))
    stream.note(stream.core.decide_group("g"))
    assert stream.counted == {"no_hint": 4, "hint_used": 2}


def test_a_ranking_of_another_placement_is_not_used_up_silently() -> None:
    stream = Stream(0)
    racks = [node.label("rack", f"r{i // 3}") for i, node in enumerate(nodes(6))]
    group = make_podgroup("g").gang(min_count=3).topology("rack")
    stream.core.add(racks, group, SMALL.group("g").times(3))
    stream.note(stream.core.decide_group("g"))
    assert stream.counted == {"no_hint": 1, "hint_used": 4, "hint_not_used": 1, "rescored": 5}


def test_in_1_36_members_of_a_group_are_far_from_each_other() -> None:
    stream = Stream(6, version="1.36")
    stream.core.add(make_podgroup("g").gang(min_count=3), BIG.group("g").times(3))
    stream.note(stream.core.decide_group("g"))
    assert stream.counted == {"no_hint": 3, "pod_skipped": 2}
    assert stream.add(BIG).counted == {"no_hint": 3, "pod_skipped": 2, "hint_used": 1}
