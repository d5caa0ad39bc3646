"""Where the pods are that somebody asked for by their labels. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from kubegang.scheduler.framework.labelselection import Anchor, anchor_of
from kubegang.scheduler.framework.podcounts import PodMatcher
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.snapshot.labelindex import LabelIndex
from kubegang.scheduler.snapshot.rowcounts import RowCounts, SumKeeper

_KEPT: Final = 4096
"""When more matchers are known, those that nobody asked about lately are forgotten."""

CountedPods = Callable[[], Iterable[tuple[PodInfo, int]]]
"""Every pod on an existing node, with its row."""


class _Question:
    """One matcher with its counts; ``asked`` since the last tidying."""

    __slots__ = ("asked", "counts", "matcher")

    def __init__(self, matcher: PodMatcher, counts: RowCounts) -> None:
        self.matcher = matcher
        self.counts = counts
        self.asked = True


class MatchingPods:
    """Counts of pods that match what somebody asked for.

    All pods are looked at once per matcher; from then on each pod that comes or goes is.
    """

    def __init__(self, sums: SumKeeper, counted_pods: CountedPods) -> None:
        self._sums = sums
        self._counted_pods = counted_pods
        self._questions: dict[PodMatcher, _Question] = {}
        self._by_label: LabelIndex[_Question] = LabelIndex()

    def known(self) -> list[tuple[PodMatcher, RowCounts]]:
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
        """Count a pod wherever it matches, or take that back."""
        if not self._questions:
            return
        for question in self._by_label.candidates(pod.labels):
            if question.matcher.matches(pod):
                question.counts.add(row, change)

    def tidy(self) -> None:
        """Forget the matchers that nobody asked about lately, once there are too many."""
        if len(self._questions) <= _KEPT:
            return
        asked = {m: question for m, question in self._questions.items() if question.asked}
        self._questions = asked if len(asked) < len(self._questions) else {}
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


def _anchor(matcher: PodMatcher) -> Anchor | None:
    anchors = (anchor_of(condition.selector) for condition in matcher.conditions)
    return next((anchor for anchor in anchors if anchor is not None), None)
