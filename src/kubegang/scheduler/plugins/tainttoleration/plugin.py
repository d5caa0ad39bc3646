"""Keeps pods off nodes with taints they do not tolerate, and away from those they dislike. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import (
    Action,
    ClusterEvent,
    ClusterObject,
    HintRegistration,
)
from kubegang.scheduler.framework.interface import PluginContext, Refusal
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.scores import scale_to_fewest
from kubegang.scheduler.framework.status import SKIP, SUCCESS, Status, unresolvable
from kubegang.scheduler.framework.taints import count_disliked, keeps_off

_UNTOLERATED: Final = unresolvable("node(s) had untolerated taint(s)")


class TaintToleration:
    """Refuses nodes with untolerated NoSchedule and NoExecute taints; ranks by PreferNoSchedule."""

    NAME: ClassVar[str] = "TaintToleration"
    ADDITIVE: ClassVar[bool] = True
    SCORES_NODES_ONLY: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a node comes or loses taints, or the pod tolerates more."""
        node = ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_TAINT)
        toleration = ClusterEvent("TargetPod", Action.UPDATE_POD_TOLERATIONS)
        return (
            HintRegistration(node, is_schedulable_after_node_change),
            HintRegistration(toleration),
        )

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return the tolerations, whose order does not matter."""
        return frozenset(pod.tolerations)

    def filter_key(self, pod: PodInfo) -> Hashable:
        """Return the tolerations."""
        return pod.tolerations

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes whose taints are tolerated; worked out once per distinct set of taints."""
        table = cluster.nodes
        passes = [not keeps_off(taints, pod.tolerations) for taints in table.taint_sets]
        passed: BoolArray = np.array(passes, dtype=np.bool_)[table.taint_set_ids[rows]]
        return passed

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say the one thing there is to say; 1.37 no longer names the taint."""
        return (Refusal(rows, _UNTOLERATED),)

    def pre_score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Status:
        """Count disliked taints per set; skip if there are none, as all would score alike."""
        counts = [count_disliked(taints, pod.tolerations) for taints in cluster.nodes.taint_sets]
        if not any(counts):
            return SKIP
        state.write(self.NAME, np.array(counts, dtype=np.int64))
        return SUCCESS

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return how many taints of each node the pod dislikes."""
        counts: IntArray = state.read(self.NAME)[cluster.nodes.taint_set_ids[rows]]
        return counts

    def normalize_score(self, state: CycleState, pod: PodInfo, *, scores: IntArray) -> IntArray:
        """Give 100 to nodes without disliked taints and 0 to those with most."""
        return scale_to_fewest(scores)


def is_schedulable_after_node_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the node's taints are tolerated now and were not before."""
    if not isinstance(new, NodeInfo) or keeps_off(new.taints, pod.tolerations):
        return False
    return not isinstance(old, NodeInfo) or keeps_off(old.taints, pod.tolerations)
