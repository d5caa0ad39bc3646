"""Node selectors and node affinities from the API's form to what is evaluated. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.api.core.affinity import NodeAffinity
from kubegang.api.core.affinity import NodeSelectorTerm as ApiTerm
from kubegang.scheduler.framework.terms import (
    NodeAffinityTerms,
    NodeSelectorTerm,
    PreferredTerm,
    Requirement,
)


def node_affinity_terms(affinity: NodeAffinity | None) -> NodeAffinityTerms:
    """Return a node affinity without a selector, as the scheduler evaluates it."""
    if affinity is None:
        return NodeAffinityTerms((), None, ())
    required = affinity.required_during_scheduling_ignored_during_execution
    preferred = affinity.preferred_during_scheduling_ignored_during_execution
    return NodeAffinityTerms(
        selector=(),
        required=(
            None if required is None else node_selector_terms(required.node_selector_terms or ())
        ),
        preferred=tuple(
            PreferredTerm(entry.weight, _term(entry.preference))
            for entry in preferred
            if entry.weight and not _is_empty(entry.preference)
        ),
    )


def node_selector_terms(terms: Iterable[ApiTerm]) -> tuple[NodeSelectorTerm, ...]:
    """Return terms of which one must match a node."""
    # A term that says nothing matches no node, so leaving it out changes nothing.
    return tuple(_term(term) for term in terms if not _is_empty(term))


def _term(term: ApiTerm) -> NodeSelectorTerm:
    return NodeSelectorTerm(
        tuple(Requirement(r.key, r.operator, r.values) for r in term.match_expressions),
        tuple(Requirement(r.key, r.operator, r.values) for r in term.match_fields),
    )


def _is_empty(term: ApiTerm) -> bool:
    return not term.match_expressions and not term.match_fields
