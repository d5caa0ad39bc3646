"""Random small clusters, pods and groups for property tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from kubegang.testing.builders import (
    BudgetBuilder,
    NodeBuilder,
    PodBuilder,
    PodGroupBuilder,
    make_budget,
    make_node,
    make_pod,
    make_podgroup,
)

MIB = 1024 * 1024
CPUS = ["100m", "250m", "500m", "1", "1500m", "2", "3"]
MEMORY = ["64Mi", "256Mi", "1Gi", "3Gi", "10Gi"]
LABELS = [("disk", "ssd"), ("disk", "hdd"), ("gen", "3"), ("gen", "10"), ("gen", "old")]
TAINTS = [
    ("a", "NoSchedule"),
    ("b", "NoExecute"),
    ("c", "PreferNoSchedule"),
    ("d", "PreferNoSchedule"),
]
PRIORITIES = [-5, 0, 10, 10, 50, 100]
REQUIREMENTS = [
    ("disk", "In", ("ssd", "tape")),
    ("disk", "NotIn", ("ssd",)),
    ("disk", "Exists", ()),
    ("gen", "DoesNotExist", ()),
    ("gen", "Gt", ("3",)),
    ("gen", "Lt", ("11",)),
]


class Scene(NamedTuple):
    """A cluster and who waits for it."""

    nodes: list[NodeBuilder]
    running: list[PodBuilder]
    groups: list[PodGroupBuilder]
    waiting: list[PodBuilder]
    budgets: Sequence[BudgetBuilder] = ()

    def priority_of(self, pod: PodBuilder) -> int:
        """Return what counts for preemption: the priority of the pod's group, if it has one."""
        key = pod.info().pod_group
        for group in self.groups:
            if key is not None and group.info().key == key:
                return group.info().priority
        return pod.info().priority


@st.composite
def nodes(draw: st.DrawFn, *, name: str) -> NodeBuilder:
    """Draw a node: a size, some labels, taints and images."""
    node = make_node(name).capacity(
        cpu=draw(st.sampled_from(["1", "2", "4", "0"])),
        memory=draw(st.sampled_from(["1Gi", "4Gi", "16Gi"])),
        pods=draw(st.sampled_from(["2", "4", "110"])),
    )
    if draw(st.booleans()):
        node = node.capacity(gpu=draw(st.sampled_from(["1", "2"])))
    for key, value in draw(st.lists(st.sampled_from(LABELS), max_size=2)):
        node = node.label(key, value)
    for key, effect in draw(st.lists(st.sampled_from(TAINTS), max_size=1, unique=True)):
        node = node.taint(key, effect)
    if draw(st.integers(0, 9)) == 0:
        node = node.cordoned()
    for image in draw(st.lists(st.sampled_from("xy"), max_size=2, unique=True)):
        node = node.image(f"{image}:1", size_bytes=700 * MIB)
    return node.rack(draw(st.sampled_from(["r1", "r2"])))


@st.composite
def pods(draw: st.DrawFn, *, name: str) -> PodBuilder:
    """Draw a pod: requests, and now and then a wish about its node."""
    pod = make_pod(name).image(draw(st.sampled_from(["x:1", "y:1", "z:1"])))
    asks = {}
    if draw(st.integers(0, 4)):
        asks["cpu"] = draw(st.sampled_from(CPUS))
    if draw(st.booleans()):
        asks["memory"] = draw(st.sampled_from(MEMORY))
    if draw(st.integers(0, 5)) == 0:
        asks["gpu"] = "1"
    pod = pod.req(**asks)
    if draw(st.integers(0, 3)) == 0:
        key, value = draw(st.sampled_from(LABELS))
        pod = pod.select(key, value)
    for requirement in draw(st.lists(st.sampled_from(REQUIREMENTS), max_size=1)):
        pod = pod.requires(requirement)
    for requirement in draw(st.lists(st.sampled_from(REQUIREMENTS), max_size=2)):
        pod = pod.prefers(draw(st.integers(1, 100)), requirement)
    for key, _ in draw(st.lists(st.sampled_from(TAINTS), max_size=2)):
        pod = pod.toleration(key)
    if draw(st.integers(0, 5)) == 0:
        pod = pod.port(draw(st.sampled_from([80, 81])))
    return pod


