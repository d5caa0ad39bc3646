"""Batching changes which of the fitting nodes a pod gets, never whether it gets one."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.scheduler.cycle.decide import decide
from kubegang.scheduler.cycle.decision import Decision, FailPod
from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.pods import NodeName
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore, bindings, default_profile
from tests.property.reference import ReferenceNode, reasons

LIST = {"PodTopologySpread": {"defaultingType": "List"}}

SHAPES = (
    make_pod().req(cpu="3", memory="1Gi"),
    make_pod().req(cpu="500m", memory="1Gi"),
    make_pod().req(cpu="500m", memory="1Gi").port(80),
    make_pod().req(cpu="1", memory="8Gi").toleration("t"),
    make_pod().req(cpu="1").select("disk", "ssd"),
    make_pod().req(cpu="1").prefers(5, ("disk", "In", ("ssd",))),
    make_pod().req(cpu="7"),
)


@st.composite
def clusters(draw: st.DrawFn) -> list[NodeBuilder]:
    """Draw nodes of several sizes, some of them tainted or labelled."""
    nodes = []
    for index in range(draw(st.integers(1, 6))):
        node = make_node(f"n{index}").capacity(
            cpu=draw(st.sampled_from("248")), memory="16Gi", pods=draw(st.sampled_from("36"))
        )
        if draw(st.booleans()):
            node = node.label("disk", "ssd")
        effect = draw(st.sampled_from(("", "", "NoSchedule", "PreferNoSchedule")))
        nodes.append(node.taint("t", effect) if effect else node)
    return nodes


@st.composite
def streams(draw: st.DrawFn) -> list[tuple[PodBuilder, float, str]]:
    """Draw runs of equal pods, when each comes, and which node is promised to it."""
    pods: list[tuple[PodBuilder, float, str]] = []
    now = 0.0
    for _ in range(draw(st.integers(1, 4))):
        shape = draw(st.sampled_from(SHAPES))
        for _ in range(draw(st.integers(1, 4))):
            now += draw(st.sampled_from((0.0, 0.0, 0.3)))
            promised = draw(st.sampled_from(("", "", "", "n0", "gone")))
            pods.append((shape.named(f"p{len(pods)}"), now, promised))
    return pods


@settings(max_examples=150, deadline=None)
@given(
    nodes=clusters(),
    stream=streams(),
    version=st.sampled_from(("1.37", "1.36")),
    departures=st.lists(st.integers(0, 15), max_size=2),
)
def test_batching_decides_who_is_bound_as_a_full_search_does(
    nodes: list[NodeBuilder],
    stream: list[tuple[PodBuilder, float, str]],
    version: str,
    departures: list[int],
) -> None:
    core = DecidingCore(nodes, profile=default_profile(version=version), args=LIST)
    for place, (pod, now, promised) in enumerate(stream):
        if place in departures and core.snapshot.nodes.size > 1:
            leave(core, core.snapshot.nodes.names[place % core.snapshot.nodes.size])
        core.add(pod.nominated(promised) if promised else pod)
        core.now = now
        fresh, batched = without_batching(core, pod), core.decide_pod(pod.metadata.name)
        assert batched.status == fresh.status
        assert messages(batched) == messages(fresh)
        for node in bindings(batched).values():
            assert not reasons(reference_node(core, node), pod.info())
        core.carry_out(batched)
        core.waiting.clear()


@settings(max_examples=40, deadline=None)
@given(nodes=clusters(), stream=streams(), seed=st.integers(0, 3))
def test_the_same_stream_is_decided_the_same(
    nodes: list[NodeBuilder], stream: list[tuple[PodBuilder, float, str]], seed: int
) -> None:
    one, two = DecidingCore(nodes, args=LIST, seed=seed), DecidingCore(nodes, args=LIST, seed=seed)
    for pod, now, promised in stream:
        first, second = (
            play(core, pod.nominated(promised) if promised else pod, now) for core in (one, two)
        )
        assert first == second


def play(core: DecidingCore, pod: PodBuilder, now: float) -> Decision:
    """Decide about a pod and carry the decision out."""
    core.add(pod)
    core.now = now
    decision = core.decide_pod(pod.metadata.name)
    core.carry_out(decision)
    core.waiting.clear()
    return decision


def without_batching(core: DecidingCore, pod: PodBuilder) -> Decision:
    """Return what a search through all nodes decides about a waiting pod."""
    return decide(
        core.snapshot,
        QueuedPodInfo(pod=core.waiting[pod.metadata.name], timestamp=0.0),
        profile=core.profile,
        framework=core.framework,
        now=core.now,
        rng=random.Random(0),
    )


def messages(decision: Decision) -> list[str]:
    """Return what pods that were refused are told."""
    return [i.message for i in decision.instructions if isinstance(i, FailPod)]


def reference_node(core: DecidingCore, name: str) -> ReferenceNode:
    """Return a node for the naive scheduler."""
    row = core.snapshot.nodes.names.index(NodeName(name))
    return ReferenceNode(core.snapshot.nodes.infos[row], list(core.snapshot.pods_on(row)))


def leave(core: DecidingCore, node: str) -> None:
    """Let a node and its pods go."""
    row = core.snapshot.nodes.names.index(NodeName(node))
    for pod in list(core.snapshot.pods_on(row)):
        core.builder.remove_pod(pod.uid)
    core.builder.remove_node(NodeName(node))
