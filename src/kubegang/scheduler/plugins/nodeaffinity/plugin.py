"""Matches nodeSelector and node affinity against labels and names of nodes. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

import msgspec
import numpy as np

from kubegang.api.core.affinity import NodeAffinity as ApiNodeAffinity
from kubegang.scheduler.framework.arguments import decode_arguments
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
from kubegang.scheduler.framework.nodeselection import (
    NAME_FIELD,
    demanded_nodes,
    is_demanding,
    matching_nodes,
    node_is_demanded,
)
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, RowArray, Rows
from kubegang.scheduler.framework.nodeterms import node_affinity_terms
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.scores import scale_to_best
from kubegang.scheduler.framework.status import SKIP, SUCCESS, Status, unresolvable
from kubegang.scheduler.framework.terms import NodeSelectorTerm

_NO_MATCH: Final = unresolvable("node(s) didn't match Pod's node affinity/selector")
_ENFORCED: Final = unresolvable("node(s) didn't match scheduler-enforced node affinity")
_CONFLICT: Final = unresolvable("pod affinity terms conflict")


class NodeAffinityArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The plugin's arguments.

    Attributes:
        added_affinity: holds for all pods of the profile, on top of their own.
    """

    added_affinity: ApiNodeAffinity | None = None


class NodeAffinity:
    """Refuses nodes that do not match what is required; ranks by what is preferred."""

    NAME: ClassVar[str] = "NodeAffinity"
    ADDITIVE: ClassVar[bool] = True
    SCORES_NODES_ONLY: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Read ``addedAffinity`` from the arguments.

        Raises:
            PluginConfigError: the arguments cannot be used.
        """
        args = decode_arguments(self.NAME, context.args, NodeAffinityArgs)
        self._added = node_affinity_terms(args.added_affinity)

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a node comes or changes its labels."""
        event = ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_LABEL)
        return (HintRegistration(event, self._is_schedulable_after_node_change),)

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Leave only the nodes that the terms name, if every term names some."""
        if self.filter_key(pod) is None:
            return PreFilterResult(SKIP)
        names = _named_nodes(pod.affinity.required or ())
        if names is None:
            return PreFilterResult(SUCCESS)
        return PreFilterResult(SUCCESS, names) if names else PreFilterResult(_CONFLICT)

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return selector and terms, whose order does not matter."""
        selector, required, preferred = pod.affinity
        alternatives = None if required is None else frozenset(required)
        return (selector, alternatives, frozenset(preferred))

    def filter_key(self, pod: PodInfo) -> Hashable:
        """Return selector and required terms; nothing if no node can be excluded."""
        if is_demanding(pod.affinity) or is_demanding(self._added):
            return (pod.affinity.selector, pod.affinity.required)
        return None

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes that match the pod's own terms and the added ones."""
        table = cluster.nodes
        passed = demanded_nodes(table, pod.affinity) & demanded_nodes(table, self._added)
        return passed[rows]

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say whether it was the scheduler's own affinity or the pod's."""
        allowed = demanded_nodes(cluster.nodes, self._added)[rows]
        answers = (Refusal(rows[~allowed], _ENFORCED), Refusal(rows[allowed], _NO_MATCH))
        return [answer for answer in answers if len(answer.rows)]

    def pre_score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Status:
        """Add up the weights of matching terms per node; skip if nothing is preferred."""
        preferred = (*self._added.preferred, *pod.affinity.preferred)
        if not preferred:
            return SKIP
        sums = np.zeros(cluster.nodes.size, dtype=np.int64)
        for weight, term in preferred:
            sums += weight * matching_nodes(cluster.nodes, term)
        state.write(self.NAME, sums)
        return SUCCESS

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return the sum of the weights of matching terms."""
        sums: IntArray = state.read(self.NAME)[rows]
        return sums

    def normalize_score(self, state: CycleState, pod: PodInfo, *, scores: IntArray) -> IntArray:
        """Give 100 to the node that matches most."""
        return scale_to_best(scores)

    def _is_schedulable_after_node_change(
        self, pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
    ) -> bool:
        if not isinstance(new, NodeInfo) or not node_is_demanded(new, self._added):
            return False
        if not node_is_demanded(new, pod.affinity):
            return False
        return not isinstance(old, NodeInfo) or not node_is_demanded(old, pod.affinity)


def _named_nodes(terms: Sequence[NodeSelectorTerm]) -> frozenset[NodeName] | None:
    """Return the nodes that the terms name together; ``None`` if one of them names none.

    Names within a term must all hold, terms are alternatives. The empty set means that each
    term contradicts itself.
    """
    union: frozenset[NodeName] | None = None
    for term in terms:
        names: frozenset[NodeName] | None = None
        for field in term.fields:
            if field.key == NAME_FIELD and field.operator == "In":
                values = frozenset(NodeName(value) for value in field.values)
                names = values if names is None else names & values
        if names is None:
            return None
        union = names if union is None else union | names
    return union
