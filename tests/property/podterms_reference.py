"""A naive look at the pods around a pod: pod by pod, in plain Python, straight from the rules.

It reads API objects and shares no code with the plugins, so that agreement means something.
Slow on purpose.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kubegang.api.core.affinity import (
    PodAffinity,
    PodAffinityTerm,
    TopologySpreadConstraint,
)
from kubegang.api.core.types import Node, Pod
from kubegang.api.meta import LabelSelector

HOSTNAME = "kubernetes.io/hostname"
UNEVEN = "node(s) didn't match pod topology spread constraints"
UNLABELLED = f"{UNEVEN} (missing required label)"
NOT_NEAR = "node(s) didn't match pod affinity rules"
NOT_APART = "node(s) didn't match pod anti-affinity rules"
UNWELCOME = "node(s) didn't satisfy existing pods anti-affinity rules"

DEFAULTS = (
    TopologySpreadConstraint(3, HOSTNAME, "ScheduleAnyway"),
    TopologySpreadConstraint(5, "topology.kubernetes.io/zone", "ScheduleAnyway"),
)


@dataclass
class World:
    """Nodes, who runs where, and what else there is.

    Attributes:
        services: (namespace, labels) of each Service.
    """

    nodes: Sequence[Node]
    pods: Sequence[tuple[Pod, str]]
    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    services: Sequence[tuple[str, Mapping[str, str]]] = ()

    def on(self, node: Node) -> list[Pod]:
        return [pod for pod, name in self.pods if name == node.metadata.name]

    def everywhere(self) -> Iterable[tuple[Pod, Node]]:
        return [(pod, node) for node in self.nodes for pod in self.on(node)]


def selected(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    if selector is None or any(labels.get(k) != v for k, v in selector.match_labels.items()):
        return False
    return all(
        {
            "In": labels.get(e.key) in e.values,
            "NotIn": e.key not in labels or labels[e.key] not in e.values,
            "Exists": e.key in labels,
            "DoesNotExist": e.key not in labels,
        }[e.operator]
        for e in selector.match_expressions
    )


# --- affinity ----------------------------------------------------------------------------


def means(world: World, owner: Pod, term: PodAffinityTerm, other: Pod) -> bool:
    """Return whether a term of ``owner`` means ``other``."""
    there = other.metadata.namespace
    if not term.namespaces and term.namespace_selector is None:
        right_place = there == owner.metadata.namespace
    else:
        right_place = there in term.namespaces or selected(
            term.namespace_selector, world.namespaces.get(there, {})
        )
    return right_place and selected(term.label_selector, other.metadata.labels)


def together(one: Node, other: Node, key: str) -> bool:
    a, b = one.metadata.labels.get(key), other.metadata.labels.get(key)
    return a is not None and a == b


def _terms(pod: Pod) -> tuple[PodAffinity, PodAffinity]:
    affinity = pod.spec.affinity
    near = affinity.pod_affinity if affinity else None
    apart = affinity.pod_anti_affinity if affinity else None
    return near or PodAffinity(), apart or PodAffinity()


def affinity_reason(world: World, pod: Pod, node: Node) -> str | None:
    near, apart = _terms(pod)
    required = near.required_during_scheduling_ignored_during_execution
    if required and not _is_near(world, pod, node, required):
        return NOT_NEAR
    for term in apart.required_during_scheduling_ignored_during_execution:
        for other, there in world.everywhere():
            if together(node, there, term.topology_key) and means(world, pod, term, other):
                return NOT_APART
    for other, there in world.everywhere():
        for term in _terms(other)[1].required_during_scheduling_ignored_during_execution:
            if together(node, there, term.topology_key) and means(world, other, term, pod):
                return UNWELCOME
    return None


def _is_near(world: World, pod: Pod, node: Node, terms: Sequence[PodAffinityTerm]) -> bool:
    if any(term.topology_key not in node.metadata.labels for term in terms):
        return False
    found = [
        (term, there)
        for other, there in world.everywhere()
        if all(means(world, pod, t, other) for t in terms)
        for term in terms
        if term.topology_key in there.metadata.labels
    ]
    if not found:
        return all(means(world, pod, term, pod) for term in terms)
    return all(
        any(t == term and together(node, there, t.topology_key) for t, there in found)
        for term in terms
    )


def affinity_scores(world: World, pod: Pod, feasible: Sequence[Node]) -> list[int]:
    sums = [_liking(world, pod, node) for node in feasible]
    least, most = min(sums), max(sums)
    if least == most:
        return [0] * len(sums)
    return [int(100 * ((s - least) / (most - least))) for s in sums]


def _liking(world: World, pod: Pod, node: Node) -> int:
    total = 0
    for other, there in world.everywhere():
        for owner, subject in ((pod, other), (other, pod)):
            near, apart = _terms(owner)
            weighed = [
                (sign * entry.weight, entry.pod_affinity_term)
                for sign, terms in ((1, near), (-1, apart))
                for entry in terms.preferred_during_scheduling_ignored_during_execution
            ]
            if owner is other:
                required = near.required_during_scheduling_ignored_during_execution
                weighed += [(1, term) for term in required]
            total += sum(
                weight
                for weight, term in weighed
                if together(node, there, term.topology_key) and means(world, owner, term, subject)
            )
    return total


# --- spreading ---------------------------------------------------------------------------


def _selector(pod: Pod, constraint: TopologySpreadConstraint) -> LabelSelector | None:
    selector, labels = constraint.label_selector, pod.metadata.labels
    if selector is None:
        return None
    own = {key: labels[key] for key in constraint.match_label_keys if key in labels}
    if any(selector.match_labels.get(key, value) != value for key, value in own.items()):
        # Two values at once: nobody has them.
        return None
    return LabelSelector({**selector.match_labels, **own}, selector.match_expressions)


def _counts(pod: Pod, node: Node, constraint: TopologySpreadConstraint) -> bool:
    """Return whether a node is part of a constraint's domains."""
    labels = node.metadata.labels
    if constraint.node_affinity_policy != "Ignore" and any(
        labels.get(key) != value for key, value in pod.spec.node_selector.items()
    ):
        return False
    if constraint.node_taints_policy == "Honor":
        tolerated = {t.key for t in pod.spec.tolerations}
        return all(t.effect == "PreferNoSchedule" or t.key in tolerated for t in node.spec.taints)
    return True


