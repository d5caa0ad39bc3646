"""Suppositions as edits of a cluster's state: cordon, drain, add nodes, change priorities. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from kubegang.scheduler.framework.labelselection import selects
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import (
    NodeName,
    PodGroupInfo,
    PodGroupKey,
    PodInfo,
    PodUid,
)
from kubegang.tools.cluster.edits import Edit, RemovePod, SetGroup, SetNode, SetPod
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.explaining.report import Subject
from kubegang.tools.explaining.targets import is_member
from kubegang.tools.rehearsal.stage import Stage

HOSTNAME = "kubernetes.io/hostname"


class SuppositionError(ValueError):
    """A supposition about something that does not exist."""


class Proposed(NamedTuple):
    """A pod as it would run elsewhere, where it runs, and who needs its room."""

    pod: PodInfo
    origin: str
    beneficiary: PodInfo


class Drained(msgspec.Struct, frozen=True):
    """What draining nodes does.

    Attributes:
        gone: pods that are evicted, with their nodes.
        returning: those of them that their controllers make anew.
    """

    edits: tuple[Edit, ...]
    gone: tuple[PodInfo, ...]
    returning: frozenset[PodUid]


def node_named(state: ClusterState, name: str) -> NodeInfo:
    """Return a node.

    Raises:
        SuppositionError: there is no such node.
    """
    for node in state.nodes:
        if node.name == name:
            return node
    raise SuppositionError(f"there is no node {name}")


def added_nodes(state: ClusterState, shape: NodeInfo, number: int) -> list[SetNode]:
    """Return so many nodes of a shape, under names that are free."""
    taken = {node.name for node in state.nodes}
    names = (name for index in range(10**6) if (name := f"new-{index}") not in taken)
    return [SetNode(_named(shape, next(names))) for _ in range(number)]


def _named(node: NodeInfo, name: str) -> NodeInfo:
    labels = {**node.labels, HOSTNAME: name}
    return msgspec.structs.replace(node, name=NodeName(name), uid=f"new/{name}", labels=labels)


def cordoned(state: ClusterState, names: Sequence[str]) -> list[SetNode]:
    """Return nodes on which nothing new may start.

    Raises:
        SuppositionError: there is no such node.
    """
    return [
        SetNode(msgspec.structs.replace(node_named(state, name), unschedulable=True))
        for name in names
    ]


def drained(state: ClusterState, names: Sequence[str]) -> Drained:
    """Return nodes that are cordoned and whose pods are evicted, but for those of DaemonSets.

    Raises:
        SuppositionError: there is no such node.
    """
    edits: list[Edit] = [*cordoned(state, names)]
    gone: list[PodInfo] = []
    returning: set[PodUid] = set()
    for pod in state.pods:
        owner = state.owners.get(pod.uid)
        if pod.node_name not in names or (owner is not None and owner.kind == "DaemonSet"):
            continue
        gone.append(pod)
        edits.append(RemovePod(pod.uid))
        again = replacement(state, pod)
        if again is not None:
            returning.add(pod.uid)
            edits.append(SetPod(again))
    return Drained(tuple(edits), tuple(gone), frozenset(returning))


def budget_warnings(state: ClusterState, gone: Sequence[PodInfo]) -> Iterator[str]:
    """Yield which disruption budgets would hold up a drain."""
    for budget in state.budgets:
        count = sum(
            pod.namespace == budget.namespace and selects(budget.selector, pod.labels)
            for pod in gone
        )
        if count > budget.disruptions_allowed:
            yield (
                f"PodDisruptionBudget {budget.namespace}/{budget.name} allows "
                f"{budget.disruptions_allowed} disruptions now, {count} are needed: "
                "the drain waits until evicted pods run elsewhere"
            )


def replacement(state: ClusterState, pod: PodInfo) -> PodInfo | None:
    """Return what a pod's controller makes in its place; nothing for a pod without one."""
    owner = state.owners.get(pod.uid)
    if owner is None or owner.kind in ("DaemonSet", "Node"):
        return None
    return msgspec.structs.replace(
        pod,
        uid=PodUid(f"{pod.uid}/again"),
        name=f"{pod.name}-again",
        node_name=NodeName(""),
        nominated_node_name=NodeName(""),
        created=state.taken,
        terminating=False,
        preempted=False,
        condition=None,
    )


def with_priority(stage: Stage, subject: Subject, priority: int) -> list[Edit]:
    """Return a pod, a group with its pods, or everything of an owner with another priority.

    Raises:
        SuppositionError: there is no such object.
    """
    state = stage.state
    pods = [pod for pod in state.pods_for(stage.deciders.main) if _belongs(stage, pod, subject)]
    groups = [group for group in _groups(stage) if _is(group, subject)]
    keys = {group.key for group in groups} | {
        pod.pod_group for pod in pods if pod.pod_group is not None and is_member(stage, pod)
    }
    if not pods and not groups:
        raise SuppositionError(f"there is no {subject}")
    # A group's members must all have its priority.
    members = [
        pod for pod in state.pods_for(stage.deciders.main) if pod.pod_group in keys or pod in pods
    ]
    edits: list[Edit] = [SetPod(msgspec.structs.replace(pod, priority=priority)) for pod in members]
    edits += [
        SetGroup(msgspec.structs.replace(group, priority=priority))
        for group in _groups(stage)
        if group.key in keys
    ]
    return edits


def _groups(stage: Stage) -> Iterator[PodGroupInfo]:
    yield from stage.snapshot.pod_groups()


def _belongs(stage: Stage, pod: PodInfo, subject: Subject) -> bool:
    if pod.namespace != subject.namespace:
        return False
    match subject.kind:
        case "Pod":
            return pod.name == subject.name
        case "PodGroup":
            return pod.pod_group is not None and pod.pod_group.name == subject.name
        case _:
            owner = stage.state.owners.get(pod.uid)
            return owner is not None and (owner.kind, owner.name) == (subject.kind, subject.name)


def _is(group: PodGroupInfo, subject: Subject) -> bool:
    key = group.key
    return (key.kind, key.namespace, key.name) == (subject.kind, subject.namespace, subject.name)


def largest_first(state: ClusterState) -> list[Edit]:
    """Return the waiting members of groups as if those that ask for most had come first."""
    waiting: dict[PodGroupKey, list[PodInfo]] = {}
    for pod in state.pods:
        if pod.pod_group is not None and not pod.node_name:
            waiting.setdefault(pod.pod_group, []).append(pod)
    edits: list[Edit] = []
    for pods in waiting.values():
        if len({pod.requests for pod in pods}) > 1:
            start = min(pod.created for pod in pods)
            ordered = sorted(pods, key=lambda pod: pod.requests.items, reverse=True)
            edits += [
                SetPod(msgspec.structs.replace(pod, created=start + number * 1e-6))
                for number, pod in enumerate(ordered)
            ]
    return edits


def priorities_of_classes(state: ClusterState) -> Counter[str]:
    """Return the values of the PriorityClasses by name."""
    return Counter(
        {
            key.name: int(obj.get("value") or 0)
            for key, obj in state.objects.items()
            if key.kind == "PriorityClass"
        }
    )
