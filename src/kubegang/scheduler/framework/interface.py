"""The extension points: what a plugin may implement.

A plugin is a class with ``NAME`` and any of these methods; the runtime looks which of the
Protocols it fulfils. Filters answer for all nodes at once with a mask; why a node was
refused is asked later, and only when somebody wants to know. Plugins are pure: what must
be written to the API is returned as a request that the binder carries out.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import msgspec

from kubegang.api.scheduling_rules import NEWEST_RULES, SchedulingRules
from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.framework.cluster import (
    ClusterView,
    Placement,
    PlacementAssignments,
    PlacementProgress,
)
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedEntity
from kubegang.scheduler.framework.events import HintRegistration
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, RowArray, Rows
from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo
from kubegang.scheduler.framework.status import Status

MAX_NODE_SCORE = 100
"""Scores of one plugin reach from 0 to this after normalisation."""


class PluginContext(msgspec.Struct, frozen=True):
    """What a plugin is made from.

    Attributes:
        args: its ``pluginConfig`` arguments as written, empty for the defaults.
        gates: the scheduler's feature gates.
        rules: what the release does otherwise than 1.37.
    """

    gates: FeatureGates
    args: Mapping[str, Any] = {}
    rules: SchedulingRules = NEWEST_RULES


class Plugin(Protocol):
    """Anything that a profile may name."""

    NAME: ClassVar[str]


class Refusal(NamedTuple):
    """One answer for several nodes."""

    rows: RowArray
    status: Status


class PreFilterResult(NamedTuple):
    """What a plugin says about a pod before any node is looked at.

    Attributes:
        node_names: the only nodes worth looking at, or ``None`` for all.
    """

    status: Status
    node_names: frozenset[NodeName] | None = None


@runtime_checkable
class PreEnqueuePlugin(Plugin, Protocol):
    """Holds a pod (and so its group) outside the queue until something is there."""

    def pre_enqueue(self, pod: PodInfo, groups: PodGroupStates) -> Status:
        """Return success, or what the pod waits for."""
        ...


@runtime_checkable
class EnqueuePlugin(Plugin, Protocol):
    """Says which events may cure its refusals."""

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Return the events, and the questions that narrow them."""
        ...


@runtime_checkable
class QueueSortPlugin(Plugin, Protocol):
    """Orders the queue; a profile has exactly one."""

    def queue_sort(self, entity: QueuedEntity) -> tuple[float, ...]:
        """Return the entity's place; the smallest is popped first."""
        ...


@runtime_checkable
class PreFilterPlugin(Plugin, Protocol):
    """Looks at the pod before any node."""

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Prepare; skip this plugin's filter; refuse the pod; or narrow the nodes."""
        ...


@runtime_checkable
class FilterPlugin(Plugin, Protocol):
    """Says for every node whether the pod may go there.

    Who the pod is must not matter to the answer: see ``pods.is_twin``.
    """

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Return, in the order of ``rows``, whether each node passes."""
        ...

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Return why ``rows``, all of which this plugin refuses, were refused.

        Rows with equal answers are put together; every row occurs once.
        """
        ...


@runtime_checkable
class StaticFilterPlugin(FilterPlugin, Protocol):
    """A filter that reads Node objects only, never what runs on nodes.

    The runtime keeps its mask until a Node object changes.
    """

    def filter_key(self, pod: PodInfo) -> Hashable:
        """Return the part of the pod that the mask depends on; ``None``: all nodes pass."""
        ...


@runtime_checkable
class OwnNodeFilterPlugin(FilterPlugin, Protocol):
    """A filter that looks at a node and the pods on it only, never at other nodes.

    Static filters are such by nature. Where all filters of a pod are, preemption may try many
    nodes side by side.
    """

    OWN_NODE_ONLY: ClassVar[bool]


@runtime_checkable
class NodeFilterPlugin(Plugin, Protocol):
    """A filter off the hot path, asked node by node; the runtime loops."""

    def filter_node(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, row: int
    ) -> Status:
        """Return whether the pod may go to the node, and if not, why."""
        ...


