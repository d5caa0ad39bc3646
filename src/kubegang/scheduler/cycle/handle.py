"""What the steps of one cycle, and plugins that search, may ask and try. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo, PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.nominating import (
    explain_beside_nominated,
    filter_beside_nominated,
    leaves_room,
)
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.scheduler.snapshot.trial import Trial

SEARCHES_PER_MEMBER: Final = 8
"""At least so many domains are tried, or it does not matter how long it takes."""


class CycleHandle:
    """The filters of one profile on one snapshot; fulfils ``Handle``.

    Attributes:
        cluster: the snapshot, which within a trial shows what the trial has done.
        framework: the plugins.
        rng: breaks ties.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        framework: Framework,
        rng: Rng,
        deciding: Collection[PodUid] = (),
    ) -> None:
        """Bundle them.

        Args:
            snapshot: the cluster.
            framework: the plugins.
            rng: breaks ties.
            deciding: the pods that are being decided about; what is promised to them need
                not be left to them.
        """
        self.cluster = snapshot
        self.framework = framework
        self.rng = rng
        self._deciding = frozenset(deciding)

    def compares_members(self, *, in_domain: bool) -> bool:
        """Return whether it is worth finding out which of the decided pods are alike.

        Args:
            in_domain: only part of the cluster is looked at; then other parts will follow.
        """
        searches = len(self._deciding) * (SEARCHES_PER_MEMBER if in_domain else 1)
        return searches >= self.framework.compare_members_from

    def leaves_room(self, pod: PodInfo) -> bool:
        """Return whether nodes were promised to others whom this pod must leave the room."""
        return leaves_room(self.cluster, pod, self._deciding)

    def trial(self) -> Trial:
        """Begin a trial, which is taken back on exit."""
        return Trial(self.cluster)

    def passing(
        self, state: CycleState, pod: PodInfo, *, rows: Rows, own_node_only: bool = False
    ) -> BoolArray:
        """Return, in the order of ``rows``, whether the filters let the pod onto each node."""
        return filter_beside_nominated(
            self.framework,
            state,
            pod=pod,
            snapshot=self.cluster,
            rows=rows,
            deciding=self._deciding,
            own_node_only=own_node_only,
        )

    def refusals(
        self, state: CycleState, pod: PodInfo, *, rows: RowArray, own_node_only: bool = False
    ) -> list[Refusal]:
        """Return why ``rows`` are refused; those that are not do not occur."""
        return explain_beside_nominated(
            self.framework,
            state,
            pod=pod,
            snapshot=self.cluster,
            rows=rows,
            deciding=self._deciding,
            own_node_only=own_node_only,
        )

    def is_local(self, state: CycleState) -> bool:
        """Return whether what the filters say about a node depends on that node alone."""
        return self.framework.is_local(state)