@st.composite
def scenes(draw: st.DrawFn, *, max_nodes: int = 6, groups: bool = True) -> Scene:
    """Draw a cluster with pods that run and pods that wait, some of them in groups."""
    names = [f"n{i}" for i in range(draw(st.integers(0 if groups else 1, max_nodes)))]
    cluster = [draw(nodes(name=name)) for name in names]
    group_count = draw(st.integers(1, 2)) if groups else 0
    made = [draw(pod_groups(name=f"g{i}")) for i in range(group_count)]
    running: list[PodBuilder] = []
    waiting: list[PodBuilder] = []
    for index in range(draw(st.integers(0, 10))):
        pod = draw(pods(name=f"p{index}"))
        if draw(st.integers(0, 4)) and made:
            pod = pod.group(draw(st.sampled_from(made)).metadata.name)
        if names and draw(st.integers(0, 3)) == 0:
            running.append(pod.on(draw(st.sampled_from(names))))
        else:
            waiting.append(pod.terminating() if draw(st.integers(0, 12)) == 0 else pod)
    return Scene(cluster, running, made, waiting)


@st.composite
def pod_groups(draw: st.DrawFn, *, name: str) -> PodGroupBuilder:
    """Draw a basic group or a gang, with or without a topology key."""
    group = make_podgroup(name)
    if draw(st.integers(0, 3)):
        group = group.gang(min_count=draw(st.integers(1, 5)))
    return group.topology("rack") if draw(st.integers(0, 2)) == 0 else group


@st.composite
def unequal_scenes(draw: st.DrawFn, *, groups: bool = True, promises: bool = True) -> Scene:
    """Draw a crowded cluster whose pods and groups differ in priority.

    Members have their group's priority, as admission sees to.
    """
    scene = draw(scenes(groups=groups))
    names = [node.metadata.name for node in scene.nodes]
    made = [draw(ranked_groups(group)) for group in scene.groups]
    ranked = scene._replace(groups=made)
    waiting = [_ranked(draw, pod, ranked) for pod in scene.waiting]
    running = [_ranked(draw, pod, ranked) for pod in scene.running]
    for index in range(draw(st.integers(0, 8)) if names else 0):
        pod = draw(pods(name=f"x{index}")).on(draw(st.sampled_from(names)))
        if made and draw(st.integers(0, 2)) == 0:
            pod = pod.group(draw(st.sampled_from(made)).metadata.name)
        running.append(_ranked(draw, pod, ranked))
    if promises and names:
        waiting = [
            pod.nominated(draw(st.sampled_from(names))) if draw(st.integers(0, 3)) == 0 else pod
            for pod in waiting
        ]
    budgets = [make_budget().selecting(app="web").allowing(draw(st.integers(0, 2)))]
    return ranked._replace(
        waiting=waiting, running=running, budgets=budgets if draw(st.booleans()) else []
    )


@st.composite
def ranked_groups(draw: st.DrawFn, group: PodGroupBuilder) -> PodGroupBuilder:
    """Draw a group's priority and how it may be disrupted."""
    group = group.priority(draw(st.sampled_from(PRIORITIES)))
    return group.disrupted_whole() if draw(st.booleans()) else group


def _ranked(draw: st.DrawFn, pod: PodBuilder, scene: Scene) -> PodBuilder:
    if pod.info().pod_group is None:
        pod = pod.priority(draw(st.sampled_from(PRIORITIES)))
    else:
        pod = pod.priority(scene.priority_of(pod))
    if draw(st.integers(0, 2)) == 0:
        pod = pod.label("app", "web")
    if not pod.info().node_name:
        return pod
    if draw(st.integers(0, 5)) == 0:
        pod = pod.preempted()
    return pod.started(draw(st.integers(1, 3))) if draw(st.booleans()) else pod
