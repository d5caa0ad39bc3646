"""What the queue holds, for whoever asks: metrics, reports, and the queue itself.

Reads the board and what stands beside it, and changes nothing. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo
from kubegang.scheduler.queue.board import Board
from kubegang.scheduler.queue.changes import label
from kubegang.scheduler.queue.entries import EntityKey, Entry
from kubegang.scheduler.queue.explaining import Waiting, explain_entry, explain_incomplete
from kubegang.scheduler.queue.inflight import InFlightPods
from kubegang.scheduler.queue.memberplaces import MemberPlaces
from kubegang.scheduler.queue.places import Place


class QueueContents:
    """Answers about the queue as it is at this moment."""

    def __init__(
        self,
        board: Board,
        members: MemberPlaces,
        *,
        in_flight: InFlightPods,
        groups: PodGroupStates,
    ) -> None:
        self._board = board
        self._members = members
        self._in_flight = in_flight
        self._groups = groups

    # --- one pod, one entity ---------------------------------------------------------------

    def place_of(self, pod: PodInfo) -> Place:
        """Return where a pod is."""
        entry = self._board.entries.get(pod.uid)
        if entry is not None:
            return entry.place
        return Place.NOWHERE if pod.pod_group is None else self._members.place_of(pod)

    def explain(self, key: EntityKey, *, now: float) -> Waiting | None:
        """Say what an entity waits for, or ``None`` if it is not here."""
        entries = self.entries_of(key)
        if entries:
            # Of members that are queued one by one, the one that will be tried first tells.
            entry = min(entries, key=lambda e: (e.gate is not None, e.expires))
            return explain_entry(entry, self._groups, now=now)
        if not isinstance(key, PodGroupKey):
            return None
        for leaf in self._groups.leaf_groups(key):
            if self._members.incomplete.of(leaf):
                return explain_incomplete(leaf, self._groups)
        return None

    def entity_of(self, key: EntityKey) -> EntityKey:
        """Return the entity that a group waits in; what waits by itself is its own."""
        entries = self.entries_of(key)
        return entries[0].key if entries else key

    def entries_of(self, key: EntityKey) -> list[Entry]:
        """Return what waits under a key: one entity, or members that are queued one by one."""
        entry = self._board.entries.get(key)
        if entry is not None:
            return [entry]
        if not isinstance(key, PodGroupKey):
            return []
        for leaf in self._groups.leaf_groups(key):
            home = self._members.homes.of(leaf)
            if home is not None:
                return [home]
        return self._board.members_of(key)

    def pods_of(self, key: EntityKey) -> tuple[PodInfo, ...]:
        """Return the pending pods of an entity, or of a group that is not known."""
        entries = self.entries_of(key)
        waiting = [queued for entry in entries for queued in entry.pods()]
        if isinstance(key, PodGroupKey):
            for home in dict.fromkeys((key, *(entry.key for entry in entries))):
                if isinstance(home, PodGroupKey):
                    waiting += self._members.pending.of(home)
            for leaf in self._groups.leaf_groups(key):
                waiting += self._members.incomplete.of(leaf)
        return tuple(queued.pod for queued in waiting)

    # --- all of them -----------------------------------------------------------------------

    def entries(self) -> tuple[Entry, ...]:
        """Return all entities, for counting and explaining; not to be changed."""
        return tuple(self._board.entries.values())

    @property
    def incomplete_count(self) -> int:
        """How many members wait for their group's object."""
        return len(self._members.incomplete)

    @property
    def pending_count(self) -> int:
        """How many members wait for the end of their group's attempt."""
        return len(self._members.pending)

    def in_flight_events(self) -> Mapping[str, int]:
        """Return the events kept for pods that are being decided about, by name."""
        return Counter(label(event) for event in self._in_flight.events())

    def incomplete_groups(self) -> tuple[PodGroupKey, ...]:
        """Return the groups whose members wait for the group's object."""
        return tuple(self._members.incomplete.groups())
