"""Which pods are where, by what they are and by what they want of other pods.

Affinity and spreading ask "how many such pods are in each domain". Counting is done once per
distinct question, when it is first asked; from then on every pod that is placed or taken away
changes the numbers. Which questions a pod matters to is found by its labels, so a pod that
matters to none costs next to nothing. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from kubegang.scheduler.framework.labelselection import Anchor, anchor_of, selects
from kubegang.scheduler.framework.nodetable import NodeTable
from kubegang.scheduler.framework.podcounts import HeldTerm, PodMatcher, TermKind
from kubegang.scheduler.framework.pods import AffinityTerm, PodAffinityTerms, PodInfo
from kubegang.scheduler.snapshot.labelindex import LabelIndex
from kubegang.scheduler.snapshot.rowcounts import RowCounts, SumKeeper

_KEPT: Final = 4096
"""When more matchers or terms are known, those that nobody needs are forgotten."""

CountedPods = Callable[[], Iterable[tuple[PodInfo, int]]]
"""Every pod on an existing node, with its row."""


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

    def matching(self, matcher: PodMatcher) -> RowCounts:
        """Return the counts of some pods."""
        return self._matching.counts_of(matcher)

    def terms_about(
        self, kind: TermKind, pod: PodInfo, namespace_labels: Mapping[str, str]
    ) -> list[HeldTerm]:
        """Return the terms of placed pods that mean this pod, of a namespace so labelled."""
        return self._held[kind].about(pod, namespace_labels)

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

    def picture(self) -> dict[str, dict[int, int]]:
        """Return everything that is counted and not zero, by row."""
        found = {f"pods {matcher}": counts.rows() for matcher, counts in self._matching.items()}
        for kind, held in self._held.items():
            for term, weight, holders in held.items():
                found[f"{kind} {weight} {term}"] = holders.rows()
        return {what: rows for what, rows in found.items() if rows}

    def sums_are_true(self) -> bool:
        """Return whether all sums per domain say what the numbers per row say."""
        return all(counts.sums_are_true() for counts in self._every_count())

    def recounted(self) -> PodCountIndex:
        """Return an index with the same questions, answered anew."""
        fresh = PodCountIndex(self._sums.table, self._counted_pods)
        for matcher, _ in self._matching.items():
            fresh.matching(matcher)
        for pod, row in self._counted_pods():
            if pod.pod_affinity is not None:
                fresh._count_terms(row, pod.pod_affinity, 1)
        return fresh

    def _count_terms(self, row: int, terms: PodAffinityTerms, change: int) -> None:
        for term in terms.required:
            self._held["required"].count(row, term, 0, change=change)
        for term in terms.required_anti:
            self._held["required-anti"].count(row, term, 0, change=change)
        for weight, term in terms.preferred:
            self._held["preferred"].count(row, term, weight, change=change)

    def _every_count(self) -> Iterable[RowCounts]:
        yield from (counts for _, counts in self._matching.items())
        for held in self._held.values():
            yield from (holders for _, _, holders in held.items())


class _Question:
    """One matcher with its counts; ``asked`` since the last tidying."""

    __slots__ = ("asked", "counts", "matcher")

    def __init__(self, matcher: PodMatcher, counts: RowCounts) -> None:
        self.matcher = matcher
        self.counts = counts
        self.asked = True


class MatchingPods:
    """Counts of pods that match what somebody asked for."""

    def __init__(self, sums: SumKeeper, counted_pods: CountedPods) -> None:
        self._sums = sums
        self._counted_pods = counted_pods
        self._questions: dict[PodMatcher, _Question] = {}
        self._by_label: LabelIndex[_Question] = LabelIndex()

    def items(self) -> list[tuple[PodMatcher, RowCounts]]:
        """Return all matchers with their counts."""
        return [(matcher, question.counts) for matcher, question in self._questions.items()]

    def counts_of(self, matcher: PodMatcher) -> RowCounts:
        """Return a matcher's counts, and keep them up to date from now on."""
        question = self._questions.get(matcher)
        if question is None:
            question = self._questions[matcher] = _Question(matcher, self._count_all(matcher))
            self._by_label.add(question, _anchor(matcher))
        question.asked = True
        return question.counts

    def count(self, row: int, pod: PodInfo, change: int) -> None:
        """Count a pod wherever it matches."""
        if not self._questions:
            return
        for question in self._by_label.candidates(pod.labels):
            if question.matcher.matches(pod):
                question.counts.add(row, change)

    def tidy(self) -> None:
        """Forget the matchers that nobody asked about lately, once there are too many."""
        if len(self._questions) <= _KEPT:
            return
        kept = {m: q for m, q in self._questions.items() if q.asked}
        self._questions = kept if len(kept) < len(self._questions) else {}
        self._by_label = LabelIndex()
        for matcher, question in self._questions.items():
            question.asked = False
            self._by_label.add(question, _anchor(matcher))

    def _count_all(self, matcher: PodMatcher) -> RowCounts:
        counts = RowCounts(self._sums)
        anchor = _anchor(matcher)
        for pod, row in self._counted_pods():
            # Most pods fail at the first label, and there may be tens of thousands.
            if (anchor is None or anchor.holds(pod.labels)) and matcher.matches(pod):
                counts.add(row, 1)
        return counts


class _Held(NamedTuple):
    term: AffinityTerm
    weight: int
    holders: RowCounts


class HeldTerms:
    """The affinity terms of one kind that placed pods have, and who has them."""

    def __init__(self, sums: SumKeeper) -> None:
        self._sums = sums
        self._terms: dict[tuple[AffinityTerm, int], _Held] = {}
        self._by_label: LabelIndex[_Held] = LabelIndex()
        self._tidy_above = _KEPT

    def items(self) -> Iterable[_Held]:
        """Return all terms, those that nobody has any more among them."""
        return self._terms.values()

    def count(self, row: int, term: AffinityTerm, weight: int, *, change: int) -> None:
        """Count a pod on a row as having a term, or take that back."""
        held = self._terms.get((term, weight))
        if held is None:
            held = self._terms[term, weight] = _Held(term, weight, RowCounts(self._sums))
            self._by_label.add(held, anchor_of(term.selector))
        held.holders.add(row, change)

    def about(self, pod: PodInfo, namespace_labels: Mapping[str, str]) -> list[HeldTerm]:
        """Return the terms that mean this pod, of a namespace so labelled."""
        if not self._terms:
            return []
        return [
            HeldTerm(held.term, held.weight, held.holders)
            for held in self._by_label.candidates(pod.labels)
            if not held.holders.is_empty and _is_meant(held.term, pod, namespace_labels)
        ]

    def tidy(self) -> None:
        """Forget terms that nobody has any more, once they are many."""
        if len(self._terms) <= self._tidy_above:
            return
        left = {key: held for key, held in self._terms.items() if not held.holders.is_empty}
        self._tidy_above = max(_KEPT, 2 * len(left))
        self._terms = left
        self._by_label = LabelIndex()
        for held in left.values():
            self._by_label.add(held, anchor_of(held.term.selector))


def _anchor(matcher: PodMatcher) -> Anchor | None:
    anchors = (anchor_of(condition.selector) for condition in matcher.conditions)
    return next((anchor for anchor in anchors if anchor is not None), None)


def _is_meant(term: AffinityTerm, pod: PodInfo, namespace_labels: Mapping[str, str]) -> bool:
    if pod.namespace not in term.namespaces and not selects(
        term.namespace_selector, namespace_labels
    ):
        return False
    return selects(term.selector, pod.labels)
