"""Hard spread constraints: who counts, which domains there are, and who is refused."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.workloads import ServiceInfo
from kubegang.scheduler.plugins.podtopologyspread.plugin import PodTopologySpread
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from kubegang.testing.podterms import HOSTNAME, ZONE, evenly, pods_labelled
from tests.unit.scheduler.plugins.asking import context, refused

UNEVEN = "node(s) didn't match pod topology spread constraints"
UNLABELLED = "!node(s) didn't match pod topology spread constraints (missing required label)"

APP = pods_labelled(app="x")
X = make_pod("x").label("app", "x")
ZONES = [make_node("a").zone("za"), make_node("b").zone("zb")]


def refused_on(*objects: NodeBuilder | PodBuilder, pod: PodBuilder) -> dict[str, str]:
    core = DecidingCore(*objects)
    return refused(PodTopologySpread(context()), core.snapshot, pod)


@pytest.mark.parametrize(
    ("there", "pod", "want"),
    [
        pytest.param([], X.spread(evenly(APP, ZONE)), {}, id="first"),
        pytest.param(
            [X.on("a")], X.spread(evenly(APP, ZONE)), {"a": UNEVEN}, id="one-there-one-more"
        ),
        pytest.param([X.on("a")], X.spread(evenly(APP, ZONE, skew=2)), {}, id="two-are-allowed"),
        pytest.param(
            [X.on("a")],
            make_pod("p").spread(evenly(APP, ZONE)),
            {},
            id="it-does-not-count-itself",
        ),
        pytest.param(
            [make_pod("y").label("app", "y").on("a")],
            X.spread(evenly(APP, ZONE)),
            {},
            id="others-do-not-count",
        ),
        pytest.param(
            [X.ns("other").on("a")], X.spread(evenly(APP, ZONE)), {}, id="other-namespace"
        ),
        pytest.param([X.terminating().on("a")], X.spread(evenly(APP, ZONE)), {}, id="going-away"),
        pytest.param(
            [X.named("v").on("a"), X.named("w").on("b")],
            X.spread(evenly(APP, ZONE)),
            {},
            id="evenly-filled",
        ),
        pytest.param(
            [X.named("v").on("a"), X.named("w").on("a")],
            X.spread(evenly(pods_labelled(), ZONE)),
            {},
            id="an-empty-selector-counts-nobody",
        ),
        pytest.param([X.on("a")], X.spread(evenly(None, ZONE)), {}, id="no-selector-counts-nobody"),
    ],
)
def test_a_domain_must_not_get_ahead(
    there: list[PodBuilder], pod: PodBuilder, want: dict[str, str]
) -> None:
    assert refused_on(*ZONES, *there, pod=pod.named("p")) == want


def test_nodes_without_the_label_are_refused_for_good() -> None:
    pod = X.spread(evenly(APP, ZONE))
    assert refused_on(*ZONES, make_node("c"), pod=pod) == {"c": UNLABELLED}


def test_the_first_broken_constraint_says_why() -> None:
    nodes = [make_node("a").zone("za"), make_node("b").zone("zb").rack("r")]
    by_rack_too = X.spread(evenly(APP, ZONE), evenly(APP, "rack"))
    # Only nodes with both labels are domains, so zone za has none of the pods.
    said = refused_on(*nodes, X.named("q").on("a"), pod=by_rack_too)
    assert said == {"a": UNLABELLED}
    said = refused_on(*nodes, X.named("q").on("b"), pod=by_rack_too)
    assert said == {"a": UNLABELLED}


@pytest.mark.parametrize(
    ("min_domains", "want"),
    [
        pytest.param(None, {}, id="as-many-as-there-are"),
        pytest.param(2, {}, id="two-are-enough"),
        pytest.param(3, {"a": UNEVEN, "b": UNEVEN}, id="a-third-would-be-empty"),
    ],
)
def test_missing_domains_count_as_empty(min_domains: int | None, want: dict[str, str]) -> None:
    there = [X.named("v").on("a"), X.named("w").on("b")]
    pod = X.spread(evenly(APP, ZONE, min_domains=min_domains))
    assert refused_on(*ZONES, *there, pod=pod) == want


@pytest.mark.parametrize(
    ("policy", "want"),
    [
        # Zone zb is no domain for a pod that may not go there, so za may fill up.
        pytest.param(None, {}, id="by-default-honoured"),
        pytest.param("Honor", {}, id="honoured"),
        pytest.param("Ignore", {"a": UNEVEN}, id="ignored"),
    ],
)
def test_nodes_that_the_selection_excludes(policy: str | None, want: dict[str, str]) -> None:
    pod = X.select("pool", "1").spread(evenly(APP, ZONE, affinity_policy=policy))
    nodes = [ZONES[0].label("pool", "1"), ZONES[1]]
    assert refused_on(*nodes, X.named("q").on("a"), pod=pod) == want


@pytest.mark.parametrize(
    ("policy", "tolerates", "want"),
    [
        pytest.param(None, False, {"a": UNEVEN}, id="by-default-ignored"),
        pytest.param("Ignore", False, {"a": UNEVEN}, id="ignored"),
        pytest.param("Honor", False, {}, id="honoured"),
        pytest.param("Honor", True, {"a": UNEVEN}, id="tolerated"),
    ],
)
def test_nodes_with_taints(policy: str | None, tolerates: bool, want: dict[str, str]) -> None:
    pod = X.spread(evenly(APP, ZONE, taints_policy=policy))
    pod = pod.toleration("t") if tolerates else pod
    nodes = [ZONES[0], ZONES[1].taint("t")]
    assert refused_on(*nodes, X.named("q").on("a"), pod=pod) == want


def test_only_pods_of_the_same_revision_count() -> None:
    old = X.label("rev", "1").named("q").on("a")
    pod = X.label("rev", "2").spread(evenly(APP, ZONE, same_labels=["rev"]))
    assert refused_on(*ZONES, old, pod=pod) == {}
    assert refused_on(*ZONES, old.label("rev", "2"), pod=pod) == {"a": UNEVEN}


def test_siblings_placed_by_a_trial_count_at_once() -> None:
    core = DecidingCore(*ZONES)
    plugin = PodTopologySpread(context())
    pod = X.spread(evenly(APP, ZONE))
    assert refused(plugin, core.snapshot, pod) == {}
    core.add(X.named("sibling").on("b"))
    assert refused(plugin, core.snapshot, pod) == {"b": UNEVEN}


def test_hosts_with_one_name_are_one_domain() -> None:
    nodes = [make_node("a"), make_node("b").label(HOSTNAME, "a"), make_node("c")]
    pod = X.spread(evenly(APP))
    assert refused_on(*nodes, X.named("q").on("b"), pod=pod) == {"a": UNEVEN, "b": UNEVEN}


def test_default_constraints_hold_with_a_deduced_selector() -> None:
    constraint = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    args = {"defaultingType": "List", "defaultConstraints": [constraint]}
    plugin = PodTopologySpread(context(args))
    core = DecidingCore(*ZONES, X.named("q").on("a"))
    assert refused(plugin, core.snapshot, X) == {}, "nothing says who belongs together"
    core.builder.set_service(ServiceInfo("default", "s", {"app": "x"}))
    assert refused(plugin, core.snapshot, X) == {"a": UNEVEN}
    own = X.spread(evenly(APP, ZONE, soft=True))
    assert refused(plugin, core.snapshot, own) == {}, "its own constraints take their place"
