"""Keeps pods off nodes that have not declared what the pods need. Pure."""

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
from kubegang.scheduler.framework.interface import PluginContext, PreFilterResult, Refusal
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.nodetable import BoolArray, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SKIP, SUCCESS, unresolvable

_MISSING: Final = unresolvable("node(s) didn't match Pod's required features")
_ANY_UPDATE: Final = (
    Action.UPDATE_POD_LABEL
    | Action.UPDATE_POD_SCALE_DOWN
    | Action.UPDATE_POD_GATES
    | Action.UPDATE_POD_TOLERATIONS
    | Action.UPDATE_OTHER
)


class NodeDeclaredFeatures:
    """Compares what pods need with status.declaredFeatures of nodes."""

    NAME: ClassVar[str] = "NodeDeclaredFeatures"
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments; which features there are is the release's business."""
        self._known = frozenset(context.rules.node_features.known)
        self._names_them = context.rules.node_features.names_missing

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a node comes or declares something else, or the pod needs less."""
        node = ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_DECLARED_FEATURE)
        return (
            HintRegistration(node, is_schedulable_after_node_change),
            HintRegistration(ClusterEvent("TargetPod", _ANY_UPDATE), self._needs_other_features),
        )

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Skip pods that need nothing special."""
        return PreFilterResult(SUCCESS if self._needs(pod) else SKIP)

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return what the node must be able to do."""
        return pod.features

    def filter_key(self, pod: PodInfo) -> Hashable:
        """Return what the pod needs, if anything."""
        return self._needs(pod) or None

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes that declared all of it."""
        needed = frozenset(self._needs(pod))
        infos = cluster.nodes.infos
        passed = np.fromiter(
            (needed.issubset(info.declared_features) for info in infos), np.bool_, len(infos)
        )
        return passed[rows]

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say that something is missing; in some releases, what."""
        if not self._names_them:
            return (Refusal(rows, _MISSING),)
        by_missing: dict[tuple[str, ...], list[int]] = {}
        for row in rows.tolist():
            declared = cluster.nodes.infos[row].declared_features
            missing = tuple(name for name in self._needs(pod) if name not in declared)
            by_missing.setdefault(missing, []).append(row)
        return [
            Refusal(np.array(refused, dtype=np.intp), unresolvable(_naming(missing)))
            for missing, refused in by_missing.items()
        ]

    def _needs(self, pod: PodInfo) -> tuple[str, ...]:
        if not pod.features:
            return ()
        return tuple(name for name in pod.features if name in self._known)

    def _needs_other_features(
        self, pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
    ) -> bool:
        if not isinstance(old, PodInfo) or not isinstance(new, PodInfo):
            return True
        return self._needs(old) != self._needs(new)


def is_schedulable_after_node_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether a node came, or declares something else now."""
    if not isinstance(old, NodeInfo) or not isinstance(new, NodeInfo):
        return True
    return old.declared_features != new.declared_features


def _naming(missing: tuple[str, ...]) -> str:
    names = ", ".join(missing)
    return f"node declared features check failed - unsatisfied requirements: {names}"
