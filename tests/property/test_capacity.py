"""Invariant ii: no decision pushes a node over what it has, in any resource or in pods."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.scheduler.cycle.decision import BindPod
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.scheduler.snapshot.validation import validate_snapshot
from kubegang.testing.builders import NodeBuilder
from kubegang.testing.deciding import DecidingCore, victims
from tests.property.clusters import Scene, scenes, unequal_scenes


def headroom(snapshot: Snapshot) -> dict[tuple[str, str], int]:
    """Return (node, resource) → what is left, which may be below zero."""
    nodes = snapshot.nodes
    left = {
        (name, resource): int(nodes.allocatable(resource)[row] - nodes.requested(resource)[row])
        for row, name in enumerate(nodes.names)
        for resource in nodes.resources
    }
    for row, name in enumerate(nodes.names):
        left[name, "pods"] = int(nodes.allowed_pods[row] - nodes.pod_count[row])
    return {(str(name), resource): amount for (name, resource), amount in left.items()}


@settings(max_examples=80, deadline=None)
@given(scene=st.one_of(scenes(), unequal_scenes()), data=st.data())
def test_nothing_is_overfilled_whatever_happens_between_cycles(
    scene: Scene, data: st.DataObject
) -> None:
    core = DecidingCore(scene.nodes, scene.running, scene.groups, scene.waiting, scene.budgets)
    entities = [group.metadata.name for group in scene.groups]
    entities += [pod.name for pod in core.waiting.values() if pod.pod_group is None]
    for name in data.draw(st.permutations(entities)):
        disturb(core, scene.nodes, data)
        before = headroom(core.snapshot)
        is_group = name.startswith("g")
        decision = core.decide_group(name) if is_group else core.decide_pod(name)
        core.carry_out(decision)
        after = headroom(core.snapshot)
        touched = {i.node for i in decision.instructions if isinstance(i, BindPod)}
        for (node, resource), left in after.items():
            # A node that shrank below its load may be over, but must not receive more.
            used_more = left < before.get((node, resource), 0)
            assert left >= 0 or not used_more, (node, resource)
            assert node in touched or not used_more
        assert not touched or not victims(decision), "room is made before it is taken"
        validate_snapshot(core.snapshot)


def disturb(core: DecidingCore, nodes: list[NodeBuilder], data: st.DataObject) -> None:
    """Shrink a node, lose one, or delete a pod."""
    what = data.draw(st.sampled_from(["nothing", "shrink", "lose", "delete"]))
    placed = list(core.snapshot.pods())
    if what == "shrink" and nodes:
        smaller = data.draw(st.sampled_from(nodes)).capacity(cpu="500m", pods="1")
        core.builder.set_node(smaller.info())
    elif what == "lose" and core.snapshot.nodes.size:
        core.builder.remove_node(data.draw(st.sampled_from(core.snapshot.nodes.names)))
    elif what == "delete" and placed:
        core.builder.remove_pod(data.draw(st.sampled_from(placed)).uid)
