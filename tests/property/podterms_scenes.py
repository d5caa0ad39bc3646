"""Random small clusters whose pods care about each other."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kubegang.testing.podterms import HOSTNAME, ZONE, evenly, pods_labelled, term

KEYS = [ZONE, "rack", HOSTNAME]
NAMESPACES = {"default": {"team": "a"}, "other": {"team": "b"}, "third": {"team": "b"}}
SELECTORS = [
    pods_labelled(app="x"),
    pods_labelled(app="y"),
    pods_labelled(("app", "In", ("x", "y"))),
    pods_labelled(("app", "NotIn", ("x",))),
    pods_labelled(("app", "Exists", ())),
    pods_labelled(("tier", "DoesNotExist", ())),
    pods_labelled(("app", "In", ("x", "z")), tier="web"),
    pods_labelled(),
    None,
]


class Neighbourhood(NamedTuple):
    """A cluster, who runs, who waits, and (namespace, labels) of Services."""

    nodes: list[NodeBuilder]
    running: list[tuple[PodBuilder, str]]
    waiting: list[PodBuilder]
    services: list[tuple[str, dict[str, str]]]


@st.composite
def nodes(draw: st.DrawFn, *, name: str) -> NodeBuilder:
    node = make_node(name)
    if draw(st.integers(0, 5)):
        node = node.zone(draw(st.sampled_from(["z1", "z2", "z3"])))
    if draw(st.integers(0, 5)):
        node = node.rack(draw(st.sampled_from(["r1", "r2"])))
    if draw(st.integers(0, 7)) == 0:
        node = node.label(HOSTNAME, "shared")
    if draw(st.integers(0, 4)) == 0:
        node = node.label("pool", "a")
    if draw(st.integers(0, 4)) == 0:
        node = node.taint("t", draw(st.sampled_from(["NoSchedule", "PreferNoSchedule"])))
    return node


@st.composite
def terms(draw: st.DrawFn) -> object:
    namespaces = draw(st.lists(st.sampled_from(list(NAMESPACES)), max_size=2, unique=True))
    return term(
        draw(st.sampled_from(SELECTORS)),
        draw(st.sampled_from(KEYS)),
        namespaces=namespaces if draw(st.integers(0, 2)) == 0 else (),
        in_namespaces=draw(st.sampled_from([None, None, None, {}, {"team": "b"}])),
    )


@st.composite
def constraints(draw: st.DrawFn) -> object:
    selector = draw(st.sampled_from(SELECTORS))
    soft = draw(st.booleans())
    return evenly(
        selector,
        draw(st.sampled_from(KEYS)),
        skew=draw(st.integers(1, 3)),
        soft=soft,
        min_domains=None if soft else draw(st.sampled_from([None, None, 1, 2, 4])),
        affinity_policy=draw(st.sampled_from([None, "Honor", "Ignore"])),
        taints_policy=draw(st.sampled_from([None, "Honor", "Ignore"])),
        same_labels=["tier"] if selector is not None and draw(st.booleans()) else [],
    )


@st.composite
def pods(draw: st.DrawFn, *, name: str) -> PodBuilder:
    pod = make_pod(name).ns(draw(st.sampled_from(["default", "default", "other", "third"])))
    if draw(st.integers(0, 5)):
        pod = pod.label("app", draw(st.sampled_from("xyz")))
    if draw(st.integers(0, 2)) == 0:
        pod = pod.label("tier", draw(st.sampled_from(["web", "db"])))
    for chance in range(2):
        if draw(st.integers(0, 2 + chance)) == 0:
            pod = pod.near(draw(terms()), weight=draw(st.sampled_from([0, 1, 50])))  # type: ignore[arg-type]
        if draw(st.integers(0, 2 + chance)) == 0:
            pod = pod.apart(draw(terms()), weight=draw(st.sampled_from([0, 7, 100])))  # type: ignore[arg-type]
        if draw(st.integers(0, 2 + chance)) == 0:
            pod = pod.spread(draw(constraints()))  # type: ignore[arg-type]
    if draw(st.integers(0, 5)) == 0:
        pod = pod.select("pool", "a")
    if draw(st.integers(0, 4)) == 0:
        pod = pod.toleration("t")
    return pod


@st.composite
def neighbourhoods(draw: st.DrawFn) -> Neighbourhood:
    """Draw a cluster."""
    names = [f"n{i}" for i in range(draw(st.integers(1, 7)))]
    running, waiting = [], []
    for index in range(draw(st.integers(1, 12))):
        pod = draw(pods(name=f"p{index}"))
        if draw(st.integers(0, 2)):
            pod = pod.terminating() if draw(st.integers(0, 9)) == 0 else pod
            running.append((pod, draw(st.sampled_from(names))))
        else:
            waiting.append(pod)
    services = draw(
        st.lists(
            st.tuples(
                st.sampled_from(list(NAMESPACES)),
                st.sampled_from([{"app": "x"}, {"app": "y", "tier": "web"}, {"tier": "db"}]),
            ),
            max_size=2,
        )
    )
    return Neighbourhood([draw(nodes(name=n)) for n in names], running, waiting, services)
