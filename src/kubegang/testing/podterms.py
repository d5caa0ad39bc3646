"""What pods want of other pods, for the builder of pods: affinity terms, spread constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kubegang.api.core.affinity import (
    Affinity,
    PodAffinity,
    PodAffinityTerm,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
)
from kubegang.api.meta import LabelSelector, LabelSelectorRequirement
from kubegang.testing.building import replaced

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"

Expression = tuple[str, str, tuple[str, ...]]
"""(key, operator, values) of a label selector."""


def pods_labelled(*expressions: Expression, **labels: str) -> LabelSelector:
    """Return a selector of labels and expressions."""
    return LabelSelector(
        labels, tuple(LabelSelectorRequirement(*expression) for expression in expressions)
    )


def term(
    selector: LabelSelector | None,
    key: str = HOSTNAME,
    *,
    namespaces: Iterable[str] = (),
    in_namespaces: Mapping[str, str] | None = None,
) -> PodAffinityTerm:
    """Return an affinity term.

    Args:
        selector: the pods that are meant.
        key: the topology key.
        namespaces: where they are; with nothing said, in the pod's own.
        in_namespaces: labels of namespaces where they may be too; empty is all of them.
    """
    return PodAffinityTerm(
        topology_key=key,
        label_selector=selector,
        namespaces=tuple(namespaces),
        namespace_selector=None if in_namespaces is None else LabelSelector(in_namespaces),
    )


def evenly(
    selector: LabelSelector | None,
    key: str = HOSTNAME,
    *,
    skew: int = 1,
    soft: bool = False,
    min_domains: int | None = None,
    affinity_policy: str | None = None,
    taints_policy: str | None = None,
    same_labels: Iterable[str] = (),
) -> TopologySpreadConstraint:
    """Return a spread constraint; ``same_labels`` are its matchLabelKeys."""
    return TopologySpreadConstraint(
        max_skew=skew,
        topology_key=key,
        when_unsatisfiable="ScheduleAnyway" if soft else "DoNotSchedule",
        label_selector=selector,
        min_domains=min_domains,
        node_affinity_policy=affinity_policy,
        node_taints_policy=taints_policy,
        match_label_keys=tuple(same_labels),
    )


def with_near(affinity: Affinity | None, added: PodAffinityTerm, *, weight: int) -> Affinity:
    """Return an affinity with one more term; required if it has no weight."""
    affinity = affinity or Affinity()
    return replaced(affinity, pod_affinity=_added(affinity.pod_affinity, added, weight))


def with_apart(affinity: Affinity | None, added: PodAffinityTerm, *, weight: int) -> Affinity:
    """Return an affinity with one more anti-affinity term; required if it has no weight."""
    affinity = affinity or Affinity()
    return replaced(affinity, pod_anti_affinity=_added(affinity.pod_anti_affinity, added, weight))


def _added(terms: PodAffinity | None, added: PodAffinityTerm, weight: int) -> PodAffinity:
    terms = terms or PodAffinity()
    if not weight:
        required = (*terms.required_during_scheduling_ignored_during_execution, added)
        return replaced(terms, required_during_scheduling_ignored_during_execution=required)
    preferred = (
        *terms.preferred_during_scheduling_ignored_during_execution,
        WeightedPodAffinityTerm(weight, added),
    )
    return replaced(terms, preferred_during_scheduling_ignored_during_execution=preferred)
