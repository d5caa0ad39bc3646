"""Which pods are where, by what they are and by what they want of other pods.

Affinity and spreading ask "how many such pods are in each domain". Counting is done once per
distinct question, when it is first asked; from then on every pod that is placed or taken away
changes the numbers. Which questions a pod matters to is found by its labels, so a pod that
matters to none costs next to nothing. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubegang.scheduler.framework.nodetable import NodeTable
from kubegang.scheduler.framework.podcounts import HeldTerm, PodMatcher, TermKind
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.terms import PodAffinityTerms
from kubegang.scheduler.framework.workloads import Directory
from kubegang.scheduler.snapshot.heldterms import HeldTerms
from kubegang.scheduler.snapshot.matchingpods import CountedPods, MatchingPods
from kubegang.scheduler.snapshot.rowcounts import RowCounts, SumKeeper


class PodCountIndex:
    """All counts of one snapshot; only the snapshot changes it."""

    def __init__(self, table: NodeTable, counted_pods: CountedPods) -> None:
        self._sums = SumKeeper(table)
        self._counted_pods = counted_pods
        self._matching = MatchingPods(self._sums, counted_pods)
        self._held: Mapping[TermKind, HeldTerms] = {
            "required": HeldTerms(self._sums),
            "required-anti": HeldTerms(self._sums),
            "preferred": HeldTerms(self._sums),
        }

    # --- reading -------------------------------------------------------------------------

    def matching(self, matcher: PodMatcher) -> RowCounts:
        """Return the counts of some pods."""
        return self._matching.counts_of(matcher)

    def terms_about(self, kind: TermKind, pod: PodInfo, directory: Directory) -> Sequence[HeldTerm]:
        """Return the terms of placed pods that mean this pod."""
        return self._held[kind].about(pod, directory)

    def picture(self) -> dict[str, dict[int, int]]:
        """Return everything that is counted and not zero, by row."""
        found = {f"pods {matcher}": counts.rows() for matcher, counts in self._matching.known()}
        for kind, held in self._held.items():
            for term, weight, holders in held.known():
                found[f"{kind} {weight} {term}"] = holders.rows()
        return {what: rows for what, rows in found.items() if rows}

    def sums_are_true(self) -> bool:
        """Return whether all sums per domain say what the numbers per row say."""
        return all(counts.sums_are_true() for counts in self._every_count())

    def recounted(self) -> PodCountIndex:
        """Return an index with the same questions, answered anew."""
        fresh = PodCountIndex(self._sums.table, self._counted_pods)
        for matcher, _ in self._matching.known():
            fresh.matching(matcher)
        for pod, row in self._counted_pods():
            if pod.pod_affinity is not None:
                fresh._count_terms(row, pod.pod_affinity, 1)
        return fresh

    # --- changing ------------------------------------------------------------------------

    def count(self, row: int, pod: PodInfo, change: int) -> None:
        """Count a pod on a row, or take that back."""
        self._matching.count(row, pod, change)
        if pod.pod_affinity is not None:
            self._count_terms(row, pod.pod_affinity, change)

    def move(self, source: int, target: int) -> None:
        """Follow a row that moved; nothing is counted on the target."""
        for counts in self._every_count():
            counts.move(source, target)

    def nodes_changed(self) -> None:
        """Work out sums anew when they are asked for."""
        self._sums.forget_all()

    def tidy(self) -> None:
        """Forget what nobody needs; not within a trial, which may hold on to it."""
        self._matching.tidy()
        for held in self._held.values():
            held.tidy()

    def _count_terms(self, row: int, terms: PodAffinityTerms, change: int) -> None:
        for term in terms.required:
            self._held["required"].count(row, term, 0, change=change)
        for term in terms.required_anti:
            self._held["required-anti"].count(row, term, 0, change=change)
        for weight, term in terms.preferred:
            self._held["preferred"].count(row, term, weight, change=change)

    def _every_count(self) -> Iterable[RowCounts]:
        yield from (counts for _, counts in self._matching.known())
        for held in self._held.values():
            yield from (holders for _, _, holders in held.known())
