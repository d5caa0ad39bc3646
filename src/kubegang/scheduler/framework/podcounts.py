"""Counts of pods by what they are and by what they want of other pods.

The snapshot keeps them up to date with every pod that is placed or taken away, tentatively or
not, so a plugin that reads them always sees the cluster as it is at that moment. Pure.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from kubegang.scheduler.framework.domains import Domains
from kubegang.scheduler.framework.labelselection import selects
from kubegang.scheduler.framework.nodetable import IntArray
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.terms import AffinityTerm, LabelTerms


class PodCondition(NamedTuple):
    """Labels and a namespace.

    Attributes:
        namespaces: where the pod must be; ``None`` is anywhere.
    """

    selector: LabelTerms
    namespaces: frozenset[str] | None

    def holds(self, pod: PodInfo) -> bool:
        """Return whether a pod is meant."""
        if self.namespaces is not None and pod.namespace not in self.namespaces:
            return False
        return selects(self.selector, pod.labels)


class PodMatcher(NamedTuple):
    """The pods to be counted: those that meet all conditions, of which there is at least one.

    Attributes:
        terminating_too: whether pods with a deletionTimestamp count.
    """

    conditions: tuple[PodCondition, ...]
    terminating_too: bool = True

    def matches(self, pod: PodInfo) -> bool:
        """Return whether a pod is to be counted."""
        if pod.terminating and not self.terminating_too:
            return False
        return all(condition.holds(pod) for condition in self.conditions)


class PodCounts(Protocol):
    """How many pods of some kind there are on each node; follows every change."""

    def over(self, domains: Domains) -> IntArray:
        """Return the sum per domain; the entry for ``NO_DOMAIN`` is 0.

        The array is the one that is kept: it changes with the cluster, and is not to be
        changed.
        """
        ...

    def by_row(self) -> IntArray:
        """Return the number per row, in a new array."""
        ...


TermKind = Literal["required", "required-anti", "preferred"]
"""``preferred`` has both signs of weights."""


class HeldTerm(NamedTuple):
    """A term that placed pods have.

    Attributes:
        weight: of a preferred term, below zero for anti-affinity; otherwise 0.
        holders: the pods that have it.
    """

    term: AffinityTerm
    weight: int
    holders: PodCounts
