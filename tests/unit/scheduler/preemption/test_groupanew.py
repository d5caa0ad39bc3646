"""Room for a whole group as kube-scheduler 1.36.3 makes it: tried anew with every unit."""

from __future__ import annotations

from kubegang.testing.builders import make_budget, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore, default_profile, victims

PROFILE = default_profile(version="1.36")
NODE = make_node("n1").capacity(cpu="2")
MEMBER = make_pod("p").group("g").req(cpu="1").priority(100)
GANG = make_podgroup("g").gang(min_count=1).priority(100)
WEAK = make_pod("low").req(cpu="1").priority(10).on("n1")


def evicted(*objects: object) -> list[str]:
    """Return who goes for the group ``g``."""
    core = DecidingCore(profile=PROFILE)
    for entry in objects:
        core.add(entry)  # type: ignore[arg-type]
    return sorted(victims(core.decide_group()))


def test_the_weakest_goes_and_the_others_stay() -> None:
    assert evicted(NODE, WEAK, WEAK.named("lower").priority(5), GANG, MEMBER) == ["lower"]


def test_no_more_go_than_the_minimum_needs() -> None:
    low = [WEAK.named("low1"), WEAK.named("low2")]
    assert len(evicted(NODE, low, make_podgroup("g").priority(100), MEMBER.times(2))) == 1
    assert len(evicted(NODE, low, GANG.gang(min_count=2), MEMBER.times(2))) == 2


def test_members_may_go_elsewhere_to_spare_somebody() -> None:
    nodes = [make_node("n1").capacity(cpu="1"), make_node("n2").capacity(cpu="1")]
    strong = WEAK.named("strong").priority(50)
    weak = WEAK.named("weak").on("n2")
    for _ in range(4):
        assert evicted(nodes, strong, weak, GANG, MEMBER) == ["weak"]


def test_a_member_of_a_group_is_judged_by_its_own_priority() -> None:
    strong_group = make_podgroup("v").priority(1000)
    held = WEAK.group("v")
    assert evicted(NODE, strong_group, held, WEAK.named("q").priority(90), GANG, MEMBER) == ["low"]


def test_a_group_that_goes_as_a_whole_is_judged_by_its_priority() -> None:
    whole = make_podgroup("v").priority(1000).disrupted_whole()
    held = [WEAK.named("v1").group("v"), WEAK.named("v2").group("v")]
    assert evicted(NODE, whole, held, GANG, MEMBER) == []


def test_a_group_that_goes_as_a_whole_goes_from_all_nodes() -> None:
    nodes = [NODE, make_node("n2").capacity(cpu="1")]
    whole = make_podgroup("v").priority(10).disrupted_whole()
    held = [
        WEAK.named("v1").group("v"),
        WEAK.named("v2").group("v"),
        WEAK.named("v3").group("v").on("n2"),
    ]
    assert evicted(nodes, whole, held, GANG, MEMBER) == ["v1", "v2", "v3"]


def test_whom_a_budget_protects_is_spared_first() -> None:
    guarded = WEAK.named("guarded").label("app", "x")
    stronger = WEAK.named("stronger").priority(50)
    budget = make_budget().selecting(app="x")
    assert evicted(NODE, budget, guarded, stronger, GANG, MEMBER) == ["stronger"]


def test_equals_and_stronger_pods_are_never_evicted() -> None:
    equal = WEAK.named("equal").priority(100)
    assert evicted(NODE, equal, equal.named("above").priority(101), GANG, MEMBER) == []
