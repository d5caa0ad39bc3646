"""Which nodes keep required affinity and anti-affinity, the pod's own and that of others. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from kubegang.scheduler.framework.domains import NO_DOMAIN, NOT_COUNTED, DomainCache
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, NodeTable, RowArray, Rows
from kubegang.scheduler.framework.podcounts import HeldTerm
from kubegang.scheduler.framework.status import unresolvable, unschedulable
from kubegang.scheduler.plugins.interpodaffinity.terms import CountedTerm, RequiredTerms

_NOT_NEAR: Final = unresolvable("node(s) didn't match pod affinity rules")
_NOT_APART: Final = unschedulable("node(s) didn't match pod anti-affinity rules")
_UNWELCOME: Final = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")


class AffinityFilter:
    """The answers for all nodes, as the cluster is now.

    The three rules are asked in upstream's order; the first that refuses a node says why.
    """

    def __init__(
        self,
        table: NodeTable,
        cache: DomainCache,
        *,
        own: RequiredTerms,
        against: Sequence[HeldTerm],
    ) -> None:
        """Take the terms.

        Args:
            table: the nodes.
            cache: remembers domains.
            own: the pod's required terms.
            against: the required anti-affinity of placed pods that means this pod.
        """
        self._table = table
        self._cache = cache
        self._own = own
        self._against = [CountedTerm(held.term.topology_key, held.holders) for held in against]

    def passed(self, rows: Rows) -> BoolArray:
        """Return, in the order of ``rows``, whether each node passes."""
        passed = self._near(rows)
        for term in (*self._own.apart, *self._against):
            passed = passed & ~self._is_met(term, rows)
        return passed

    def refusals(self, rows: RowArray) -> list[Refusal]:
        """Return why each of ``rows``, all of which are refused, is refused."""
        near = self._near(rows)
        refusals = [Refusal(rows[~near], _NOT_NEAR)]
        left = rows[near]
        for terms, status in ((self._own.apart, _NOT_APART), (self._against, _UNWELCOME)):
            refused = self._meet_any(terms, left)
            refusals.append(Refusal(left[refused], status))
            left = left[~refused]
        return [refusal for refusal in refusals if len(refusal.rows)]

    def _near(self, rows: Rows) -> BoolArray:
        labelled = np.ones(self._table.size, dtype=np.bool_)[rows]
        near = labelled
        for term in self._own.near:
            labelled = labelled & (self._ids(term, rows) != NO_DOMAIN)
            near = near & self._is_met(term, rows)
        # The first pods that want to be near each other have nobody to be near to.
        if self._own.is_own_match and not near.all() and self._is_nowhere():
            return labelled
        return near

    def _is_nowhere(self) -> bool:
        """Return whether no matching pod is in any domain at all."""
        return not any(
            term.pods.over(self._cache.of(self._table, term.topology_key))[:NOT_COUNTED].any()
            for term in self._own.near
        )

    def _meet_any(self, terms: Iterable[CountedTerm], rows: RowArray) -> BoolArray:
        met = np.zeros(len(rows), dtype=np.bool_)
        for term in terms:
            met |= self._is_met(term, rows)
        return met

    def _is_met(self, term: CountedTerm, rows: Rows) -> BoolArray:
        """Return whether a pod that the term means is in each node's domain."""
        domains = self._cache.of(self._table, term.topology_key)
        met: BoolArray = (term.pods.over(domains) > 0)[domains.ids[rows]]
        return met

    def _ids(self, term: CountedTerm, rows: Rows) -> RowArray:
        return self._cache.of(self._table, term.topology_key).ids[rows]
