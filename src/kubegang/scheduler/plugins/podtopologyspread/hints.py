"""Which events may let a pod in that found its domains too uneven. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.scheduler.framework.events import (
    Action,
    ClusterEvent,
    ClusterObject,
    HintRegistration,
)
from kubegang.scheduler.framework.labelselection import selects
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.terms import SpreadConstraint
from kubegang.scheduler.plugins.podtopologyspread.constraints import ConstraintSource


class SpreadHints:
    """The questions about events.

    Which pods a default constraint counts is deduced from objects that a hint cannot see, so
    any change of a pod in the namespace is worth an attempt there.
    """

    def __init__(self, source: ConstraintSource) -> None:
        self._source = source

    def registrations(self) -> Sequence[HintRegistration]:
        """Return the events, each with its question."""
        assigned = Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE
        target = Action.UPDATE_POD_TOLERATIONS | Action.UPDATE_POD_LABEL
        node = Action.ADD | Action.DELETE | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_TAINT
        return (
            HintRegistration(ClusterEvent("AssignedPod", assigned), self.after_pod_change),
            HintRegistration(ClusterEvent("TargetPod", target), self.after_own_change),
            HintRegistration(ClusterEvent("Node", node), self.after_node_change),
        )

    def after_pod_change(
        self, pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
    ) -> bool:
        """Return whether a pod came, went or changed that a constraint counts."""
        changed = [entry for entry in (old, new) if isinstance(entry, PodInfo)]
        if not all(_is_counted_for(entry, pod) for entry in changed):
            return False
        if not pod.spread:
            return True
        constraints = self._hard(pod)
        if len(changed) == 2:
            return _counts_differently(constraints, *changed)
        return any(selects(c.selector, entry.labels) for c in constraints for entry in changed)

    def after_own_change(
        self, pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
    ) -> bool:
        """Return whether the pod tolerates more, where that matters, or counts differently."""
        if not isinstance(old, PodInfo) or not isinstance(new, PodInfo):
            return False
        constraints = self._hard(pod)
        if old.tolerations != new.tolerations and any(c.honors_taints for c in constraints):
            return True
        if not pod.spread:
            return old.labels != new.labels
        return _counts_differently(constraints, old, new)

    def after_node_change(
        self, pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
    ) -> bool:
        """Return whether a node became, or ceased to be, part of a domain; or changed it."""
        keys = [constraint.topology_key for constraint in self._hard(pod)]
        had, has = _has_keys(old, keys), _has_keys(new, keys)
        if not isinstance(old, NodeInfo) or not isinstance(new, NodeInfo) or had != has:
            return had or has
        moved = any(old.labels.get(key) != new.labels.get(key) for key in keys)
        return has and (moved or old.taints != new.taints)

    def _hard(self, pod: PodInfo) -> Sequence[SpreadConstraint]:
        if pod.spread:
            return [constraint for constraint in pod.spread if constraint.hard]
        return self._source.default_hard


def _is_counted_for(other: PodInfo, pod: PodInfo) -> bool:
    placed = bool(other.node_name or other.nominated_node_name)
    return placed and other.namespace == pod.namespace


def _counts_differently(
    constraints: Sequence[SpreadConstraint], old: PodInfo, new: PodInfo
) -> bool:
    return any(
        selects(c.selector, old.labels) != selects(c.selector, new.labels) for c in constraints
    )


def _has_keys(node: ClusterObject | None, keys: Sequence[str]) -> bool:
    return isinstance(node, NodeInfo) and all(key in node.labels for key in keys)
