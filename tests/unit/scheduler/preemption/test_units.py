"""What preemption takes whole, and what matters more."""

from __future__ import annotations

from kubegang.scheduler.preemption.units import VictimUnit, by_importance, find_units
from kubegang.testing.builders import PodBuilder, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore

LOW = make_pod("low").req(cpu="1").priority(10)
MEMBER = make_pod("m").group("g").priority(10)


def units_of(core: DecidingCore, *, below: int = 100, by_group: bool = True) -> list[VictimUnit]:
    rows = range(core.snapshot.nodes.size)
    return find_units(core.snapshot, rows, below=below, by_group=by_group)


def names(units: list[VictimUnit]) -> list[list[str]]:
    return [[pod.name for pod in unit.pods] for unit in units]


def test_each_pod_is_a_unit_of_its_own() -> None:
    core = DecidingCore(make_node().times(2), LOW.on("n-1").times(2), LOW.named("x").on("n-0"))
    assert names(units_of(core)) == [["x"], ["low-0"], ["low-1"]]


def test_equal_priority_is_never_a_victim() -> None:
    core = DecidingCore(make_node(), LOW.on("n"), LOW.named("equal").priority(100).on("n"))
    assert names(units_of(core)) == [["low"]]


def test_a_group_that_is_disrupted_whole_is_one_unit_wherever_it_runs() -> None:
    core = DecidingCore(
        make_node().times(2),
        make_podgroup("g").priority(10).disrupted_whole(),
        MEMBER.on("n-0").times(2),
        MEMBER.named("far").on("n-1"),
    )
    assert names(units_of(core)) == [["m-0", "m-1", "far"]]
    # Also when only one of its nodes is looked at.
    rows = [core.snapshot.nodes.row(core.snapshot.nodes.names[0]) or 0]
    assert names(find_units(core.snapshot, rows, below=100, by_group=True)) == [
        ["m-0", "m-1", "far"]
    ]


def test_members_of_other_groups_go_one_by_one() -> None:
    core = DecidingCore(
        make_node(), make_podgroup("g").gang(min_count=2).priority(10), MEMBER.on("n").times(2)
    )
    assert names(units_of(core)) == [["m-0"], ["m-1"]]


def test_the_priority_of_the_group_counts_not_the_members() -> None:
    core = DecidingCore(
        make_node(),
        make_podgroup("g").priority(500),
        make_podgroup("h").priority(5),
        MEMBER.on("n"),
        MEMBER.named("strong").group("h").priority(1000).on("n"),
    )
    (unit,) = units_of(core)
    assert (names([unit]), unit.priority) == ([["strong"]], 5)


def test_without_its_object_a_group_gives_no_priority() -> None:
    core = DecidingCore(make_node(), MEMBER.on("n"))
    (unit,) = units_of(core)
    assert (unit.priority, unit.kind) == (10, "group")


def test_where_groups_do_not_exist_every_pod_stands_for_itself() -> None:
    core = DecidingCore(make_node(), MEMBER.on("n").times(2))
    assert [unit.kind for unit in units_of(core, by_group=False)] == ["pod", "pod"]


def most_important(*pods: PodBuilder) -> list[str]:
    core = DecidingCore(
        make_node(),
        make_podgroup("whole").priority(10).disrupted_whole(),
        make_podgroup("small").priority(10).disrupted_whole(),
        make_podgroup("single").priority(10),
        [pod.on("n") for pod in pods],
    )
    return [unit.pods[0].name for unit in by_importance(units_of(core))]


def test_higher_priority_matters_more() -> None:
    assert most_important(LOW.named("a"), LOW.named("b").priority(50)) == ["b", "a"]


def test_members_of_groups_matter_more_than_other_pods() -> None:
    assert most_important(LOW.named("a"), LOW.named("b").group("single")) == ["b", "a"]


def test_of_groups_the_larger_matters_more() -> None:
    order = most_important(
        LOW.named("a").group("small").started(1),
        LOW.named("b").group("whole").started(9),
        LOW.named("c").group("whole").started(9),
    )
    assert order == ["b", "a"]


def test_who_runs_longer_matters_more() -> None:
    order = most_important(
        LOW.named("new").started(50), LOW.named("old").started(20), LOW.named("waits")
    )
    assert order == ["old", "new", "waits"]


def test_of_pods_that_have_not_started_the_first_matters_more() -> None:
    assert most_important(LOW.named("a"), LOW.named("b"), LOW.named("c")) == ["a", "b", "c"]
