"""The pods of a DaemonSet: by node, old and new, and those to make. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kubegang.api.defaults.apps import TEMPLATE_GENERATION
from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.daemonset.fitting import node_of, with_daemon_tolerations, with_node
from kubegang.controllers.revisions.data import REVISION_LABEL, revision_of_pod
from kubegang.controllers.workloads.amounts import amount_of
from kubegang.controllers.workloads.availability import (
    has_ended,
    is_available,
    is_going,
    min_ready_seconds,
)
from kubegang.controllers.workloads.objects import age_order, annotations_of, labels_of
from kubegang.controllers.workloads.podtemplate import pod_from

GENERATION_LABEL = "pod-template-generation"

ByNode = dict[str, list[JsonObject]]


class Pair(msgspec.Struct, frozen=True):
    """The pods on one node, at most one of each."""

    new: JsonObject | None
    old: JsonObject | None


def by_node(pods: Iterable[JsonObject]) -> ByNode:
    """Return pods by the node that they are on or meant for; what only waits to go is left out."""
    found: ByNode = {}
    for pod in pods:
        node = node_of(pod)
        if node and not (has_ended(pod) and is_going(pod)):
            found.setdefault(node, []).append(pod)
    return found


def oldest_first(pods: Iterable[JsonObject]) -> list[JsonObject]:
    """Return pods by age, those with a node before the others."""
    return sorted(pods, key=lambda pod: (not pod["spec"].get("nodeName"), age_order(pod)))


def is_updated(daemon_set: JsonObject, pod: JsonObject, revision: str) -> bool:
    """Return whether a pod is made from the present template."""
    generation = annotations_of(daemon_set).get(TEMPLATE_GENERATION)
    if generation is not None and labels_of(pod).get(GENERATION_LABEL) == generation:
        return True
    return bool(revision) and revision_of_pod(pod) == revision


def pair_of(daemon_set: JsonObject, pods: Sequence[JsonObject], revision: str) -> Pair | None:
    """Return the old and the new pod among those of a node, ``None`` if there are too many."""
    staying = [pod for pod in pods if not is_going(pod)]
    new = [pod for pod in staying if is_updated(daemon_set, pod, revision)]
    old = [pod for pod in staying if not is_updated(daemon_set, pod, revision)]
    if len(new) > 1 or len(old) > 1:
        return None
    return Pair(new[0] if new else None, old[0] if old else None)


def is_pod_available(daemon_set: JsonObject, pod: JsonObject, now: float) -> bool:
    """Return whether a pod has been ready for as long as its set asks."""
    seconds = min_ready_seconds(daemon_set)
    return is_available(pod, min_ready_seconds=seconds, now=now)


def surge(daemon_set: JsonObject, nodes: int) -> int:
    """Return on how many of the nodes an old and a new pod may run side by side."""
    return amount_of(_rolling(daemon_set).get("maxSurge"), nodes, round_up=True)


def unavailable(daemon_set: JsonObject, nodes: int) -> int:
    """Return on how many of the nodes the pod may be unavailable for the update."""
    asked = amount_of(_rolling(daemon_set).get("maxUnavailable"), nodes, round_up=True)
    return 1 if nodes and not asked and not surge(daemon_set, nodes) else asked


def new_pod(daemon_set: JsonObject, node: str, revision: str) -> JsonObject:
    """Return the pod to make for a node."""
    pod = pod_from(daemon_set, daemon_set["spec"]["template"])
    spec, labels = pod["spec"], pod["metadata"]["labels"]
    spec["tolerations"] = with_daemon_tolerations(spec)
    spec["affinity"] = with_node(spec.get("affinity"), node)
    generation = annotations_of(daemon_set).get(TEMPLATE_GENERATION)
    if generation is not None:
        labels[GENERATION_LABEL] = generation
    labels[REVISION_LABEL] = revision
    return pod


def _rolling(daemon_set: JsonObject) -> JsonObject:
    strategy = daemon_set["spec"].get("updateStrategy") or {}
    if strategy.get("type") != "RollingUpdate":
        return {}
    rolling: JsonObject = strategy.get("rollingUpdate") or {}
    return rolling
