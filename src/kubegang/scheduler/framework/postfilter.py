"""The extension points that make room: for a pod, and for a group.

A plugin that searches needs more than a view of the cluster: it tries what would be if pods
had gone, asks the filters again, and for a group lets it be placed anew. All of that it gets
through the ``Handle``, so it needs to know neither the snapshot nor the runtime.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, NamedTuple, Protocol, runtime_checkable

from kubegang.scheduler.framework.binding import ApiChange
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import Plugin, Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, RowArray
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo, PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.framework.status import Status


class TrialSteps(Protocol):
    """Tentative changes to the cluster; the snapshot's ``Trial`` fulfils it."""

    def place(self, pod: PodInfo, node: NodeName) -> None:
        """Count a pod against a node from now on."""
        ...

    def evict(self, *pods: PodInfo) -> None:
        """Stop counting pods, as if they had gone."""
        ...

    def put_back(self, *pods: PodInfo) -> None:
        """Count evicted pods again, as if they had never gone."""
        ...

    def mark(self) -> int:
        """Return a point to which ``rollback`` can return."""
        ...

    def rollback(self, to: int = 0) -> None:
        """Take back every step made since ``to``."""
        ...


class Handle(Protocol):
    """What a plugin that searches may ask of the cycle it is part of."""

    @property
    def cluster(self) -> ClusterView:
        """The cluster; within a trial it shows what the trial has done so far."""
        ...

    @property
    def rng(self) -> Rng:
        """The source of chance."""
        ...

    def trial(self) -> AbstractContextManager[TrialSteps]:
        """Begin a trial, which is taken back on exit."""
        ...

    def passing(
        self, state: CycleState, pod: PodInfo, *, rows: RowArray, own_node_only: bool = False
    ) -> BoolArray:
        """Return, in the order of ``rows``, whether the filters let the pod onto each node.

        Pods of equal or higher priority to which a node is promised count there too.

        Args:
            state: the notes of an attempt at the pod.
            pod: counted nowhere.
            rows: the nodes.
            own_node_only: ask only filters that never look at other nodes.
        """
        ...

    def refusals(
        self, state: CycleState, pod: PodInfo, *, rows: RowArray, own_node_only: bool = False
    ) -> Sequence[Refusal]:
        """Return why ``rows`` are refused; those that are not do not occur."""
        ...

    def is_local(self, state: CycleState) -> bool:
        """Return whether what the filters say about a node depends on that node alone."""
        ...


class Eviction(NamedTuple):
    """Who is to go, and what that breaks.

    Attributes:
        victims: most important first; those that are terminating already are among them.
        group_units: how many victims, or groups of them, belong to pod groups.
        budget_violations: how many of them a disruption budget protects.
    """

    victims: tuple[PodInfo, ...] = ()
    group_units: int = 0
    budget_violations: int = 0


NOBODY: Final = Eviction()


class PostFilterResult(NamedTuple):
    """What can be done for a pod that found no node.

    Attributes:
        status: success if a later attempt will find room; else why nothing can be done.
        nominated_node: where room is being made; empty clears an earlier promise, ``None``
            leaves it.
        eviction: who must go first.
        displaced: weaker pods to which the same node was promised; they look elsewhere.
        changes: what else is to be written; whether that succeeds is for a later attempt.
    """

    status: Status
    nominated_node: NodeName | None = None
    eviction: Eviction = NOBODY
    displaced: tuple[PodInfo, ...] = ()
    changes: tuple[ApiChange, ...] = ()


@runtime_checkable
class PostFilterPlugin(Plugin, Protocol):
    """Looks for a way to make room for a pod that found no node."""

    def post_filter(
        self, state: CycleState, pod: PodInfo, *, refusals: Sequence[Refusal], handle: Handle
    ) -> PostFilterResult:
        """Return what can be done; ``refusals`` name every node once."""
        ...


class PlannedMember(NamedTuple):
    """A member of a group with the node that it would get.

    Attributes:
        state: the notes of the attempt that found the node.
    """

    pod: PodInfo
    row: int
    state: CycleState


class GroupPlan(NamedTuple):
    """How a group would be placed.

    Attributes:
        members: those with a node, in the order in which they were placed.
    """

    status: Status
    members: tuple[PlannedMember, ...] = ()


ScheduleGroup = Callable[[], GroupPlan]
"""Places the group anew on the cluster as it is at that moment, and takes that back."""


class PodGroupPostFilterResult(NamedTuple):
    """What can be done for a group that has no placement.

    Attributes:
        nominated_nodes: where room is being made, per member.
        eviction: who must go first.
        changes: what else is to be written; whether that succeeds is for a later attempt.
    """

    status: Status
    nominated_nodes: Mapping[PodUid, NodeName] = {}
    eviction: Eviction = NOBODY
    changes: tuple[ApiChange, ...] = ()


@runtime_checkable
class PodGroupPostFilterPlugin(Plugin, Protocol):
    """Looks for a way to make room for a group that has no placement."""

    def pod_group_post_filter(
        self,
        state: CycleState,
        group: PodGroupInfo,
        *,
        members: Sequence[PodInfo],
        handle: Handle,
        schedule: ScheduleGroup,
    ) -> PodGroupPostFilterResult:
        """Return what can be done; ``state`` is the whole group cycle's."""
        ...
