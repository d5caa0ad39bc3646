"""The cluster at one moment: nodes with what is counted on them, pods, and pod groups.

A cycle reads it and, through a ``Trial``, changes it tentatively. Between cycles the cache
brings it up to date through a ``SnapshotBuilder``: changed rows only, never a rebuild.
Nobody else changes a snapshot.

A pod whose eviction is tried is not taken out but set aside: it stays in its listings, is
left out of every answer and of every count, and is back in its old place at no cost. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from kubegang.scheduler.framework.errors import InvariantError, NodeNotFoundError
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.podcounts import HeldTerm, PodCounts, PodMatcher, TermKind
from kubegang.scheduler.framework.pods import (
    NodeName,
    PodGroupInfo,
    PodGroupKey,
    PodInfo,
    PodUid,
)
from kubegang.scheduler.snapshot.directory import KnownObjects
from kubegang.scheduler.snapshot.podcounts import PodCountIndex
from kubegang.scheduler.snapshot.table import SnapshotTable


class PlacedPod(NamedTuple):
    """A pod that has a node.

    Attributes:
        node: may be a node that does not exist (any more); the pod is then counted nowhere.
        arrival: orders pods; kept when a step is taken back.
    """

    pod: PodInfo
    node: NodeName
    arrival: int


class Snapshot:
    """One consistent state of the cluster; fulfils ``ClusterView``.

    Attributes:
        directory: namespaces, Services and controllers.
        counts: what affinity and spreading ask about the pods that have a node.
        scan_start: the position in the scan order at which the next pod's search begins.
    """

    def __init__(self) -> None:
        self.nodes = SnapshotTable()
        self.directory = KnownObjects()
        self.counts = PodCountIndex(self.nodes, self._counted_pods)
        self.scan_start = 0
        self._placed: dict[PodUid, PlacedPod] = {}
        self._on_node: dict[NodeName, dict[PodUid, PlacedPod]] = {}
        self._members: dict[PodGroupKey, dict[PodUid, PlacedPod]] = {}
        self._groups: dict[PodGroupKey, PodGroupInfo] = {}
        self._arrivals = 0

    # --- reading -------------------------------------------------------------------------

    def pods_on(self, row: int) -> Collection[PodInfo]:
        """Return the pods on a node, in the order in which they came."""
        placed = self._on_node.get(self.nodes.names[row])
        return [entry.pod for entry in placed.values()] if placed else ()

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
        return (entry.pod for entry in self._placed.values())

    def placed_pods(self) -> list[PlacedPod]:
        """Return all pods that have a node, in the order in which they came."""
        return sorted(self._placed.values(), key=_by_arrival)

    def pod_group(self, key: PodGroupKey) -> PodGroupInfo | None:
        """Return a group's object, or ``None``."""
        return self._groups.get(key)

    def pod_groups(self) -> Collection[PodGroupInfo]:
        """Return all group objects."""
        return self._groups.values()

    def scheduled_members(self, key: PodGroupKey) -> Sequence[PodInfo]:
        """Return a group's members that have a node, in the order in which they came."""
        members = self._members.get(key)
        return [entry.pod for entry in members.values()] if members else ()

    def scheduled_count(self, key: PodGroupKey) -> int:
        """Return how many members of a group have a node."""
        return len(self._members.get(key, ()))

    def pods_matching(self, matcher: PodMatcher) -> PodCounts:
        """Return the counts of some pods, from now on kept up to date."""
        return self.counts.matching(matcher)

    def terms_about(self, kind: TermKind, pod: PodInfo) -> Sequence[HeldTerm]:
        """Return the affinity terms of placed pods that mean this pod."""
        return self.counts.terms_about(kind, pod, self.directory.namespace_labels(pod.namespace))

    # --- changing: the builder between cycles, a trial within one --------------------------

    def add_pod(self, pod: PodInfo, node: NodeName) -> PlacedPod:
        """Count a pod on a node from now on, and return its entry."""
        if pod.uid in self._placed:
            entry = self._placed[pod.uid]
            raise InvariantError(
                f"pod {pod.key} is placed on {node} but is already counted on {entry.node}"
            )
        self._arrivals += 1
        entry = PlacedPod(pod, node, self._arrivals)
        self._insert(entry)
        return entry

    def restore_pod(self, entry: PlacedPod) -> None:
        """Take back ``remove_pod``: the pod gets its old place among the others too."""
        self._insert(entry)
        for table in self._listings(entry):
            _restore_order(table)

    def remove_pod(self, uid: PodUid) -> PlacedPod:
        """Stop counting a pod, and return its entry."""
        entry = self._placed.pop(uid, None)
        if entry is None:
            raise InvariantError(f"pod {uid} is taken away but has no node")
        row = self.nodes.row(entry.node)
        if row is not None:
            self._uncount(row, entry.pod)
        on_node = self._on_node[entry.node]
        del on_node[uid]
        if not on_node:
            del self._on_node[entry.node]
        group = entry.pod.pod_group
        if group is not None:
            members = self._members[group]
            del members[uid]
            if not members:
                del self._members[group]
        return entry

    def set_node(self, node: NodeInfo) -> None:
        """Add a node or replace its object; pods that wait for the node are counted."""
        is_new = self.nodes.row(node.name) is None
        version = self.nodes.version
        row = self.nodes.set_node(node)
        if self.nodes.version != version:
            self.counts.nodes_changed()
        if is_new:
            for entry in self._on_node.get(node.name, {}).values():
                self._count(row, entry.pod)

    def remove_node(self, name: NodeName) -> None:
        """Remove a node; its pods stay known but are counted nowhere."""
        row = self.nodes.row(name)
        if row is None:
            raise NodeNotFoundError(f"node {name} is removed but is not in the snapshot")
        for entry in self._on_node.get(name, {}).values():
            self._uncount(row, entry.pod)
        freed, moved = self.nodes.remove_node(name)
        self.counts.nodes_changed()
        self.counts.move(moved, freed)
        self.scan_start = self.scan_start % self.nodes.size if self.nodes.size else 0

    def set_pod_group(self, group: PodGroupInfo) -> None:
        """Add or replace a group's object."""
        self._groups[group.key] = group

    def remove_pod_group(self, key: PodGroupKey) -> None:
        """Remove a group's object; its members stay."""
        self._groups.pop(key, None)

    def _insert(self, entry: PlacedPod) -> None:
        uid = entry.pod.uid
        self._placed[uid] = entry
        self._on_node.setdefault(entry.node, {})[uid] = entry
        if entry.pod.pod_group is not None:
            self._members.setdefault(entry.pod.pod_group, {})[uid] = entry
        row = self.nodes.row(entry.node)
        if row is not None:
            self._count(row, entry.pod)

    def _count(self, row: int, pod: PodInfo) -> None:
        self.nodes.count_pod(row, pod)
        self.counts.count(row, pod, 1)

    def _uncount(self, row: int, pod: PodInfo) -> None:
        self.nodes.uncount_pod(row, pod)
        self.counts.count(row, pod, -1)

    def _counted_pods(self) -> Iterator[tuple[PodInfo, int]]:
        for entry in self._placed.values():
            row = self.nodes.row(entry.node)
            if row is not None:
                yield entry.pod, row

    def _listings(self, entry: PlacedPod) -> list[dict[PodUid, PlacedPod]]:
        listings = [self._on_node[entry.node]]
        if entry.pod.pod_group is not None:
            listings.append(self._members[entry.pod.pod_group])
        return listings


def _by_arrival(entry: PlacedPod) -> int:
    return entry.arrival


def _restore_order(listing: dict[PodUid, PlacedPod]) -> None:
    # An eviction that is taken back must not leave the pod behind its neighbours: whoever
    # walks over the listing would then decide differently.
    ordered = sorted(listing.items(), key=lambda item: item[1].arrival)
    listing.clear()
    listing.update(ordered)
