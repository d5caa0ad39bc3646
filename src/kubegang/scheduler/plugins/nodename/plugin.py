"""Holds a pod that names its node to that node. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import Action, ClusterEvent, HintRegistration
from kubegang.scheduler.framework.interface import PluginContext, PreFilterResult, Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SKIP, SUCCESS, unresolvable

_OTHER_NODE: Final = unresolvable("node(s) didn't match the requested node name")


class NodeName:
    """Refuses every node but the one in spec.nodeName, if that is set."""

    NAME: ClassVar[str] = "NodeName"
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a node comes: it may be the one."""
        return (HintRegistration(ClusterEvent("Node", Action.ADD)),)

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Leave only the named node."""
        if not pod.node_name:
            return PreFilterResult(SKIP)
        return PreFilterResult(SUCCESS, frozenset({pod.node_name}))

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return the name."""
        return pod.node_name

    def filter_key(self, pod: PodInfo) -> Hashable:
        """Return the name, or nothing."""
        return pod.node_name or None

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass the named node, or all."""
        table = cluster.nodes
        passed = np.full(table.size, not pod.node_name, dtype=np.bool_)
        row = table.row(pod.node_name)
        if row is not None:
            passed[row] = True
        return passed[rows]

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say the one thing there is to say."""
        return (Refusal(rows, _OTHER_NODE),)