def _matching(pod: Pod, selector: LabelSelector | None, pods: Iterable[Pod]) -> int:
    if selector is not None and not selector.match_labels and not selector.match_expressions:
        return 0
    return sum(
        other.metadata.deletion_timestamp is None
        and other.metadata.namespace == pod.metadata.namespace
        and selected(selector, other.metadata.labels)
        for other in pods
    )


def spread_reason(world: World, pod: Pod, node: Node) -> str | None:
    hard = [
        c for c in pod.spec.topology_spread_constraints if c.when_unsatisfiable == "DoNotSchedule"
    ]
    keys = [c.topology_key for c in hard]
    for constraint in hard:
        if constraint.topology_key not in node.metadata.labels:
            return UNLABELLED
        selector = _selector(pod, constraint)
        counts: Counter[str] = Counter()
        for other in world.nodes:
            if all(k in other.metadata.labels for k in keys) and _counts(pod, other, constraint):
                domain = other.metadata.labels[constraint.topology_key]
                counts[domain] += _matching(pod, selector, world.on(other))
        enough = len(counts) >= (constraint.min_domains or 1)
        fewest = min(counts.values()) if enough and counts else 0
        here = counts[node.metadata.labels[constraint.topology_key]]
        if here + selected(selector, pod.metadata.labels) - fewest > constraint.max_skew:
            return UNEVEN
    return None


@dataclass
class Soft:
    """What scores for a pod.

    Attributes:
        every_key: whether nodes that lack a label are ignored.
    """

    constraints: Sequence[TopologySpreadConstraint]
    every_key: bool

    def ignores(self, node: Node) -> bool:
        lacking = any(c.topology_key not in node.metadata.labels for c in self.constraints)
        return self.every_key and lacking


def spread_scores(world: World, pod: Pod, feasible: Sequence[Node]) -> list[int]:
    soft = _soft(world, pod)
    if not soft.constraints:
        return [0] * len(feasible)
    looked_at = [node for node in feasible if not soft.ignores(node)]
    raw = [_crowd(world, pod, node, soft=soft, looked_at=looked_at) for node in feasible]
    left = [r for r, node in zip(raw, feasible, strict=True) if not soft.ignores(node)]
    most, least = max(left, default=0), min(left, default=0)
    return [
        0 if soft.ignores(node) else 100 * (most + least - r) // most if most else 100
        for r, node in zip(raw, feasible, strict=True)
    ]


def _soft(world: World, pod: Pod) -> Soft:
    own = pod.spec.topology_spread_constraints
    if own:
        soft = [c for c in own if c.when_unsatisfiable == "ScheduleAnyway"]
        return Soft(soft, every_key=True)
    labels: dict[str, str] = {}
    for namespace, selects in world.services:
        if namespace == pod.metadata.namespace and selects.items() <= pod.metadata.labels.items():
            labels |= selects
    selector = LabelSelector(labels)
    return Soft([_with(c, selector) for c in DEFAULTS if labels], every_key=False)


def _with(c: TopologySpreadConstraint, selector: LabelSelector) -> TopologySpreadConstraint:
    return TopologySpreadConstraint(c.max_skew, c.topology_key, c.when_unsatisfiable, selector)


def _crowd(world: World, pod: Pod, node: Node, *, soft: Soft, looked_at: Sequence[Node]) -> int:
    total = 0.0
    for constraint in soft.constraints:
        key = constraint.topology_key
        if key not in node.metadata.labels:
            continue
        selector = _selector(pod, constraint)
        if key == HOSTNAME:
            size = len(looked_at)
            count = _matching(pod, selector, world.on(node))
        else:
            size = len({n.metadata.labels.get(key) for n in looked_at})
            count = sum(
                _matching(pod, selector, world.on(other))
                for other in world.nodes
                if together(node, other, key)
                and _counts(pod, other, constraint)
                and not soft.ignores(other)
            )
        total += count * math.log(size + 2) + (constraint.max_skew - 1)
    return math.floor(total + 0.5)
