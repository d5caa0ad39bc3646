"""What a pod's spec says about other pods: affinity and spreading, as the scheduler reads it.

Selectors become tuples in a fixed order, so that equal ones are found equal and counted once.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from kubegang.api.core.affinity import Affinity, PodAffinityTerm, TopologySpreadConstraint
from kubegang.api.core.affinity import PodAffinity as ApiPodAffinity
from kubegang.api.meta import LabelSelector, ObjectMeta
from kubegang.scheduler.framework.pods import ControllerKey
from kubegang.scheduler.framework.terms import (
    AffinityTerm,
    LabelTerms,
    PodAffinityTerms,
    Requirement,
    SpreadConstraint,
    WeightedAffinityTerm,
)

_CONTROLLERS: Final[
    Mapping[tuple[str, str], Literal["ReplicationController", "ReplicaSet", "StatefulSet"]]
] = {
    ("v1", "ReplicationController"): "ReplicationController",
    ("apps/v1", "ReplicaSet"): "ReplicaSet",
    ("apps/v1", "StatefulSet"): "StatefulSet",
}

_NOT_GIVEN: Final = ApiPodAffinity()


def label_terms(selector: LabelSelector | None) -> LabelTerms:
    """Return a selector's requirements in a fixed order; a missing one selects nothing."""
    if selector is None:
        return None
    return _ordered(
        (
            *equal_labels(selector.match_labels),
            *(Requirement(e.key, e.operator, e.values) for e in selector.match_expressions),
        )
    )


def equal_labels(labels: Mapping[str, str]) -> tuple[Requirement, ...]:
    """Return the requirements that all of these labels are there, in a fixed order."""
    return tuple(Requirement(key, "In", (value,)) for key, value in sorted(labels.items()))


def pod_affinity_terms(affinity: Affinity | None, namespace: str) -> PodAffinityTerms | None:
    """Return what a pod in ``namespace`` wants of the pods around it; ``None``: nothing."""
    if affinity is None or (affinity.pod_affinity is None and affinity.pod_anti_affinity is None):
        return None
    near, apart = affinity.pod_affinity or _NOT_GIVEN, affinity.pod_anti_affinity or _NOT_GIVEN
    terms = PodAffinityTerms(
        required=_required(near, namespace),
        required_anti=_required(apart, namespace),
        preferred=(
            *_preferred(near, namespace, sign=1),
            *_preferred(apart, namespace, sign=-1),
        ),
    )
    return terms if any(terms) else None


def spread_constraints(
    constraints: Iterable[TopologySpreadConstraint], labels: Mapping[str, str]
) -> tuple[SpreadConstraint, ...]:
    """Return the constraints of a pod with these labels, which matchLabelKeys refer to."""
    return tuple(spread_constraint(constraint, labels) for constraint in constraints)


def spread_constraint(
    constraint: TopologySpreadConstraint, labels: Mapping[str, str]
) -> SpreadConstraint:
    """Return one constraint of a pod with these labels."""
    selector = label_terms(constraint.label_selector)
    if selector is not None:
        keys = (key for key in constraint.match_label_keys if key in labels)
        own = (Requirement(key, "In", (labels[key],)) for key in keys)
        selector = _ordered((*selector, *own))
    return SpreadConstraint(
        max_skew=constraint.max_skew,
        topology_key=constraint.topology_key,
        hard=constraint.when_unsatisfiable == "DoNotSchedule",
        selector=selector,
        min_domains=1 if constraint.min_domains is None else constraint.min_domains,
        honors_affinity=(constraint.node_affinity_policy or "Honor") == "Honor",
        honors_taints=constraint.node_taints_policy == "Honor",
    )


def controller_key(meta: ObjectMeta) -> ControllerKey | None:
    """Return what manages a pod, if its selector is one that default spreading looks at."""
    owner = meta.controller if meta.owner_references else None
    kind = None if owner is None else _CONTROLLERS.get((owner.api_version, owner.kind))
    if owner is None or kind is None:
        return None
    return ControllerKey(kind, meta.namespace, owner.name)


def _required(affinity: ApiPodAffinity, namespace: str) -> tuple[AffinityTerm, ...]:
    terms = affinity.required_during_scheduling_ignored_during_execution
    return tuple(_term(term, namespace) for term in terms)


def _preferred(
    affinity: ApiPodAffinity, namespace: str, *, sign: int
) -> Iterable[WeightedAffinityTerm]:
    for entry in affinity.preferred_during_scheduling_ignored_during_execution:
        term = _term(entry.pod_affinity_term, namespace)
        yield WeightedAffinityTerm(sign * entry.weight, term)


def _term(term: PodAffinityTerm, namespace: str) -> AffinityTerm:
    # matchLabelKeys and mismatchLabelKeys are in the selector already: the API puts them there.
    own_only = not term.namespaces and term.namespace_selector is None
    return AffinityTerm(
        topology_key=term.topology_key,
        selector=label_terms(term.label_selector),
        namespaces=(namespace,) if own_only else tuple(sorted(set(term.namespaces))),
        namespace_selector=label_terms(term.namespace_selector),
    )


def _ordered(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    return tuple(sorted(set(requirements)))
