"""Which events may let a pod in that the pods around it kept out. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kubegang.scheduler.framework.events import (
    Action,
    ClusterEvent,
    ClusterObject,
    HintRegistration,
)
from kubegang.scheduler.framework.labelselection import selects
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.terms import AffinityTerm, PodAffinityTerms

_NO_LABELS: Final[Mapping[str, str]] = {}
_NO_TERMS: Final = PodAffinityTerms((), (), ())


def registrations() -> Sequence[HintRegistration]:
    """Return the events, each with its question."""
    assigned = Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE
    node = Action.ADD | Action.UPDATE_NODE_LABEL
    return (
        HintRegistration(ClusterEvent("AssignedPod", assigned), is_schedulable_after_pod_change),
        HintRegistration(ClusterEvent("TargetPod", Action.UPDATE_POD_LABEL)),
        HintRegistration(ClusterEvent("Node", node), is_schedulable_after_node_change),
    )


def is_schedulable_after_pod_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether a pod came to be near to, or one to be away from went."""
    terms = pod.pod_affinity or _NO_TERMS
    match old, new:
        case PodInfo(), PodInfo():
            if not _has_place(old) or not _has_place(new):
                return False
            came_near = _matches_all(terms.required, new) and not _matches_all(terms.required, old)
            return came_near or (
                _matches_any(terms.required_anti, old)
                and not _matches_any(terms.required_anti, new)
            )
        case None, PodInfo():
            return _has_place(new) and _matches_all(terms.required, new)
        case PodInfo(), None:
            return _has_place(old) and (
                _matches_any(terms.required_anti, old) or _was_unwelcome(pod, old)
            )
    return False


def is_schedulable_after_node_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether a node came into, or left, a domain that matters."""
    if not isinstance(new, NodeInfo):
        return False
    terms = pod.pod_affinity or _NO_TERMS
    near = {term.topology_key for term in terms.required}
    apart = {term.topology_key for term in terms.required_anti}
    if not isinstance(old, NodeInfo):
        # A node without the label takes every pod that wants to be apart.
        return bool(apart) or any(key in new.labels for key in near)
    gained = any(key in new.labels and old.labels.get(key) != new.labels[key] for key in near)
    lost = any(key in old.labels and new.labels.get(key) != old.labels[key] for key in apart)
    return gained or lost


def _has_place(pod: PodInfo) -> bool:
    return bool(pod.node_name or pod.nominated_node_name)


def _was_unwelcome(pod: PodInfo, gone: PodInfo) -> bool:
    return _matches_any((gone.pod_affinity or _NO_TERMS).required_anti, pod)


def _matches_all(terms: Sequence[AffinityTerm], pod: PodInfo) -> bool:
    return bool(terms) and all(_means(term, pod) for term in terms)


def _matches_any(terms: Sequence[AffinityTerm], pod: PodInfo) -> bool:
    return any(_means(term, pod) for term in terms)


def _means(term: AffinityTerm, pod: PodInfo) -> bool:
    # Upstream does not look up namespaces here: one selected by its labels does not count.
    if pod.namespace not in term.namespaces and not selects(term.namespace_selector, _NO_LABELS):
        return False
    return selects(term.selector, pod.labels)
