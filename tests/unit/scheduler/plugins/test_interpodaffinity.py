"""Required affinity and anti-affinity: whom it means, where, and who is refused."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.workloads import NamespaceInfo
from kubegang.scheduler.plugins.interpodaffinity.plugin import InterPodAffinity
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from kubegang.testing.podterms import ZONE, pods_labelled, term
from tests.unit.scheduler.plugins.asking import context, refused

NOT_NEAR = "!node(s) didn't match pod affinity rules"
NOT_APART = "node(s) didn't match pod anti-affinity rules"
UNWELCOME = "node(s) didn't satisfy existing pods anti-affinity rules"

APP = pods_labelled(app="x")
X = make_pod("x").label("app", "x")
P = make_pod("p")
NODES = [make_node("a").zone("za"), make_node("b").zone("zb"), make_node("c").zone("zb")]


def refused_on(*objects: NodeBuilder | PodBuilder, pod: PodBuilder) -> dict[str, str]:
    core = DecidingCore(*objects)
    for name, labels in (("default", {"team": "a"}), ("other", {"team": "b"})):
        core.builder.set_namespace(NamespaceInfo(name, labels))
    return refused(InterPodAffinity(context()), core.snapshot, pod)


# --- near --------------------------------------------------------------------------------


def test_a_pod_goes_where_the_one_it_wants_is() -> None:
    said = refused_on(*NODES, X.on("b"), pod=P.near(term(APP, ZONE)))
    assert said == {"a": NOT_NEAR}


def test_nobody_to_be_near_to_refuses_every_node() -> None:
    said = refused_on(*NODES, pod=P.near(term(APP, ZONE)))
    assert said == {"a": NOT_NEAR, "b": NOT_NEAR, "c": NOT_NEAR}


def test_the_first_pod_of_its_kind_may_go_anywhere_that_is_labelled() -> None:
    first = X.near(term(APP, ZONE))
    assert refused_on(*NODES, make_node("d"), pod=first) == {"d": NOT_NEAR}


def test_the_second_pod_of_its_kind_follows_the_first() -> None:
    second = X.near(term(APP, ZONE))
    said = refused_on(*NODES, X.named("first").on("a"), pod=second)
    assert said == {"b": NOT_NEAR, "c": NOT_NEAR}


def test_a_match_outside_all_domains_still_lets_the_first_in() -> None:
    first = X.near(term(APP, ZONE))
    said = refused_on(*NODES, make_node("d"), X.named("q").on("d"), pod=first)
    assert said == {"d": NOT_NEAR}


def test_one_pod_must_match_all_terms() -> None:
    both = P.near(term(APP, ZONE)).near(term(pods_labelled(tier="web"), ZONE))
    apart = [X.on("b"), make_pod("w").label("tier", "web").on("b")]
    assert set(refused_on(*NODES, *apart, pod=both)) == {"a", "b", "c"}
    one = X.label("tier", "web").on("b")
    assert refused_on(*NODES, one, pod=both) == {"a": NOT_NEAR}


def test_pods_that_are_going_away_can_be_near() -> None:
    assert refused_on(*NODES, X.terminating().on("b"), pod=P.near(term(APP, ZONE))) == {
        "a": NOT_NEAR
    }


# --- apart -------------------------------------------------------------------------------


def test_a_pod_keeps_off_those_it_wants_to_be_away_from() -> None:
    assert refused_on(*NODES, X.on("b"), pod=P.apart(term(APP))) == {"b": NOT_APART}
    assert refused_on(*NODES, X.on("b"), pod=P.apart(term(APP, ZONE))) == {
        "b": NOT_APART,
        "c": NOT_APART,
    }


def test_nodes_without_the_label_take_pods_that_want_to_be_apart() -> None:
    nodes = [make_node("a"), make_node("b").zone("z")]
    said = refused_on(*nodes, X.on("a"), pod=P.apart(term(APP, ZONE)))
    assert said == {}


def test_running_pods_keep_others_off() -> None:
    guard = make_pod("guard").apart(term(APP, ZONE)).on("b")
    assert refused_on(*NODES, guard, pod=X) == {"b": UNWELCOME, "c": UNWELCOME}
    assert refused_on(*NODES, guard, pod=P) == {}


def test_the_pods_own_rule_is_named_before_that_of_others() -> None:
    guard = make_pod("guard").label("app", "g").apart(term(APP)).on("b")
    pod = X.apart(term(pods_labelled(app="g")))
    assert refused_on(*NODES, guard, pod=pod) == {"b": NOT_APART}


def test_affinity_is_named_before_anti_affinity() -> None:
    pod = P.near(term(APP, ZONE)).apart(term(APP))
    said = refused_on(*NODES, X.on("b"), pod=pod)
    assert said == {"a": NOT_NEAR, "b": NOT_APART}


def test_a_guard_that_goes_lets_others_in() -> None:
    core = DecidingCore(*NODES, make_pod("guard").apart(term(APP)).on("b"))
    plugin = InterPodAffinity(context())
    assert refused(plugin, core.snapshot, X) == {"b": UNWELCOME}
    (guard,) = core.snapshot.pods()
    core.builder.remove_pod(guard.uid)
    assert refused(plugin, core.snapshot, X) == {}


# --- where -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("namespaces", "labels", "is_meant"),
    [
        pytest.param((), None, False, id="own-namespace-only"),
        pytest.param(("other",), None, True, id="named"),
        pytest.param(("third",), None, False, id="another-named"),
        pytest.param((), {"team": "b"}, True, id="selected"),
        pytest.param((), {"team": "c"}, False, id="not-selected"),
        pytest.param(("third",), {"team": "b"}, True, id="named-or-selected"),
        pytest.param((), {}, True, id="all"),
    ],
)
def test_terms_mean_pods_of_certain_namespaces(
    namespaces: tuple[str, ...], labels: dict[str, str] | None, is_meant: bool
) -> None:
    said = term(APP, namespaces=namespaces, in_namespaces=labels)
    there = X.ns("other")
    assert refused_on(*NODES, there.on("b"), pod=P.apart(said)) == (
        {"b": NOT_APART} if is_meant else {}
    )
    guard = make_pod("guard").apart(said).on("b")
    assert refused_on(*NODES, guard, pod=there) == ({"b": UNWELCOME} if is_meant else {})


def test_all_namespaces_are_meant_even_unknown_ones() -> None:
    stranger = X.ns("unknown").on("b")
    said = refused_on(*NODES, stranger, pod=P.apart(term(APP, in_namespaces={})))
    assert said == {"b": NOT_APART}


def test_a_missing_selector_means_nobody_an_empty_one_everybody() -> None:
    assert refused_on(*NODES, X.on("b"), pod=P.apart(term(None))) == {}
    assert refused_on(*NODES, X.on("b"), pod=P.apart(term(pods_labelled()))) == {"b": NOT_APART}