@runtime_checkable
class PreScorePlugin(Plugin, Protocol):
    """Looks at the feasible nodes before they are scored."""

    def pre_score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Status:
        """Prepare, or skip this plugin's score."""
        ...


@runtime_checkable
class ScorePlugin(Plugin, Protocol):
    """Ranks nodes."""

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return a number per row; 0 to 100, unless ``normalize_score`` makes it so."""
        ...


@runtime_checkable
class LocalScorePlugin(ScorePlugin, Protocol):
    """A score of a node that depends on that node and the pods on it only.

    The runtime keeps such scores and asks again for nodes that changed.
    """

    def score_key(self, pod: PodInfo) -> Hashable:
        """Return the part of the pod that the score depends on."""
        ...


class AdditivePlugin(Plugin, Protocol):
    """A plugin to which pods are no more than what they ask for.

    What it says about a pod without host ports, affinity, spreading, volumes and claims of its
    own depends on Node objects and on the pod; and on other such pods only through the sums,
    per node, of what the pods there ask for. So what it would say beside siblings can be worked
    out before they are placed. A filter reads the requests of the pod, a local score its
    ``score_key``.
    """

    ADDITIVE: ClassVar[bool]


class StaticScorePlugin(ScorePlugin, Protocol):
    """A score that reads the pod and Node objects only, never what runs on nodes.

    Normalisation may still compare the nodes that are feasible.
    """

    SCORES_NODES_ONLY: ClassVar[bool]


@runtime_checkable
class NormalizeScorePlugin(Plugin, Protocol):
    """Brings scores that only compare to the range 0 to 100."""

    def normalize_score(self, state: CycleState, pod: PodInfo, *, scores: IntArray) -> IntArray:
        """Return the scores of all feasible nodes, brought to the range."""
        ...


@runtime_checkable
class SignPodPlugin(Plugin, Protocol):
    """Says what about a pod its filters and scores depend on (KEP-5598).

    A filtering or scoring plugin without it turns batching off for its profile.
    """

    def sign_pod(self, pod: PodInfo) -> Hashable | None:
        """Return that part of the pod; ``None``: pods that are alike may still fare differently.

        The latter holds where other pods of the cluster matter beyond the sums of requests.
        """
        ...


@runtime_checkable
class PlacementGeneratePlugin(Plugin, Protocol):
    """Proposes sets of nodes for a whole group."""

    def generate_placements(
        self, state: CycleState, group: PodGroupInfo, *, cluster: ClusterView, parent: Placement
    ) -> tuple[Status, Sequence[Placement]]:
        """Return candidate subsets of ``parent``, or why there are none."""
        ...


@runtime_checkable
class PlacementFeasiblePlugin(Plugin, Protocol):
    """Says while members are being placed whether the group can still make it."""

    def placement_feasible(
        self, state: CycleState, group: PodGroupInfo, *, progress: PlacementProgress
    ) -> Status:
        """Return success: enough; wait: not yet; unschedulable: never, stop."""
        ...


@runtime_checkable
class PlacementScorePlugin(Plugin, Protocol):
    """Ranks placements that all hold the group."""

    def score_placement(
        self,
        state: CycleState,
        group: PodGroupInfo,
        *,
        cluster: ClusterView,
        proposal: PlacementAssignments,
    ) -> tuple[Status, int]:
        """Return a number for one placement; 0 to 100, unless normalised."""
        ...


@runtime_checkable
class NormalizePlacementScorePlugin(Plugin, Protocol):
    """Brings placement scores to the range 0 to 100."""

    def normalize_placement_scores(
        self, state: CycleState, group: PodGroupInfo, *, scores: Sequence[int]
    ) -> tuple[Status, Sequence[int]]:
        """Return the scores of all feasible placements, brought to the range."""
        ...


class BindingRequest(msgspec.Struct, frozen=True):
    """Write the node into the pod: POST pods/binding."""

    pod: PodInfo
    node: NodeName


@runtime_checkable
class BindPlugin(Plugin, Protocol):
    """Says how a pod gets its node."""

    def bind(self, pod: PodInfo, node: NodeName) -> BindingRequest | None:
        """Return the request, or ``None`` to leave it to the next plugin."""
        ...
