"""Members like members before them get the nodes that looking at every node would give them."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.scheduler.cycle.decision import BindPod, Decision
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore, default_profile
from kubegang.testing.podterms import pods_labelled, term
from tests.property.clusters import Scene, pods, scenes, unequal_scenes

NOBODY_IS_COMPARED = 10**9
BATCHED = {"PodTopologySpread": {"defaultingType": "List"}}
"""Only without default constraints are pods batched."""
AWAY = term(pods_labelled(app="web"))


@st.composite
def crowds(draw: st.DrawFn) -> Scene:
    """Draw a scene with more waiting members, many of them like others, in mixed order."""
    scene = draw(st.one_of(scenes(), unequal_scenes()))
    group = draw(st.sampled_from(scene.groups))
    kinds = [draw(pods(name=f"k{i}")).group(group.metadata.name) for i in range(3)]
    kinds = [kind.priority(scene.priority_of(kind)) for kind in kinds]
    order = draw(st.lists(st.sampled_from(kinds), max_size=12))
    crowd = [kind.named(f"c{i}") for i, kind in enumerate(order)]
    if draw(st.integers(0, 5)) == 0:
        crowd = [pod.label("app", "web").apart(AWAY) for pod in crowd]
    return scene._replace(waiting=[*scene.waiting, *crowd])


def fast(core: DecidingCore) -> DecidingCore:
    core.framework.compare_members_from = 2
    return core


def slow(core: DecidingCore) -> DecidingCore:
    core.framework.compare_members_from = NOBODY_IS_COMPARED
    return core


def assert_same(one: Decision, two: Decision) -> None:
    assert one.instructions == two.instructions
    assert one == two


@settings(max_examples=80, deadline=None)
@given(scene=crowds(), seed=st.integers(0, 2), args=st.sampled_from([None, BATCHED]))
def test_groups_are_decided_as_by_the_search_through_all_nodes(
    scene: Scene, seed: int, args: dict[str, dict[str, object]] | None
) -> None:
    objects = (scene.nodes, scene.running, scene.groups, scene.waiting, scene.budgets)
    one = fast(DecidingCore(*objects, seed=seed, args=args))
    two = slow(DecidingCore(*objects, seed=seed, args=args))
    for group in scene.groups * 2:
        decision = one.decide_group(group.metadata.name)
        assert_same(decision, two.decide_group(group.metadata.name))
        one.carry_out(decision)
        two.carry_out(decision)


def large_cluster(seed: int) -> list[list[NodeBuilder] | list[PodBuilder]]:
    """Return 450 unequal nodes in 9 racks, partly full."""
    rng = random.Random(seed)
    nodes: list[NodeBuilder] = []
    for i in range(450):
        node = make_node(f"n{i}").rack(f"r{i % 9}")
        node = node.capacity(cpu=str(rng.choice([2, 4, 8])), memory="16Gi", pods="20")
        nodes.append(node.taint("slow", "PreferNoSchedule") if rng.random() < 0.1 else node)
    running = [
        make_pod(f"r{i}").req(cpu=f"{rng.randrange(1, 9) * 100}m", memory="1Gi") for i in range(600)
    ]
    return [nodes, [pod.on(f"n{rng.randrange(450)}") for pod in running]]


def members(seed: int, count: int) -> list[PodBuilder]:
    rng = random.Random(seed)
    kinds = [
        make_pod("k").req(cpu=f"{rng.randrange(1, 15) * 100}m", memory="1Gi").group("g")
        for _ in range(3)
    ]
    kinds[2] = kinds[2].toleration("slow").prefers(5, ("rack", "In", ("r1", "r2")))
    return [rng.choice(kinds).named(f"m{i}") for i in range(count)]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("topology", [False, True])
@pytest.mark.parametrize("args", [None, BATCHED], ids=["alone", "batched"])
def test_a_large_cluster_is_sampled_alike(
    seed: int, topology: bool, args: dict[str, dict[str, object]] | None
) -> None:
    group = make_podgroup("g").gang(min_count=20)
    if topology:
        group = group.topology("rack")
    profile = msgspec.structs.replace(
        default_profile(), percentage_of_nodes_to_score=[0, 1][seed % 2]
    )
    cores = [
        DecidingCore(
            *large_cluster(seed), group, members(seed, 60), profile=profile, seed=seed, args=args
        )
        for _ in range(2)
    ]
    one, two = fast(cores[0]), slow(cores[1])
    for _ in range(2):
        decision = one.decide_group()
        assert_same(decision, two.decide_group())
        one.builder.set_scan_start(decision.scan_start)
        two.builder.set_scan_start(decision.scan_start)
    assert sum(isinstance(i, BindPod) for i in decision.instructions) >= 20
