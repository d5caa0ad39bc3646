"""The cluster as plugins see it during one cycle: read-only."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

import msgspec

from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.devices import Devices
from kubegang.scheduler.framework.nodetable import IntArray, NodeTable, RowArray
from kubegang.scheduler.framework.podcounts import HeldTerm, PodCounts, PodMatcher, TermKind
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.storageview import Storage
from kubegang.scheduler.framework.workloads import Directory


class ClusterView(Protocol):
    """One consistent state: nodes, the pods on them, and pod groups.

    Within a trial it shows what the trial has done so far.
    """

    @property
    def nodes(self) -> NodeTable:
        """The nodes, by row."""
        ...

    def pods_on(self, row: int) -> Collection[PodInfo]:
        """Return the pods on a node, in the order in which they came."""
        ...

    def pod(self, uid: PodUid) -> PodInfo | None:
        """Return a pod that has a node, or ``None``."""
        ...

    def row_of(self, uid: PodUid) -> int | None:
        """Return the row of the node on which a pod is counted, or ``None``."""
        ...

    def pods(self) -> Iterator[PodInfo]:
        """Iterate over all pods that have a node."""
        ...

    def pod_group(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Return a group's object, or ``None``."""
        ...

    def child_groups(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        """Return the groups that name a composite as their parent, in the order of trying."""
        ...

    def lineage(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        """Return a group and those above it, as far as they are known, each once."""
        ...

    def scheduled_members(self, key: PodGroupKey) -> Sequence[PodInfo]:
        """Return a group's pods that have a node; within one pod group as they came."""
        ...

    def nominated_on(self, row: int) -> Collection[PodInfo]:
        """Return the pods to which a node is promised, in the order of the promises."""
        ...

    def disruption_budgets(self) -> Collection[DisruptionBudget]:
        """Return all PodDisruptionBudgets."""
        ...

    def priority_of(self, pod: PodInfo) -> int:
        """Return how important a pod is to preemption: its group's priority counts, if any.

        Of a tree's groups it is the topmost's.
        """
        ...

    def lowest_priorities(self, *, by_group: bool = True) -> IntArray:
        """Return per row the lowest priority there; a very high number where nobody is.

        Args:
            by_group: a member of a group has its group's priority; else its own.
        """
        ...

    @property
    def directory(self) -> Directory:
        """Namespaces, Services and controllers."""
        ...

    @property
    def storage(self) -> Storage:
        """Claims, volumes and drivers."""
        ...

    @property
    def devices(self) -> Devices:
        """Device claims, classes and slices."""
        ...

    def pods_matching(self, matcher: PodMatcher) -> PodCounts:
        """Return the counts of some pods; asking the first time takes a look at every pod."""
        ...

    def terms_about(self, kind: TermKind, pod: PodInfo) -> Sequence[HeldTerm]:
        """Return the affinity terms of placed pods that mean this pod."""
        ...


class Placement(msgspec.Struct, frozen=True):
    """A candidate set of nodes for a whole group.

    Attributes:
        name: the topology domain, or empty for the parent's whole set.
        rows: the nodes, in scan order; ``None`` stands for all nodes.
    """

    name: str
    rows: RowArray | None = None


class PlacementProgress(msgspec.Struct, frozen=True):
    """How far a group has come within one placement.

    Members of a composite are its child groups.

    Attributes:
        scheduled: members that have a node (child groups: all they need), in this trial or
            since earlier.
        remaining: members not yet tried.
    """

    scheduled: int
    remaining: int


class Assignment(msgspec.Struct, frozen=True):
    """A member and the node that a trial found for it."""

    pod: PodInfo
    row: int


class PlacementAssignments(msgspec.Struct, frozen=True):
    """What a trial found within one placement."""

    placement: Placement
    assignments: tuple[Assignment, ...]
