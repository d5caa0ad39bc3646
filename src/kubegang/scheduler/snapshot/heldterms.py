"""Where the pods are that have affinity terms, found by whom the terms mean. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from kubegang.scheduler.framework.labelselection import anchor_of, selects
from kubegang.scheduler.framework.podcounts import HeldTerm
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.terms import AffinityTerm
from kubegang.scheduler.framework.workloads import Directory
from kubegang.scheduler.snapshot.labelindex import LabelIndex
from kubegang.scheduler.snapshot.rowcounts import RowCounts, SumKeeper

_KEPT: Final = 4096
"""When more terms are known, those that nobody has any more are forgotten."""


class _Entry(NamedTuple):
    held: HeldTerm
    holders: RowCounts


class HeldTerms:
    """The affinity terms of one kind that placed pods have, and who has them.

    A term that nobody has any more stays for a while: a trial may bring its holder back.
    """

    def __init__(self, sums: SumKeeper) -> None:
        self._sums = sums
        self._terms: dict[tuple[AffinityTerm, int], _Entry] = {}
        self._by_label: LabelIndex[_Entry] = LabelIndex()
        self._tidy_above = _KEPT

    def known(self) -> list[tuple[AffinityTerm, int, RowCounts]]:
        """Return all terms with their weights and holders."""
        return [(term, weight, entry.holders) for (term, weight), entry in self._terms.items()]

    def count(self, row: int, term: AffinityTerm, weight: int, *, change: int) -> None:
        """Count a pod on a row as having a term, or take that back."""
        entry = self._terms.get((term, weight))
        if entry is None:
            holders = RowCounts(self._sums)
            entry = self._terms[term, weight] = _Entry(HeldTerm(term, weight, holders), holders)
            self._by_label.add(entry, anchor_of(term.selector))
        entry.holders.add(row, change)

    def about(self, pod: PodInfo, directory: Directory) -> Sequence[HeldTerm]:
        """Return the terms that mean this pod."""
        if not self._terms:
            return ()
        return [
            entry.held
            for entry in self._by_label.candidates(pod.labels)
            if not entry.holders.is_empty and _is_meant(entry.held.term, pod, directory)
        ]

    def tidy(self) -> None:
        """Forget terms that nobody has any more, once they may be many."""
        if len(self._terms) <= self._tidy_above:
            return
        self._terms = {k: entry for k, entry in self._terms.items() if not entry.holders.is_empty}
        self._tidy_above = max(_KEPT, 2 * len(self._terms))
        self._by_label = LabelIndex()
        for (term, _), entry in self._terms.items():
            self._by_label.add(entry, anchor_of(term.selector))


def _is_meant(term: AffinityTerm, pod: PodInfo, directory: Directory) -> bool:
    if pod.namespace not in term.namespaces and not selects(
        term.namespace_selector, directory.namespace_labels(pod.namespace)
    ):
        return False
    return selects(term.selector, pod.labels)
