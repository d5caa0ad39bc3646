"""Which plugins run where, in which order and with which weight (as kube-scheduler 1.37.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from kubegang.api.profile import PluginWeight, PointChanges
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import NodeFilterPlugin, ScorePlugin
from kubegang.scheduler.framework.status import SUCCESS, Status
from kubegang.scheduler.runtime.points import Points


def plugin(name: str, *, filters: bool = True, scores: bool = False) -> Any:
    def filter_node(self: object, state: object, pod: object, **more: object) -> Status:
        return SUCCESS

    def score(self: object, state: object, pod: object, **more: object) -> None:
        return None

    members: dict[str, Any] = {"NAME": name}
    if filters:
        members["filter_node"] = filter_node
    if scores:
        members["score"] = score
    return type(name, (), members)()


def named(*names: str) -> tuple[PluginWeight, ...]:
    return tuple(PluginWeight(name) for name in names)


def filters(
    everywhere: Sequence[str], changes: PointChanges, *, known: Sequence[str] = "ABCD"
) -> list[str]:
    points = Points(
        [plugin(name) for name in known],
        everywhere=named(*everywhere),
        changes={"filter": changes},
    )
    return [found.NAME for found in points.at("filter", NodeFilterPlugin)]


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        pytest.param(PointChanges(), ["A", "B", "C"], id="nothing-said"),
        pytest.param(PointChanges(disabled=frozenset("B")), ["A", "C"], id="one-off"),
        pytest.param(PointChanges(disabled=frozenset("*")), [], id="all-off"),
        pytest.param(
            PointChanges(named("D", "B"), frozenset("*")), ["D", "B"], id="only-what-is-named"
        ),
        pytest.param(PointChanges(named("D")), ["A", "B", "C", "D"], id="others-come-last"),
        pytest.param(
            PointChanges(named("D", "C", "B")), ["C", "B", "A", "D"], id="named-ones-come-first"
        ),
        pytest.param(
            PointChanges(named("B"), frozenset("B")), ["A", "C", "B"], id="off-and-on-goes-last"
        ),
    ],
)
def test_a_point_runs_what_is_said_about_it(changes: PointChanges, want: list[str]) -> None:
    assert filters("ABC", changes) == want


@pytest.mark.parametrize(
    ("everywhere", "changes", "told"),
    [
        ("A", PointChanges(named("X")), 'FilterPlugin "X" does not exist'),
        ("AX", PointChanges(), 'FilterPlugin "X" does not exist'),
        ("A", PointChanges(named("B", "B")), 'plugin "B" already registered as "FilterPlugin"'),
        ("AA", PointChanges(), 'plugin "A" already registered as "FilterPlugin"'),
    ],
)
def test_what_cannot_be_is_told(everywhere: str, changes: PointChanges, told: str) -> None:
    with pytest.raises(PluginConfigError) as caught:
        filters(everywhere, changes)
    assert str(caught.value) == told


def test_a_plugin_named_where_it_has_nothing_to_say_is_an_error() -> None:
    points = Points([plugin("A")], everywhere=(), changes={"score": PointChanges(named("A"))})
    with pytest.raises(PluginConfigError, match='plugin "A" does not extend ScorePlugin plugin'):
        points.at("score", ScorePlugin)


def scoring(*weights: PluginWeight, own: tuple[PluginWeight, ...] = ()) -> dict[str, int]:
    points = Points(
        [plugin(name, scores=True) for name in "AB"],
        everywhere=weights,
        changes={"score": PointChanges(own)},
    )
    return dict(points.weights("score", ScorePlugin, told_as="score"))


def test_the_weight_of_the_point_wins_and_none_is_one() -> None:
    found = scoring(PluginWeight("A", 2), PluginWeight("B"), own=(PluginWeight("A", 5),))
    assert found == {"A": 5, "B": 1}


@pytest.mark.parametrize("weight", [2**63 // 100 + 1, -1])
def test_weights_that_leave_64_bits_are_refused(weight: int) -> None:
    with pytest.raises(PluginConfigError, match="score plugins: total score of Score plugins"):
        scoring(PluginWeight("A", weight), PluginWeight("B", 1))
