"""Keeps pods off cordoned nodes. Pure."""

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
from kubegang.scheduler.framework.nodes import NodeInfo, Taint
from kubegang.scheduler.framework.nodetable import BoolArray, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import unresolvable
from kubegang.scheduler.framework.taints import tolerates

_CORDONED: Final = unresolvable("node(s) were unschedulable")
_TAINT: Final = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


class NodeUnschedulable:
    """Refuses nodes with spec.unschedulable, unless the pod tolerates the taint of that name."""

    NAME: ClassVar[str] = "NodeUnschedulable"
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a node comes or is uncordoned, or the pod tolerates more."""
        node = ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_TAINT)
        toleration = ClusterEvent("TargetPod", Action.UPDATE_POD_TOLERATIONS)
        return (
            HintRegistration(node, is_schedulable_after_node_change),
            HintRegistration(toleration, is_schedulable_after_toleration_change),
        )

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return the tolerations."""
        return frozenset(pod.tolerations)

    def filter_key(self, pod: PodInfo) -> Hashable:
        """Return a key if the pod is to be kept off."""
        return None if tolerates(pod.tolerations, _TAINT) else "kept off"

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes that are not cordoned."""
        cordoned: BoolArray = cluster.nodes.unschedulable[rows]
        if tolerates(pod.tolerations, _TAINT):
            return np.ones(len(cordoned), dtype=np.bool_)
        return ~cordoned

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say the one thing there is to say."""
        return (Refusal(rows, _CORDONED),)


def is_schedulable_after_node_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the node takes pods now and did not before."""
    if not isinstance(new, NodeInfo) or new.unschedulable:
        return False
    return not isinstance(old, NodeInfo) or old.unschedulable


def is_schedulable_after_toleration_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the pod tolerates cordoned nodes now."""
    return isinstance(new, PodInfo) and tolerates(new.tolerations, _TAINT)
