"""Spreads pods over topology domains: hard constraints refuse nodes, soft ones rank them.

The counts are the snapshot's and follow every change, so a constraint is looked at as the
cluster is at that moment: siblings placed by a trial count, victims taken away do not. Pure.
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
from kubegang.scheduler.plugins.podtopologyspread.arguments import read_arguments
from kubegang.scheduler.plugins.podtopologyspread.constraints import ConstraintSource
from kubegang.scheduler.plugins.podtopologyspread.counting import (
    CountedConstraint,
    count_constraints,
)
from kubegang.scheduler.plugins.podtopologyspread.filtering import (
    first_broken,
    nodes_within_skew,
)
from kubegang.scheduler.plugins.podtopologyspread.hints import SpreadHints
from kubegang.scheduler.plugins.podtopologyspread.scoring import (
    crowdedness,
    scale_to_emptiest,
    weigh,
)

_NOTHING_TO_SAY: Final = PreFilterResult(SKIP)
_PREPARED: Final = PreFilterResult(SUCCESS)


class PodTopologySpread:
    """Keeps the numbers of matching pods in different domains close together."""

    NAME: ClassVar[str] = "PodTopologySpread"
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Read the default constraints from the arguments.

        Raises:
            PluginConfigError: the arguments cannot be used.
        """
        self._source = ConstraintSource(read_arguments(self.NAME, context.args))
        self._hints = SpreadHints(self._source)
        self._domains = DomainCache()
        self._hard_note = f"{self.NAME} hard"
        self._soft_note = f"{self.NAME} soft"

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when counted pods, or the domains, change."""
        return self._hints.registrations()

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Look up what counts for the hard constraints; skip pods without any."""
        constraints = self._source.hard(pod, cluster.directory)
        if not constraints:
            return _NOTHING_TO_SAY
        counted = count_constraints(self._domains, cluster, pod, constraints, every_key=True)
        state.write(self._hard_note, counted)
        return _PREPARED

    def sign_pod(self, pod: PodInfo) -> Hashable | None:
        """Leave pods alone that have constraints, or would get default ones.

        With ``defaultingType: System`` that is every pod, also one that belongs to no Service
        or set and so gets none in the end (measured on 1.37.2 and 1.36.3).
        """
        return None if pod.spread or self._source.has_defaults else ()

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes whose domains would not get too far ahead of the emptiest."""
        return nodes_within_skew(cluster.nodes, self._hard(state), pod, rows=rows)

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Tell domains that are too full from nodes that have none."""
        return first_broken(self._hard(state), pod, rows=rows)

    def pre_score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Status:
        """Weigh the soft constraints; skip pods without any."""
        constraints = self._source.soft(pod, cluster.directory)
        if not constraints:
            return SKIP
        every_key = self._source.needs_every_key(pod)
        counted = count_constraints(self._domains, cluster, pod, constraints, every_key=every_key)
        state.write(self._soft_note, weigh(counted, rows=rows, every_key=every_key))
        return SUCCESS

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return how many matching pods are around each node, weighed."""
        return crowdedness(state.read(self._soft_note), rows=rows)

    def normalize_score(self, state: CycleState, pod: PodInfo, *, scores: IntArray) -> IntArray:
        """Give most to the least crowded nodes."""
        return scale_to_emptiest(scores)

    def _hard(self, state: CycleState) -> Sequence[CountedConstraint]:
        noted: Sequence[CountedConstraint] = state.read(self._hard_note)
        return noted
