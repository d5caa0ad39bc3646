"""Random small trees of groups over random small clusters."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from kubegang.testing.builders import (
    CompositePodGroupBuilder,
    NodeBuilder,
    PodBuilder,
    PodGroupBuilder,
    make_composite,
    make_node,
    make_pod,
    make_podgroup,
)

STRONG, WEAK = 100, 10

Group = PodGroupBuilder | CompositePodGroupBuilder


class Forest(NamedTuple):
    """A cluster, and one tree that waits for it; its root is called ``root``."""

    nodes: list[NodeBuilder]
    running: list[PodBuilder]
    groups: list[Group]
    waiting: list[PodBuilder]


@st.composite
def forests(draw: st.DrawFn) -> Forest:
    """Draw nodes in racks and zones, pods that run, and a tree of up to four levels."""
    count = draw(st.integers(0, 5))
    nodes = [_node(draw, f"n{index}") for index in range(count)]
    groups: list[Group] = []
    root = make_composite().priority(STRONG).gang(min_groups=draw(st.integers(1, 3)))
    groups.append(_with_key(draw, root, ("zone", "rack")))
    for index in range(draw(st.integers(0, 3))):
        _grow(draw, groups, f"g{index}", parent="root", levels=3)
    leaves = [g.metadata.name for g in groups if isinstance(g, PodGroupBuilder)]
    running: list[PodBuilder] = []
    waiting: list[PodBuilder] = []
    for index in range(draw(st.integers(0, 9)) if leaves else 0):
        pod = make_pod(f"p{index}").priority(STRONG).group(draw(st.sampled_from(leaves)))
        pod = pod.req(cpu=draw(st.sampled_from(["500m", "1", "2"])))
        if nodes and draw(st.integers(0, 5)) == 0:
            running.append(pod.on(draw(st.sampled_from(nodes)).metadata.name))
        else:
            waiting.append(pod)
    for index in range(draw(st.integers(0, 5)) if nodes else 0):
        weak = make_pod(f"w{index}").priority(WEAK).req(cpu=draw(st.sampled_from(["1", "2"])))
        running.append(weak.on(draw(st.sampled_from(nodes)).metadata.name))
    return Forest(nodes, running, groups, waiting)


def _node(draw: st.DrawFn, name: str) -> NodeBuilder:
    rack = draw(st.sampled_from(["r1", "r2", "r3"]))
    node = make_node(name).capacity(cpu=draw(st.sampled_from(["1", "2", "4"])))
    return node.rack(rack).label("zone", "z2" if rack == "r3" else "z1")


def _grow(draw: st.DrawFn, groups: list[Group], name: str, *, parent: str, levels: int) -> None:
    age = draw(st.integers(0, 3))
    if levels > 1 and draw(st.integers(0, 2)) == 0:
        composite = make_composite(name).child_of(parent).priority(STRONG).created(age)
        if draw(st.booleans()):
            composite = composite.gang(min_groups=draw(st.integers(1, 2)))
        groups.append(_with_key(draw, composite, ("rack",)))
        for index in range(draw(st.integers(0, 2))):
            _grow(draw, groups, f"{name}-{index}", parent=name, levels=levels - 1)
        return
    group = make_podgroup(name).child_of(parent).priority(STRONG).created(age)
    if draw(st.booleans()):
        group = group.gang(min_count=draw(st.integers(1, 3)))
    if draw(st.integers(0, 3)) == 0:
        group = group.topology("rack")
    groups.append(group)


def _with_key(
    draw: st.DrawFn, composite: CompositePodGroupBuilder, keys: tuple[str, ...]
) -> CompositePodGroupBuilder:
    key = draw(st.sampled_from(("", *keys)))
    return composite.topology(key) if key else composite
