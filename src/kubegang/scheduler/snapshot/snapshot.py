"""The cluster at one moment: nodes with what is counted on them, pods, and pod groups.

A cycle reads it and, through a ``Trial``, changes it tentatively. Between cycles the cache
brings it up to date through a ``SnapshotBuilder``: changed rows only, never a rebuild.
Nobody else changes a snapshot. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.errors import NodeNotFoundError
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.nodetable import IntArray
from kubegang.scheduler.framework.podcounts import HeldTerm, PodCounts, PodMatcher, TermKind
from kubegang.scheduler.framework.pods import (
    NodeName,
    PodGroupInfo,
    PodGroupKey,
    PodInfo,
    PodUid,
)
from kubegang.scheduler.snapshot.devices import KnownDevices
from kubegang.scheduler.snapshot.directory import KnownObjects
from kubegang.scheduler.snapshot.forest import Forest
from kubegang.scheduler.snapshot.nominations import Nominations
from kubegang.scheduler.snapshot.placedpods import PlacedPod, PlacedPods
from kubegang.scheduler.snapshot.podcounts import PodCountIndex
from kubegang.scheduler.snapshot.storage import KnownStorage
from kubegang.scheduler.snapshot.table import SnapshotTable
from kubegang.scheduler.snapshot.weakest import WeakestPods

_MANY: Final = 32
"""From so many pods on they are counted together."""


class Snapshot:
    """One consistent state of the cluster; fulfils ``ClusterView``.

    Attributes:
        directory: namespaces, Services and controllers.
        storage: claims, volumes and drivers, and the pods that use them.
        devices: device claims, classes and slices.
        forest: pod groups and composite pod groups.
        counts: what affinity and spreading ask about the pods that have a node.
        nominations: the nodes that preemption promised to pods without a node.
        scan_start: the position in the scan order at which the next pod's search begins.
    """

    def __init__(self) -> None:
        self.nodes = SnapshotTable()
        self.directory = KnownObjects()
        self.storage = KnownStorage()
        self.devices = KnownDevices()
        self.forest = Forest()
        self.counts = PodCountIndex(self.nodes, self._counted_pods)
        self.nominations = Nominations()
        self.scan_start = 0
        self._placed = PlacedPods()
        self._budgets: dict[tuple[str, str], DisruptionBudget] = {}
        self._weakest = WeakestPods(self.nodes, self._priorities_on)
        self._weakest_alone = WeakestPods(self.nodes, self._own_priorities_on)

    # --- reading -------------------------------------------------------------------------

    def pods_on(self, row: int) -> Collection[PodInfo]:
        """Return the pods on a node, in the order in which they came."""
        return [entry.pod for entry in self._placed.on(self.nodes.names[row])]

    def pod(self, uid: PodUid) -> PodInfo | None:
        """Return a pod that has a node, or ``None``."""
        entry = self._placed.get(uid)
        return entry.pod if entry else None

    def row_of(self, uid: PodUid) -> int | None:
        """Return the row of the node on which a pod is counted, or ``None``."""
        entry = self._placed.get(uid)
        return self.nodes.row(entry.node) if entry else None

    def pods(self) -> Iterator[PodInfo]:
        """Iterate over all pods that have a node."""
        return (entry.pod for entry in self._placed.all())

    def placed_pods(self) -> list[PlacedPod]:
        """Return all pods that have a node, in the order in which they came."""
        return sorted(self._placed.all(), key=_by_arrival)

    def pod_group(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Return a group's object, or ``None``."""
        return self.forest.get(key)

    def pod_groups(self) -> Collection[PodGroupInfo]:
        """Return all group objects, composite ones too."""
        return self.forest.all()

    def child_groups(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        """Return the groups that name a composite as their parent, in the order of trying."""
        return self.forest.children(key)

    def lineage(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        """Return a group and those above it, as far as they are known, each once."""
        return self.forest.lineage(key)

    def scheduled_members(self, key: PodGroupKey) -> Sequence[PodInfo]:
        """Return a group's pods that have a node; within one pod group as they came."""
        leaves = self.forest.leaves(key)
        return [entry.pod for leaf in leaves for entry in self._placed.members(leaf)]

    def scheduled_count(self, key: PodGroupKey) -> int:
        """Return how many pods of a group have a node."""
        if not key.is_composite:
            return len(self._placed.members(key))
        return sum(len(self._placed.members(leaf)) for leaf in self.forest.leaves(key))

    def nominated_on(self, row: int) -> Collection[PodInfo]:
        """Return the pods to which a node is promised, in the order of the promises."""
        return self.nominations.on(self.nodes.names[row])

    def disruption_budgets(self) -> Collection[DisruptionBudget]:
        """Return all budgets."""
        return self._budgets.values()

    def priority_of(self, pod: PodInfo) -> int:
        """Return how important a pod is to preemption.

        The priority of its group counts, if it has one; of a tree's groups, the topmost's.
        """
        lineage = () if pod.pod_group is None else self.forest.lineage(pod.pod_group)
        return lineage[-1].priority if lineage else pod.priority

    def lowest_priorities(self, *, by_group: bool = True) -> IntArray:
        """Return per row the lowest priority there; a very high number where nobody is."""
        return self._weakest.by_row() if by_group else self._weakest_alone.by_row()

    def pods_matching(self, matcher: PodMatcher) -> PodCounts:
        """Return the counts of some pods, from now on kept up to date."""
        return self.counts.matching(matcher)

    def terms_about(self, kind: TermKind, pod: PodInfo) -> Sequence[HeldTerm]:
        """Return the affinity terms of placed pods that mean this pod."""
        return self.counts.terms_about(kind, pod, self.directory)

    # --- changing: the builder between cycles, a trial within one --------------------------

    def add_pod(self, pod: PodInfo, node: NodeName) -> PlacedPod:
        """Count a pod on a node from now on, and return its entry."""
        entry = self._placed.add(pod, node)
        self._count_all([entry], 1)
        return entry

    def remove_pod(self, uid: PodUid) -> PlacedPod:
        """Stop counting a pod, and return its entry."""
        entry = self._placed.remove(uid)
        self._count_all([entry], -1)
        return entry

    def replace_pod(self, pod: PodInfo) -> None:
        """Put a newer form of a pod in place that counts as the older one does."""
        self._placed.replace(pod)

    def set_aside(self, pods: Sequence[PodInfo]) -> None:
        """Stop counting pods until they are brought back."""
        self._count_all(self._placed.set_aside(pods), -1)

    def bring_back(self, pods: Sequence[PodInfo]) -> None:
        """Take back ``set_aside``: the pods have their old places among the others too."""
        self._count_all(self._placed.bring_back(pods), 1)

    def give_up(self, uid: PodUid) -> PlacedPod | None:
        """Forget a pod that is set aside, so that it can be placed; ``None`` if it is not."""
        return self._placed.give_up(uid)

    def take_up(self, entry: PlacedPod) -> None:
        """Take back ``give_up``."""
        self._placed.take_up(entry)

    def set_node(self, node: NodeInfo) -> None:
        """Add a node or replace its object; pods that wait for the node are counted."""
        is_new = self.nodes.row(node.name) is None
        version = self.nodes.version
        row = self.nodes.set_node(node)
        if self.nodes.version != version:
            self.counts.nodes_changed()
        if is_new:
            for entry in self._placed.on(node.name):
                self._count(row, entry.pod, 1)

    def remove_node(self, name: NodeName) -> None:
        """Remove a node; its pods stay known but are counted nowhere."""
        row = self.nodes.row(name)
        if row is None:
            raise NodeNotFoundError(f"node {name} is removed but is not in the snapshot")
        for entry in self._placed.on(name):
            self._count(row, entry.pod, -1)
        freed, moved = self.nodes.remove_node(name)
        self.counts.nodes_changed()
        self.counts.move(moved, freed)
        self.scan_start = self.scan_start % self.nodes.size if self.nodes.size else 0

    def set_pod_group(self, group: PodGroupInfo) -> None:
        """Add or replace a group's object."""
        old = self.forest.set(group)
        if old is None or old.priority != group.priority:
            self._members_changed(group.key)

    def remove_pod_group(self, key: PodGroupKey) -> None:
        """Remove a group's object; its members stay."""
        if self.forest.remove(key) is not None:
            self._members_changed(key)

    def set_budget(self, budget: DisruptionBudget) -> None:
        """Add or replace a disruption budget."""
        self._budgets[budget.namespace, budget.name] = budget

    def remove_budget(self, budget: DisruptionBudget) -> None:
        """Remove a disruption budget."""
        self._budgets.pop((budget.namespace, budget.name), None)

    def _count_all(self, entries: Sequence[PlacedPod], change: int) -> None:
        rows = ((self.nodes.row(node), pod) for pod, node, _ in entries)
        counted = [(row, pod) for row, pod in rows if row is not None]
        if len(counted) < _MANY:
            for row, pod in counted:
                self._count(row, pod, change)
            return
        self.nodes.count_many(counted, change)
        for row, pod in counted:
            self.counts.count(row, pod, change)
            if pod.volumes:
                self.storage.users.count(pod, self.nodes.names[row], change=change)

    def _count(self, row: int, pod: PodInfo, change: int) -> None:
        if change > 0:
            self.nodes.count_pod(row, pod)
        else:
            self.nodes.uncount_pod(row, pod)
        self.counts.count(row, pod, change)
        if pod.volumes:
            self.storage.users.count(pod, self.nodes.names[row], change=change)

    def _counted_pods(self) -> Iterator[tuple[PodInfo, int]]:
        for entry in self._placed.all():
            row = self.nodes.row(entry.node)
            if row is not None:
                yield entry.pod, row

    def _members_changed(self, key: PodGroupKey) -> None:
        # The group's priority is its members'.
        for leaf in self.forest.leaves(key):
            for entry in self._placed.members(leaf):
                row = self.nodes.row(entry.node)
                if row is not None:
                    self.nodes.touch(row)

    def _priorities_on(self, row: int) -> list[int]:
        return [self.priority_of(pod) for pod in self.pods_on(row)]

    def _own_priorities_on(self, row: int) -> list[int]:
        return [pod.priority for pod in self.pods_on(row)]


def _by_arrival(entry: PlacedPod) -> int:
    return entry.arrival
