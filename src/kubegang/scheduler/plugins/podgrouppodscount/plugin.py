"""Prefers placements that hold more of a group. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from kubegang.scheduler.framework.cluster import ClusterView, PlacementAssignments
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE, PluginContext
from kubegang.scheduler.framework.pods import PodGroupInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, failure


class PodGroupPodsCount:
    """Counts members that would have a node, those scheduled earlier included.

    The minimum plays no part, so a placement with a few more members is only a little better.
    """

    NAME: ClassVar[str] = "PodGroupPodsCount"

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def score_placement(
        self,
        state: CycleState,
        group: PodGroupInfo,
        *,
        cluster: ClusterView,
        proposal: PlacementAssignments,
    ) -> tuple[Status, int]:
        """Return the number of members with a node."""
        return SUCCESS, len(cluster.scheduled_members(group.key)) + len(proposal.assignments)

    def normalize_placement_scores(
        self, state: CycleState, group: PodGroupInfo, *, scores: Sequence[int]
    ) -> tuple[Status, Sequence[int]]:
        """Give 100 to the placement that holds most."""
        most = max(scores, default=0)
        if not most:
            text = "no pods from pod group are assigned to any of the candidate placements"
            return failure(text), ()
        return SUCCESS, [score * MAX_NODE_SCORE // most for score in scores]
