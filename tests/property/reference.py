"""A naive scheduler for one pod: node by node, in plain Python, straight from the rules.

It shares no code with the plugins, so that agreement means something. Slow on purpose.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.terms import Requirement, Toleration

MIB = 1024 * 1024


class ReferenceNode:
    """One node and the pods on it."""

    def __init__(self, node: NodeInfo, pods: Sequence[PodInfo]) -> None:
        self.node = node
        self.pods = list(pods)

    def has(self, resource: str) -> int:
        return dict(self.node.allocatable).get(resource, 0)

    def taken(self, resource: str) -> int:
        return sum(dict(pod.requests.items).get(resource, 0) for pod in self.pods)


def reasons(entry: ReferenceNode, pod: PodInfo) -> list[str]:
    """Return why the node refuses the pod: what the first refusing filter says."""
    node = entry.node
    if node.unschedulable and not _tolerated(
        pod, "node.kubernetes.io/unschedulable", "", "NoSchedule"
    ):
        return ["node(s) were unschedulable"]
    for key, value, effect in node.taints:
        if effect != "PreferNoSchedule" and not _tolerated(pod, key, value, effect):
            return ["node(s) had untolerated taint(s)"]
    if not _wanted(node, pod):
        return ["node(s) didn't match Pod's node affinity/selector"]
    if _port_taken(entry, pod):
        return ["node(s) didn't have free ports for the requested pod ports"]
    lacking = ["Too many pods"] if len(entry.pods) >= node.allowed_pods else []
    for resource, amount in pod.requests.items:
        if amount > entry.has(resource) - entry.taken(resource):
            lacking.append(f"Insufficient {resource}")
    return lacking


def message(entries: Sequence[ReferenceNode], pod: PodInfo) -> str:
    """Return the sentence for a pod that fits nowhere, without what preemption adds."""
    counts = Counter(reason for entry in entries for reason in reasons(entry, pod))
    words = sorted(f"{number} {reason}" for reason, number in counts.items())
    return f"0/{len(entries)} nodes are available: {', '.join(words)}."


def totals(
    feasible: Sequence[ReferenceNode], pod: PodInfo, *, cluster: Sequence[ReferenceNode]
) -> dict[str, int]:
    """Return the total score of each feasible node with the default weights."""
    disliked = [_disliked(entry, pod) for entry in feasible]
    liked = [_liked(entry, pod) for entry in feasible]
    result = {}
    for entry, dislike, like in zip(feasible, disliked, liked, strict=True):
        taints = 100 - 100 * dislike // max(disliked) if max(disliked) else 100
        affinity = 100 * like // max(liked) if max(liked) else 0
        result[entry.node.name] = (
            3 * taints
            + 2 * affinity
            + _least_allocated(entry, pod)
            + _balance(entry, pod)
            + _images(entry, pod, cluster)
        )
    return {str(name): score for name, score in result.items()}


def _tolerated(pod: PodInfo, key: str, value: str, effect: str) -> bool:
    return any(_tolerates(t, key, value, effect) for t in pod.tolerations)


def _tolerates(t: Toleration, key: str, value: str, effect: str) -> bool:
    return (
        t.effect in ("", effect)
        and t.key in ("", key)
        and (t.operator == "Exists" or (t.operator == "Equal" and t.value == value))
    )


def _wanted(node: NodeInfo, pod: PodInfo) -> bool:
    affinity = pod.affinity
    if any(node.labels.get(key) != value for key, value in affinity.selector):
        return False
    return affinity.required is None or any(
        all(_holds(node, e) for e in term.expressions) for term in affinity.required
    )


def _holds(node: NodeInfo, requirement: Requirement) -> bool:
    value = node.labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and value.isdigit() and int(value) > int(requirement.values[0])
        case _:
            return value is not None and value.isdigit() and int(value) < int(requirement.values[0])


def _port_taken(entry: ReferenceNode, pod: PodInfo) -> bool:
    taken = {(p.protocol, p.port) for other in entry.pods for p in other.host_ports}
    return any((p.protocol, p.port) in taken for p in pod.host_ports)


def _disliked(entry: ReferenceNode, pod: PodInfo) -> int:
    relevant = [t for t in pod.tolerations if t.effect in ("", "PreferNoSchedule")]
    return sum(
        effect == "PreferNoSchedule"
        and not any(_tolerates(t, key, value, effect) for t in relevant)
        for key, value, effect in entry.node.taints
    )


def _liked(entry: ReferenceNode, pod: PodInfo) -> int:
    return sum(
        weight
        for weight, term in pod.affinity.preferred
        if all(_holds(entry.node, e) for e in term.expressions)
    )


def _least_allocated(entry: ReferenceNode, pod: PodInfo) -> int:
    cpu = sum(p.requests.score_milli_cpu for p in [*entry.pods, pod])
    memory = sum(p.requests.score_memory_bytes for p in [*entry.pods, pod])
    scores = [
        max(has - taken, 0) * 100 // has
        for has, taken in ((entry.has("cpu"), cpu), (entry.has("memory"), memory))
        if has
    ]
    return sum(scores) // len(scores) if scores else 0


def _balance(entry: ReferenceNode, pod: PodInfo) -> int:
    wanted = dict(pod.requests.items)
    if not wanted.get("cpu") and not wanted.get("memory"):
        return 0
    after = _evenness(entry, wanted)
    return 50 + (50 + after - _evenness(entry, {})) // 2


def _evenness(entry: ReferenceNode, wanted: dict[str, int]) -> int:
    shares = [
        min((entry.taken(resource) + wanted.get(resource, 0)) / entry.has(resource), 1.0)
        for resource in ("cpu", "memory")
        if entry.has(resource)
    ]
    deviation = abs((shares[0] - shares[1]) / 2) if len(shares) == 2 else 0.0
    return math.trunc((1 - deviation) * 100)


def _images(entry: ReferenceNode, pod: PodInfo, cluster: Sequence[ReferenceNode]) -> int:
    total = 0
    for image in pod.images:
        sizes = {
            e.node.name: dict(e.node.images)[image] for e in cluster if image in dict(e.node.images)
        }
        if entry.node.name in sizes:
            total += int(float(next(iter(sizes.values()))) * (len(sizes) / len(cluster)))
    largest = 1000 * MIB * len(pod.images)
    total = min(max(total, 23 * MIB), largest)
    return 100 * (total - 23 * MIB) // (largest - 23 * MIB)
