"""Which events wake pods that spreading or affinity refused."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.events import Action, ClusterEvent, ClusterObject
from kubegang.scheduler.framework.interface import EnqueuePlugin
from kubegang.scheduler.plugins.interpodaffinity.plugin import InterPodAffinity
from kubegang.scheduler.plugins.podtopologyspread.plugin import PodTopologySpread
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kubegang.testing.podterms import ZONE, evenly, pods_labelled, term
from tests.unit.scheduler.plugins.asking import context

APP = pods_labelled(app="x")
X = make_pod("x").label("app", "x").on("n")
Y = make_pod("x").label("app", "y").on("n")
SPREAD = make_pod("p").spread(evenly(APP, ZONE))
HONORS = make_pod("p").spread(evenly(APP, ZONE, taints_policy="Honor"))
NEAR = make_pod("p").near(term(APP, ZONE))
APART = make_pod("p").apart(term(APP, ZONE))
NODE = make_node("n").zone("za")
ANYWHERE = make_node("n")

ADDED, DELETED = Action.ADD, Action.DELETE
LABELS = Action.UPDATE_POD_LABEL

Thing = PodBuilder | NodeBuilder | None


def wakes(
    plugin: EnqueuePlugin, pod: PodBuilder, event: ClusterEvent, *, old: Thing, new: Thing
) -> bool:
    """Return whether any registration for the event says yes."""
    before: ClusterObject | None = old.info() if old else None
    after: ClusterObject | None = new.info() if new else None
    return any(
        registration.is_schedulable_after is None
        or registration.is_schedulable_after(pod.info(), before, after)
        for registration in plugin.queueing_hints()
        if registration.event.matches(event)
    )


def assigned(action: Action) -> ClusterEvent:
    return ClusterEvent("AssignedPod", action)


@pytest.mark.parametrize(
    ("pod", "event", "old", "new", "want"),
    [
        pytest.param(SPREAD, assigned(ADDED), None, X, True, id="one-that-counts-came"),
        pytest.param(SPREAD, assigned(ADDED), None, Y, False, id="another-came"),
        pytest.param(SPREAD, assigned(ADDED), None, X.ns("o"), False, id="elsewhere"),
        pytest.param(SPREAD, assigned(DELETED), X, None, True, id="one-that-counts-went"),
        pytest.param(SPREAD, assigned(DELETED), Y, None, False, id="another-went"),
        pytest.param(SPREAD, assigned(DELETED), X.on(""), None, False, id="it-had-no-node"),
        pytest.param(
            SPREAD, assigned(DELETED), X.on("").nominated("n"), None, True, id="it-had-a-promise"
        ),
        pytest.param(SPREAD, assigned(LABELS), Y, X, True, id="counts-now"),
        pytest.param(SPREAD, assigned(LABELS), X, Y, True, id="counts-no-more"),
        pytest.param(SPREAD, assigned(LABELS), X, X.label("a", "b"), False, id="counts-as-before"),
        pytest.param(
            SPREAD,
            ClusterEvent("TargetPod", LABELS),
            SPREAD,
            SPREAD.label("app", "x"),
            True,
            id="it-counts-itself-now",
        ),
        pytest.param(
            SPREAD,
            ClusterEvent("TargetPod", Action.UPDATE_POD_TOLERATIONS),
            SPREAD,
            SPREAD.toleration("t"),
            False,
            id="tolerates-what-does-not-matter",
        ),
        pytest.param(
            HONORS,
            ClusterEvent("TargetPod", Action.UPDATE_POD_TOLERATIONS),
            HONORS,
            HONORS.toleration("t"),
            True,
            id="tolerates-more",
        ),
        pytest.param(SPREAD, ClusterEvent("Node", ADDED), None, NODE, True, id="node-came"),
        pytest.param(
            SPREAD, ClusterEvent("Node", ADDED), None, ANYWHERE, False, id="unlabelled-node-came"
        ),
        pytest.param(SPREAD, ClusterEvent("Node", DELETED), NODE, None, True, id="node-went"),
        pytest.param(
            SPREAD, ClusterEvent("Node", DELETED), ANYWHERE, None, False, id="unlabelled-went"
        ),
        pytest.param(
            SPREAD,
            ClusterEvent("Node", Action.UPDATE_NODE_LABEL),
            NODE,
            ANYWHERE,
            True,
            id="left-its-domain",
        ),
        pytest.param(
            SPREAD,
            ClusterEvent("Node", Action.UPDATE_NODE_LABEL),
            NODE,
            NODE.zone("zb"),
            True,
            id="changed-its-domain",
        ),
        pytest.param(
            SPREAD,
            ClusterEvent("Node", Action.UPDATE_NODE_LABEL),
            NODE,
            NODE.label("a", "b"),
            False,
            id="stayed",
        ),
        pytest.param(
            SPREAD,
            ClusterEvent("Node", Action.UPDATE_NODE_TAINT),
            NODE.taint("t"),
            NODE,
            True,
            id="lost-a-taint",
        ),
        pytest.param(
            SPREAD,
            ClusterEvent("Node", Action.UPDATE_NODE_TAINT),
            ANYWHERE.taint("t"),
            ANYWHERE,
            False,
            id="lost-a-taint-outside",
        ),
    ],
)
def test_events_that_may_even_domains_out(
    pod: PodBuilder, event: ClusterEvent, old: Thing, new: Thing, want: bool
) -> None:
    assert wakes(PodTopologySpread(context()), pod, event, old=old, new=new) is want


def test_pods_under_default_constraints_wake_with_any_pod_of_their_namespace() -> None:
    constraint = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    args = {"defaultingType": "List", "defaultConstraints": [constraint]}
    plugin = PodTopologySpread(context(args))
    plain = make_pod("p")
    assert wakes(plugin, plain, assigned(ADDED), old=None, new=Y)
    assert not wakes(plugin, plain, assigned(ADDED), old=None, new=Y.ns("o"))
    own = ClusterEvent("TargetPod", LABELS)
    assert wakes(plugin, plain, own, old=plain, new=plain.label("a", "b"))
    node = ClusterEvent("Node", ADDED)
    assert wakes(plugin, plain, node, old=None, new=NODE)
    assert not wakes(plugin, plain, node, old=None, new=ANYWHERE)


@pytest.mark.parametrize(
    ("pod", "event", "old", "new", "want"),
    [
        pytest.param(NEAR, assigned(ADDED), None, X, True, id="the-wanted-one-came"),
        pytest.param(NEAR, assigned(ADDED), None, Y, False, id="another-came"),
        pytest.param(NEAR, assigned(ADDED), None, X.ns("o"), False, id="elsewhere"),
        pytest.param(NEAR, assigned(ADDED), None, X.on(""), False, id="without-a-node"),
        pytest.param(NEAR, assigned(LABELS), Y, X, True, id="is-the-wanted-one-now"),
        pytest.param(NEAR, assigned(LABELS), X, Y, False, id="is-it-no-more"),
        pytest.param(NEAR, assigned(DELETED), X, None, False, id="the-wanted-one-went"),
        pytest.param(APART, assigned(DELETED), X, None, True, id="the-unwanted-one-went"),
        pytest.param(APART, assigned(DELETED), Y, None, False, id="another-went"),
        pytest.param(APART, assigned(LABELS), X, Y, True, id="is-unwanted-no-more"),
        pytest.param(APART, assigned(LABELS), Y, X, False, id="is-unwanted-now"),
        pytest.param(APART, assigned(ADDED), None, X, False, id="the-unwanted-one-came"),
        pytest.param(
            X.on(""),
            assigned(DELETED),
            make_pod("g").apart(term(APP)).on("n"),
            None,
            True,
            id="the-guard-went",
        ),
        pytest.param(
            Y.on(""),
            assigned(DELETED),
            make_pod("g").apart(term(APP)).on("n"),
            None,
            False,
            id="a-guard-against-others-went",
        ),
        pytest.param(
            NEAR, ClusterEvent("TargetPod", LABELS), NEAR, NEAR.label("a", "b"), True, id="own"
        ),
        pytest.param(NEAR, ClusterEvent("Node", ADDED), None, NODE, True, id="node-came"),
        pytest.param(NEAR, ClusterEvent("Node", ADDED), None, ANYWHERE, False, id="unlabelled"),
        pytest.param(APART, ClusterEvent("Node", ADDED), None, ANYWHERE, True, id="apart-is-easy"),
        pytest.param(
            NEAR,
            ClusterEvent("Node", Action.UPDATE_NODE_LABEL),
            ANYWHERE,
            NODE,
            True,
            id="joined-a-domain",
        ),
        pytest.param(
            NEAR,
            ClusterEvent("Node", Action.UPDATE_NODE_LABEL),
            NODE,
            ANYWHERE,
            False,
            id="left-a-domain",
        ),
        pytest.param(
            APART,
            ClusterEvent("Node", Action.UPDATE_NODE_LABEL),
            NODE,
            ANYWHERE,
            True,
            id="left-the-bad-domain",
        ),
        pytest.param(
            APART,
            ClusterEvent("Node", Action.UPDATE_NODE_LABEL),
            ANYWHERE,
            NODE,
            False,
            id="joined-a-bad-domain",
        ),
        pytest.param(
            APART,
            ClusterEvent("Node", Action.UPDATE_NODE_LABEL),
            NODE,
            NODE.zone("zb"),
            True,
            id="moved",
        ),
        pytest.param(APART, ClusterEvent("Node", DELETED), NODE, None, False, id="node-went"),
    ],
)
def test_events_that_may_bring_the_right_neighbours(
    pod: PodBuilder, event: ClusterEvent, old: Thing, new: Thing, want: bool
) -> None:
    assert wakes(InterPodAffinity(context()), pod, event, old=old, new=new) is want


def test_namespaces_that_only_a_selector_names_wake_nobody() -> None:
    """Upstream does not look namespaces up for this question; only a rest's end helps."""
    pod = make_pod("p").near(term(APP, ZONE, in_namespaces={"team": "a"}))
    plugin = InterPodAffinity(context())
    assert not wakes(plugin, pod, assigned(ADDED), old=None, new=X.ns("o"))
    everywhere = make_pod("p").near(term(APP, ZONE, in_namespaces={}))
    assert wakes(plugin, everywhere, assigned(ADDED), old=None, new=X.ns("o"))
