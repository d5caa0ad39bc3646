"""Random forests of groups for the comparison with the real scheduler: small, seeded, settled.

A scene leaves nothing to chance or to the clock that can be avoided: siblings are created in
different seconds, nodes of a domain differ in size from those of others, and a tree's root is
created last, so that the first attempt at a tree sees all of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from kubegang.apimachinery.objects import JsonObject

GROUPS_VERSION: Final = "scheduling.k8s.io/v1alpha3"
STRONG, WEAK = 100, 10


@dataclass(frozen=True)
class SceneNode:
    """A node of whole CPUs in a rack of a zone."""

    name: str
    cpu: int
    rack: str
    zone: str


@dataclass(frozen=True)
class SceneGroup:
    """A PodGroup or a CompositePodGroup; ``minimum`` 0 is a basic one."""

    name: str
    minimum: int
    parent: str = ""
    composite: bool = False
    topology: str = ""
    priority: int = STRONG
    whole: bool = False

    def json(self) -> JsonObject:
        """Return what a client would send."""
        count = "minGroupCount" if self.composite else "minCount"
        spec: JsonObject = {
            "workloadRef": {"workloadName": "w", "templateName": "t"},
            "schedulingPolicy": {"gang": {count: self.minimum}} if self.minimum else {"basic": {}},
            "priorityClassName": class_of(self.priority),
            "disruptionMode": {"all": {}} if self.whole else {"single": {}},
        }
        if self.parent:
            spec["parentCompositePodGroupName"] = self.parent
        if self.topology:
            spec["schedulingConstraints"] = {"topology": [{"key": self.topology}]}
        kind = "CompositePodGroup" if self.composite else "PodGroup"
        return {
            "apiVersion": GROUPS_VERSION,
            "kind": kind,
            "metadata": {"name": self.name},
            "spec": spec,
        }


@dataclass(frozen=True)
class ScenePod:
    """A pod; one with a node runs there from the start."""

    name: str
    group: str
    halves: int
    node: str = ""
    select: str = ""
    priority: int = STRONG

    def json(self) -> JsonObject:
        """Return what a client would send."""
        requests = {"cpu": f"{self.halves * 500}m"}
        spec: JsonObject = {
            "containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}],
            "priorityClassName": class_of(self.priority),
            "terminationGracePeriodSeconds": 0,
        }
        if self.group:
            spec["schedulingGroup"] = {"podGroupName": self.group}
        if self.node:
            spec["nodeName"] = self.node
        if self.select:
            spec["nodeSelector"] = {"kubernetes.io/hostname": self.select}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": self.name},
            "spec": spec,
        }


@dataclass
class Tree:
    """A root and what is below it, in the order of creation within each parent."""

    root: SceneGroup
    groups: list[SceneGroup] = field(default_factory=list)
    pods: list[ScenePod] = field(default_factory=list)

    def rounds(self) -> Iterator[list[SceneGroup]]:
        """Yield the groups below the root: first every parent's first child, and so on."""
        by_parent: dict[str, list[SceneGroup]] = {}
        for group in self.groups:
            by_parent.setdefault(group.parent, []).append(group)
        for number in range(max(map(len, by_parent.values()), default=0)):
            yield [siblings[number] for siblings in by_parent.values() if number < len(siblings)]


@dataclass
class Scene:
    """A cluster with pods that run, and trees that come one after the other.

    Attributes:
        by_topology: whether a group has a topology key; which domain is tried first is left
            to chance upstream, so texts are not compared then.
    """

    seed: int
    nodes: list[SceneNode] = field(default_factory=list)
    running_groups: list[SceneGroup] = field(default_factory=list)
    running: list[ScenePod] = field(default_factory=list)
    trees: list[Tree] = field(default_factory=list)
    by_topology: bool = False


def class_of(priority: int) -> str:
    """Return the name of the priority class that the scenes' clusters have."""
    return f"p{priority}"


def make_scene(seed: int) -> Scene:
    """Return the scene of a seed."""
    rng = random.Random(seed)
    scene = Scene(seed, by_topology=rng.random() < 0.5)
    _add_nodes(scene, rng)
    _add_running(scene, rng)
    for number in range(rng.choice((1, 1, 2))):
        scene.trees.append(_tree(scene, rng, f"t{number}"))
    return scene


def _add_nodes(scene: Scene, rng: random.Random) -> None:
    for index in range(rng.randint(2, 5)):
        rack = rng.choice(("r1", "r2", "r3"))
        zone = "z2" if rack == "r3" else "z1"
        scene.nodes.append(SceneNode(f"n{index}", rng.randint(1, 4), rack, zone))


def _add_running(scene: Scene, rng: random.Random) -> None:
    """Put weak and strong pods on nodes, some of the weak ones in groups of their own."""
    groups = _victim_groups(scene, rng)
    for node in scene.nodes:
        left = node.cpu * 2
        while left and rng.random() < 0.5:
            halves = rng.randint(1, left)
            left -= halves
            weak = rng.random() < 0.7
            group = rng.choice(groups) if weak and groups and rng.random() < 0.5 else ""
            name = f"{'weak' if weak else 'block'}{len(scene.running)}"
            priority = WEAK if weak else STRONG
            scene.running.append(ScenePod(name, group, halves, node=node.name, priority=priority))


def _victim_groups(scene: Scene, rng: random.Random) -> list[str]:
    if rng.random() < 0.4:
        return []
    above = ""
    if rng.random() < 0.6:
        above = "vtop"
        scene.running_groups.append(
            SceneGroup(above, 0, composite=True, priority=WEAK, whole=rng.random() < 0.5)
        )
    names = ["va", "vb"]
    for name in names:
        parent = above if rng.random() < 0.7 else ""
        whole = rng.random() < 0.3
        scene.running_groups.append(SceneGroup(name, 0, parent, priority=WEAK, whole=whole))
    return names


def _tree(scene: Scene, rng: random.Random, name: str) -> Tree:
    children = rng.randint(1, 3)
    topology = rng.choice(("zone", "rack", "")) if scene.by_topology else ""
    tree = Tree(SceneGroup(name, rng.randint(0, children), composite=True, topology=topology))
    for index in range(children):
        _branch(tree, scene, rng, name=f"{name}{'abc'[index]}", parent=tree.root, depth=1)
    return tree


def _branch(
    tree: Tree, scene: Scene, rng: random.Random, *, name: str, parent: SceneGroup, depth: int
) -> None:
    inner = ("rack", "") if parent.topology != "rack" else ("",)
    topology = rng.choice(inner) if scene.by_topology else ""
    if depth < 3 and rng.random() < 0.35:
        children = rng.randint(1, 2)
        minimum = rng.randint(0, children)
        group = SceneGroup(name, minimum, parent.name, composite=True, topology=topology)
        tree.groups.append(group)
        for index in range(children):
            child = f"{name}{'abc'[index]}"
            _branch(tree, scene, rng, name=child, parent=group, depth=depth + 1)
        return
    pods = rng.randint(1, 3)
    # Now and then a pod is missing.
    minimum = rng.choice((0, *range(1, pods + 1), pods, pods + (rng.random() < 0.3)))
    tree.groups.append(SceneGroup(name, minimum, parent.name, topology=topology))
    halves = rng.randint(1, 4)
    for index in range(pods):
        select = rng.choice(scene.nodes).name if rng.random() < 0.2 else ""
        size = rng.randint(1, 6) if rng.random() < 0.2 else halves
        tree.pods.append(ScenePod(f"{name}-{index}", name, size, select=select))
