"""Preferred affinity, from both sides; and the plugin's arguments."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.plugins.interpodaffinity.plugin import InterPodAffinity
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from kubegang.testing.podterms import ZONE, pods_labelled, term
from tests.unit.scheduler.plugins.asking import context, scored

APP = pods_labelled(app="x")
X = make_pod("x").label("app", "x")
P = make_pod("p")
NODES = [make_node("a").zone("za"), make_node("b").zone("zb"), make_node("c").zone("zb")]


def test_nodes_near_the_wanted_pods_score_most() -> None:
    core = DecidingCore(NODES, X.on("b"))
    plugin = InterPodAffinity(context())
    assert scored(plugin, core.snapshot, P.near(term(APP, ZONE), weight=5)) == [0, 100, 100]
    assert scored(plugin, core.snapshot, P.apart(term(APP, ZONE), weight=5)) == [100, 0, 0]


def test_weights_add_up() -> None:
    core = DecidingCore(NODES, X.on("b"), X.named("y").on("c"))
    pod = P.near(term(APP, ZONE), weight=10).apart(term(APP), weight=5).near(term(APP), weight=1)
    # Zone: 20 for b and c. Host: minus 5 and plus 1 for each.
    assert scored(InterPodAffinity(context()), core.snapshot, pod) == [0, 100, 100]
    core.add(X.named("z").on("a"), X.named("w").on("a"))
    # Two pods on a come to 20 less 10 plus 2; b and c still to 16.
    assert scored(InterPodAffinity(context()), core.snapshot, pod) == [0, 100, 100]
    core.add(X.named("v").on("a"))
    # Three pods on a come to 30 less 15 plus 3, which is more.
    assert scored(InterPodAffinity(context()), core.snapshot, pod) == [100, 0, 0]


def test_scores_between_the_extremes_are_cut() -> None:
    core = DecidingCore(NODES, [X.on("a")], X.named("q").times(3), X.named("y").on("b"))
    core.add([X.named(f"c-{index}").on("c") for index in range(3)])
    pod = P.near(term(APP), weight=1)
    # 1, 1 and 3 pods.
    assert scored(InterPodAffinity(context()), core.snapshot, pod) == [0, 0, 100]
    core.add(X.named("b-1").on("b"))
    assert scored(InterPodAffinity(context()), core.snapshot, pod) == [0, 50, 100]


def test_running_pods_have_wishes_too() -> None:
    core = DecidingCore(NODES, P.named("q").near(term(APP, ZONE), weight=5).on("b"))
    plugin = InterPodAffinity(context())
    assert scored(plugin, core.snapshot, X) == [0, 100, 100]
    assert scored(plugin, core.snapshot, P) is None, "nobody means this one"
    core = DecidingCore(NODES, P.named("q").apart(term(APP, ZONE), weight=5).on("b"))
    assert scored(plugin, core.snapshot, X) == [100, 0, 0]


@pytest.mark.parametrize(
    ("args", "want"),
    [
        pytest.param({}, [0, 100, 100], id="one-by-default"),
        pytest.param({"hardPodAffinityWeight": 0}, None, id="off"),
    ],
)
def test_what_running_pods_require_makes_nodes_liked(
    args: dict[str, int], want: list[int] | None
) -> None:
    core = DecidingCore(NODES, P.named("q").near(term(APP, ZONE)).on("b"))
    assert scored(InterPodAffinity(context(args)), core.snapshot, X) == want


def test_wishes_of_running_pods_can_be_ignored() -> None:
    plugin = InterPodAffinity(context({"ignorePreferredTermsOfExistingPods": True}))
    core = DecidingCore(NODES, P.named("q").near(term(APP, ZONE), weight=5).on("b"))
    assert scored(plugin, core.snapshot, X) is None
    # A pod with wishes of its own hears those of others all the same.
    wishful = X.near(term(pods_labelled(app="none"), ZONE), weight=1)
    assert scored(plugin, core.snapshot, wishful) == [0, 100, 100]


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        pytest.param(
            {"hardPodAffinityWeight": 101},
            "hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]",
            id="weight",
        ),
        pytest.param({"hardPodAffinityWeight": -1}, "Invalid value: -1", id="below-zero"),
        pytest.param({"weight": 1}, "unknown field `weight`", id="unknown"),
    ],
)
def test_arguments_that_break_a_rule_are_refused(args: dict[str, int], problem: str) -> None:
    with pytest.raises(PluginConfigError, match="arguments of plugin InterPodAffinity: ") as raised:
        InterPodAffinity(context(args))
    assert problem in str(raised.value)
