"""Who is where: pods that have a node, by pod, by node and by group.

A pod whose eviction is tried is not taken out but set aside: it stays listed, is left out of
every answer, and is back in its old place at no cost. So thousands of evictions can be tried
and taken back for one decision. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodInfo, PodUid


class PlacedPod(NamedTuple):
    """A pod that has a node.

    Attributes:
        node: may be a node that does not exist (any more); the pod is then counted nowhere.
        arrival: orders pods; kept when a step is taken back.
    """

    pod: PodInfo
    node: NodeName
    arrival: int


_NOBODY: Final[Mapping[PodUid, PlacedPod]] = {}


class PlacedPods:
    """Three listings of the same entries, each in the order in which the pods came."""

    def __init__(self) -> None:
        self._placed: dict[PodUid, PlacedPod] = {}
        self._on_node: dict[NodeName, dict[PodUid, PlacedPod]] = {}
        self._members: dict[PodGroupKey, dict[PodUid, PlacedPod]] = {}
        self._aside: set[PodUid] = set()
        self._arrivals = 0

    # --- reading -------------------------------------------------------------------------

    def get(self, uid: PodUid) -> PlacedPod | None:
        """Return a pod's entry, or ``None``."""
        return None if uid in self._aside else self._placed.get(uid)

    def all(self) -> Collection[PlacedPod]:
        """Return all entries."""
        return self._present(self._placed)

    def on(self, node: NodeName) -> Collection[PlacedPod]:
        """Return the entries of one node."""
        return self._present(self._on_node.get(node, _NOBODY))

    def members(self, group: PodGroupKey) -> Collection[PlacedPod]:
        """Return the entries of one group."""
        return self._present(self._members.get(group, _NOBODY))

    def _present(self, listing: Mapping[PodUid, PlacedPod]) -> Collection[PlacedPod]:
        if not self._aside:
            return listing.values()
        return [entry for uid, entry in listing.items() if uid not in self._aside]

    # --- changing ------------------------------------------------------------------------

    def add(self, pod: PodInfo, node: NodeName) -> PlacedPod:
        """List a pod as the last that came.

        Raises:
            InvariantError: it is listed already.
        """
        if pod.uid in self._placed:
            entry = self._placed[pod.uid]
            raise InvariantError(
                f"pod {pod.key} is placed on {node} but is already counted on {entry.node}"
            )
        self._arrivals += 1
        entry = PlacedPod(pod, node, self._arrivals)
        self._list(entry)
        return entry

    def remove(self, uid: PodUid) -> PlacedPod:
        """Take a pod out of the listings.

        Raises:
            InvariantError: it is not there.
        """
        entry = self.get(uid)
        if entry is None:
            raise InvariantError(f"pod {uid} is taken away but has no node")
        self._unlist(entry)
        return entry

    def replace(self, pod: PodInfo) -> None:
        """Put a newer form of a pod in its place; node and group must be the same."""
        old = self._placed[pod.uid]
        entry = old._replace(pod=pod)
        for listing in self._listings(old):
            listing[pod.uid] = entry

    def set_aside(self, pods: Iterable[PodInfo]) -> list[PlacedPod]:
        """Leave pods out of every answer until they are brought back.

        Raises:
            InvariantError: one is not there.
        """
        entries: list[PlacedPod] = []
        for pod in pods:
            entry = self.get(pod.uid)
            if entry is None:
                raise InvariantError(f"pod {pod.key} is set aside but has no node")
            self._aside.add(pod.uid)
            entries.append(entry)
        return entries

    def bring_back(self, pods: Iterable[PodInfo]) -> list[PlacedPod]:
        """Take back ``set_aside``.

        Raises:
            InvariantError: one was not set aside.
        """
        entries: list[PlacedPod] = []
        for pod in pods:
            if pod.uid not in self._aside:
                raise InvariantError(f"pod {pod.key} is brought back but was not set aside")
            self._aside.remove(pod.uid)
            entries.append(self._placed[pod.uid])
        return entries

    def give_up(self, uid: PodUid) -> PlacedPod | None:
        """Take a pod out of the listings that is set aside; ``None`` if it is not."""
        if uid not in self._aside:
            return None
        self._aside.remove(uid)
        entry = self._placed[uid]
        self._unlist(entry)
        return entry

    def take_up(self, entry: PlacedPod) -> None:
        """Take back ``give_up``: the pod is set aside again, in its old place."""
        self._list(entry)
        self._aside.add(entry.pod.uid)
        for listing in self._listings(entry):
            ordered = sorted(listing.items(), key=_by_arrival)
            listing.clear()
            listing.update(ordered)

    def _list(self, entry: PlacedPod) -> None:
        uid = entry.pod.uid
        self._placed[uid] = entry
        self._on_node.setdefault(entry.node, {})[uid] = entry
        if entry.pod.pod_group is not None:
            self._members.setdefault(entry.pod.pod_group, {})[uid] = entry

    def _unlist(self, entry: PlacedPod) -> None:
        uid, group = entry.pod.uid, entry.pod.pod_group
        for listing in self._listings(entry):
            del listing[uid]
        if not self._on_node[entry.node]:
            del self._on_node[entry.node]
        if group is not None and not self._members[group]:
            del self._members[group]

    def _listings(self, entry: PlacedPod) -> list[dict[PodUid, PlacedPod]]:
        listings = [self._placed, self._on_node[entry.node]]
        if entry.pod.pod_group is not None:
            listings.append(self._members[entry.pod.pod_group])
        return listings


def _by_arrival(item: tuple[PodUid, PlacedPod]) -> int:
    return item[1].arrival
