"""What preemption takes whole where groups have groups above them (measured on 1.37.2)."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.pods import PodGroupKey
from kubegang.scheduler.preemption.units import VictimUnit, by_importance, find_units
from kubegang.testing.builders import (
    CompositePodGroupBuilder,
    PodBuilder,
    PodGroupBuilder,
    make_composite,
    make_node,
    make_pod,
    make_podgroup,
)
from kubegang.testing.deciding import DecidingCore

WEAK = 10


def composite(name: str, parent: str = "", *, priority: int = WEAK) -> CompositePodGroupBuilder:
    made = make_composite(name).priority(priority)
    return made.child_of(parent) if parent else made


def group(name: str, parent: str, *, priority: int = WEAK) -> PodGroupBuilder:
    return make_podgroup(name).child_of(parent).priority(priority)


def member(group_name: str, number: int = 0) -> PodBuilder:
    return make_pod(f"{group_name}{number}").group(group_name).priority(WEAK).on("n")


def units_of(core: DecidingCore) -> list[VictimUnit]:
    rows = range(core.snapshot.nodes.size)
    return find_units(core.snapshot, rows, below=100, by_group=True)


def names(units: list[VictimUnit]) -> list[list[str]]:
    return [sorted(pod.name for pod in unit.pods) for unit in units]


TWO_LEAVES = (member("a"), member("b"))


@pytest.mark.parametrize(
    ("groups", "want"),
    [
        pytest.param(
            (composite("top").disrupted_whole(), group("a", "top"), group("b", "top")),
            [["a0", "b0"]],
            id="root-takes-all",
        ),
        pytest.param(
            (
                composite("top"),
                composite("mid", "top").disrupted_whole(),
                group("a", "mid"),
                group("b", "top"),
            ),
            [["a0"], ["b0"]],
            id="branch-takes-its-own",
        ),
        pytest.param(
            (
                composite("top").disrupted_whole(),
                composite("mid", "top"),
                group("a", "mid").disrupted_whole(),
                group("b", "mid"),
            ),
            [["a0", "b0"]],
            id="the-highest-decides",
        ),
        pytest.param(
            (composite("mid", "gone").disrupted_whole(), group("a", "mid"), group("b", "mid")),
            [["a0", "b0"]],
            id="top-is-missing",
        ),
        pytest.param(
            (composite("x", "x").disrupted_whole(), group("a", "x"), group("b", "x")),
            [["a0", "b0"]],
            id="its-own-parent",
        ),
        pytest.param(
            (
                composite("x", "y").disrupted_whole(),
                composite("y", "x").disrupted_whole(),
                group("a", "x"),
                group("b", "y"),
            ),
            [["a0", "b0"]],
            id="circle",
        ),
    ],
)
def test_the_highest_group_that_goes_whole_takes_all_below_it(
    groups: tuple[PodGroupBuilder | CompositePodGroupBuilder, ...], want: list[list[str]]
) -> None:
    assert names(units_of(DecidingCore(make_node("n"), groups, TWO_LEAVES))) == want


@pytest.mark.parametrize(("top", "spared"), [(200, True), (WEAK, False)])
def test_the_priority_of_the_topmost_group_counts(top: int, *, spared: bool) -> None:
    core = DecidingCore(
        make_node("n"),
        composite("top", priority=top),
        composite("mid", "top", priority=210 - top).disrupted_whole(),
        group("a", "mid", priority=210 - top),
        member("a"),
    )
    assert (units_of(core) == []) is spared
    assert core.snapshot.priority_of(member("a").info()) == top


def test_a_composite_that_goes_whole_matters_more_than_a_larger_group() -> None:
    core = DecidingCore(
        make_node("n"),
        make_podgroup("g").priority(WEAK).disrupted_whole(),
        member("g"),
        member("g", 1),
        composite("top").disrupted_whole(),
        group("a", "top"),
        member("a"),
    )
    assert names(by_importance(units_of(core))) == [["a0"], ["g0", "g1"]]


def test_single_pods_of_trees_and_of_groups_matter_alike() -> None:
    core = DecidingCore(
        make_node("n"),
        make_podgroup("g").priority(WEAK),
        composite("top"),
        group("a", "top"),
        member("g"),
        member("a"),
    )
    assert names(by_importance(units_of(core))) == [["g0"], ["a0"]]


def test_rows_follow_the_priority_of_a_root_that_comes_or_goes() -> None:
    core = DecidingCore(make_node("n"), group("a", "top"), member("a"))
    assert core.snapshot.lowest_priorities().tolist() == [WEAK]
    core.add(composite("top", priority=300))
    assert core.snapshot.lowest_priorities().tolist() == [300]
    core.builder.remove_pod_group(PodGroupKey("default", "top", "CompositePodGroup"))
    assert core.snapshot.lowest_priorities().tolist() == [WEAK]
