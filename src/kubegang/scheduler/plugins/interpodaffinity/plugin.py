"""Keeps pods near to, or away from, others: required terms refuse nodes, preferred ones rank them.

The counts are the snapshot's and follow every change, so a term is looked at as the cluster
is at that moment: siblings placed by a trial count, victims taken away do not. Pure.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.domains import DomainCache
from kubegang.scheduler.framework.events import HintRegistration
from kubegang.scheduler.framework.interface import PluginContext, PreFilterResult, Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SKIP, SUCCESS, Status
from kubegang.scheduler.plugins.interpodaffinity.arguments import read_arguments
from kubegang.scheduler.plugins.interpodaffinity.filtering import AffinityFilter
from kubegang.scheduler.plugins.interpodaffinity.hints import registrations
from kubegang.scheduler.plugins.interpodaffinity.scoring import (
    scale_between_extremes,
    sums_of_weights,
    weigh_pods,
)
from kubegang.scheduler.plugins.interpodaffinity.terms import RequiredTerms, count_required

_NO_TERMS: Final = RequiredTerms((), (), is_own_match=False)
_NOTHING_TO_SAY: Final = PreFilterResult(SKIP)
_PREPARED: Final = PreFilterResult(SUCCESS)


class InterPodAffinity:
    """Looks at who is in a node's topology domains, and whom they want near."""

    NAME: ClassVar[str] = "InterPodAffinity"
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Read the weight of required terms from the arguments.

        Raises:
            PluginConfigError: the arguments cannot be used.
        """
        self._args = read_arguments(self.NAME, context.args)
        self._domains = DomainCache()
        self._required_note = f"{self.NAME} required"
        self._score_note = f"{self.NAME} score"

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when pods come or go that terms mean, or domains change."""
        return registrations()

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Look up whom the required terms mean; skip if neither side has any."""
        terms = pod.pod_affinity
        if terms is not None and (terms.required or terms.required_anti):
            required = count_required(cluster, pod, terms)
        elif cluster.terms_about("required-anti", pod):
            required = _NO_TERMS
        else:
            return _NOTHING_TO_SAY
        state.write(self._required_note, required)
        return _PREPARED

    def sign_pod(self, pod: PodInfo) -> Hashable | None:
        """Return the labels, which others may mind; leave pods alone that mind others."""
        return None if pod.pod_affinity is not None else frozenset(pod.labels.items())

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes where no required term is broken, neither the pod's nor another's."""
        return self._filter(state, pod, cluster).passed(rows)

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say whose rule keeps the pod off each node."""
        return self._filter(state, pod, cluster).refusals(rows)

    def pre_score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Status:
        """Look up whom preferred terms mean, on both sides; skip if there are none."""
        weighed = weigh_pods(cluster, pod, self._args)
        if not weighed:
            return SKIP
        state.write(self._score_note, weighed)
        return SUCCESS

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return the weights of all pods in each node's domains, added up."""
        weighed = state.read(self._score_note)
        return sums_of_weights(cluster.nodes, self._domains, weighed, rows=rows)

    def normalize_score(self, state: CycleState, pod: PodInfo, *, scores: IntArray) -> IntArray:
        """Give 100 to the most liked node and 0 to the least."""
        return scale_between_extremes(scores)

    def _filter(self, state: CycleState, pod: PodInfo, cluster: ClusterView) -> AffinityFilter:
        return AffinityFilter(
            cluster.nodes,
            self._domains,
            own=state.read(self._required_note),
            # Asked anew each time: a trial may have placed pods that mind this one.
            against=cluster.terms_about("required-anti", pod),
        )
