"""Random pending groups on small clusters, and the changes that brute force would try."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.clustersource import Source, stage_of
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodGroupKey
from kubegang.tools.cluster.edits import Edit, SetGroup, SetNode, SetPod, with_edits
from kubegang.tools.explaining.case import Case, case_of
from kubegang.tools.explaining.changes.searching import Found
from kubegang.tools.explaining.room import room_of
from tests.component.toolscenes import RACK, gang, node, pod, source

GROUP = "g"


def random_source(rng: random.Random) -> Source:
    """Return a cluster of few nodes, some of them full, with one group that may not fit."""
    version = rng.choice(("1.35", "1.36", "1.37", "1.37"))
    key = RACK if version != "1.35" and rng.random() < 0.3 else ""
    objects = [_node(rng, index) for index in range(rng.randint(1, 4))]
    for index, made in enumerate(list(objects)):
        left = int(made["status"]["allocatable"]["cpu"])
        while left and rng.random() < 0.6:
            size = rng.randint(1, left)
            left -= size
            name = f"held-{index}-{left}"
            objects.append(pod(name, on=f"n{index}", cpu=str(size), priority=rng.choice((0, 0, 5))))
    size = rng.randint(1, 4)
    minimum = rng.randint(1, size + (rng.random() < 0.2))
    cpu = str(rng.randint(1, 3))
    objects.append(gang(GROUP, minimum, key=key, version=version))
    for index in range(size):
        asked = cpu if rng.random() < 0.9 else str(rng.randint(1, 3))
        objects.append(pod(f"p{index}", group=GROUP, cpu=asked, version=version))
    return source(*objects, version=version)


def _node(rng: random.Random, index: int) -> JsonObject:
    made = node(f"n{index}", cpu=str(rng.randint(1, 4)), labels={RACK: rng.choice("ab")})
    if rng.random() < 0.2:
        made["spec"] = {"taints": [{"key": "team", "value": "x", "effect": "NoSchedule"}]}
    elif rng.random() < 0.15:
        made["spec"] = {"unschedulable": True}
    return made


def group_key(found: Source) -> PodGroupKey:
    name = f"{GROUP}/{GROUP}" if found.rules.version.name == "1.35" else GROUP
    return PodGroupKey("default", name)


def starts_with(found: Source, edits: Sequence[Edit], *, makes_room: bool = False) -> bool:
    """Return whether the group starts in a cluster with these edits, made from its objects."""
    state = with_edits(found.state, edits)
    case = case_of(stage_of(state, found.rules), group_key(found))
    return case.starts() or (makes_room and room_of(case, ())[0].possible)


# --- what brute force tries --------------------------------------------------------------


def smaller_ones(case: Case, found: Found) -> Iterator[list[Edit]]:
    """Yield every change of the same kind that is smaller."""
    match found.change.kind:
        case "lower-min-count":
            yield from _minimums(case, found.change.size)
        case "free":
            yield from _distributions(case, found.change.size)
        case "add-nodes":
            yield from _nodes(case, found.change.size)
        case "raise-priority":
            yield from _priorities(case, found.change.size)
        case "uncordon" | "remove-taint" | "create-pods":
            for number in range(1, found.change.size):
                yield from map(list, itertools.combinations(_every(case, found), number))


def _every(case: Case, found: Found) -> Sequence[Edit]:
    if found.change.kind == "create-pods":
        return found.edits
    nodes = case.stage.snapshot.nodes.infos
    opened = [
        msgspec.structs.replace(node, unschedulable=False, taints=())
        for node in nodes
        if (node.unschedulable if found.change.kind == "uncordon" else node.taints)
    ]
    return [SetNode(node) for node in opened]


def _group(case: Case) -> PodGroupInfo:
    assert case.group is not None
    return case.group


def _minimums(case: Case, size: int) -> Iterator[list[Edit]]:
    group = _group(case)
    for less in range(1, size):
        yield [SetGroup(msgspec.structs.replace(group, min_count=group.quorum - less))]


def _priorities(case: Case, size: int) -> Iterator[list[Edit]]:
    for more in range(1, size):
        priority = case.priority + more
        edits: list[Edit] = [
            SetPod(msgspec.structs.replace(one, priority=priority)) for one in case.pods
        ]
        yield [*edits, SetGroup(msgspec.structs.replace(_group(case), priority=priority))]


def _distributions(case: Case, size: int) -> Iterator[list[Edit]]:
    """Yield every way to free less CPU, in whole ones, as no pod here asks for parts.

    Only what pods hold can become free.
    """
    table = case.stage.snapshot.nodes
    nodes, held = table.infos, table.requested("cpu")
    for total in range(1000, size, 1000):
        for chosen in itertools.combinations_with_replacement(nodes, total // 1000):
            freed = {one.name: chosen.count(one) * 1000 for one in chosen}
            if all(freed.get(node.name, 0) <= held[row] for row, node in enumerate(nodes)):
                yield [
                    SetNode(_with_more(one, freed[one.name])) for one in nodes if one.name in freed
                ]


def _with_more(made: NodeInfo, cpu: int) -> NodeInfo:
    amounts = tuple((name, have + cpu * (name == "cpu")) for name, have in made.allocatable)
    return msgspec.structs.replace(made, allocatable=amounts)


def _nodes(case: Case, size: int) -> Iterator[list[Edit]]:
    """Yield fewer nodes of every shape that exists, in every rack and in a new one."""
    racks = ("a", "b", "new")
    for shape in case.stage.snapshot.nodes.infos:
        for rack, number in itertools.product(racks, range(1, size)):
            yield [SetNode(_new(shape, rack, index)) for index in range(number)]


def _new(shape: NodeInfo, rack: str, index: int) -> NodeInfo:
    name = f"brute-{index}"
    labels = {**shape.labels, RACK: rack, "kubernetes.io/hostname": name}
    return msgspec.structs.replace(
        shape, name=NodeName(name), uid=name, labels=labels, unschedulable=False
    )
