"""Affinity terms of the pod at hand, with the pods they mean counted. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.podcounts import PodCondition, PodCounts, PodMatcher
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.terms import AffinityTerm, PodAffinityTerms
from kubegang.scheduler.framework.workloads import Directory


class CountedTerm(NamedTuple):
    """A topology key and the pods that a term means."""

    topology_key: str
    pods: PodCounts


class RequiredTerms(NamedTuple):
    """What a pod requires of the pods around it.

    Attributes:
        near: the keys of its affinity, each with the pods that match all of its terms: one
            and the same pod must match them all.
        apart: its anti-affinity, term by term.
        is_own_match: whether the pod itself matches all of its affinity terms.
    """

    near: tuple[CountedTerm, ...]
    apart: tuple[CountedTerm, ...]
    is_own_match: bool


def count_required(cluster: ClusterView, pod: PodInfo, terms: PodAffinityTerms) -> RequiredTerms:
    """Return a pod's required terms with the pods they mean."""
    all_of_them = PodMatcher(tuple(condition(t, cluster.directory) for t in terms.required))
    return RequiredTerms(
        near=tuple(
            CountedTerm(term.topology_key, cluster.pods_matching(all_of_them))
            for term in terms.required
        ),
        apart=tuple(count_term(cluster, term) for term in terms.required_anti),
        is_own_match=bool(terms.required) and all_of_them.matches(pod),
    )


def count_term(cluster: ClusterView, term: AffinityTerm) -> CountedTerm:
    """Return one term with the pods it means."""
    matcher = PodMatcher((condition(term, cluster.directory),))
    return CountedTerm(term.topology_key, cluster.pods_matching(matcher))


def condition(term: AffinityTerm, directory: Directory) -> PodCondition:
    """Return what a pod must be to be meant, as the namespaces are labelled now."""
    if term.namespace_selector == ():
        return PodCondition(term.selector, None)
    more: Sequence[str] = ()
    if term.namespace_selector is not None:
        more = directory.namespaces_with(term.namespace_selector)
    return PodCondition(term.selector, frozenset((*term.namespaces, *more)))
