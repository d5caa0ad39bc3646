"""Where the members of groups are: in an entity, or waiting beside the queue.

Holds the members, and tells the board of each that comes, goes or changes sides. It does not
know why: that is the group flow's business. Pure.
"""

from __future__ import annotations

from collections.abc import Collection

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.queue.board import Board
from kubegang.scheduler.queue.changes import UNSCHEDULED_POD_DELETE
from kubegang.scheduler.queue.entries import Entry
from kubegang.scheduler.queue.homes import Homes, leaf_of
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.waiting import WaitingMembers


class MemberPlaces:
    """All waiting members of groups, each in exactly one place.

    Attributes:
        incomplete: members whose pod group, or a group above it, is not known; by pod group.
        pending: members that came during their entity's attempt; by entity.
        homes: the entities of the other members.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self.incomplete = WaitingMembers()
        self.pending = WaitingMembers()
        self.homes = Homes()

    def place_of(self, pod: PodInfo) -> Place:
        """Return where a member is."""
        entry = None if pod.pod_group is None else self.homes.of(pod.pod_group)
        if entry is not None and pod.uid in entry.members:
            return entry.place
        if pod.uid in self.pending:
            return Place.PENDING
        if pod.uid in self.incomplete:
            return Place.INCOMPLETE
        return Place.NOWHERE

    def replace_pod(self, pod: PodInfo) -> bool:
        """Put a newer form of a member that waits beside the queue; return whether it does."""
        waiting = self.pending.replace_pod(pod) or self.incomplete.replace_pod(pod)
        return waiting is not None

    # --- coming ----------------------------------------------------------------------------

    def let_wait(self, queued: QueuedPodInfo, start: Place, event: str) -> None:
        """Let a member wait for its group's object."""
        leaf = leaf_of(queued)
        self.incomplete.add(leaf, queued)
        self._note(queued, start, Place.INCOMPLETE, event, entity=leaf)

    def let_pend(self, entry: Entry, queued: QueuedPodInfo, start: Place, *, event: str) -> None:
        """Let a member wait for the end of its entity's attempt."""
        key = group_key(entry)
        self.pending.add(key, queued)
        self._note(queued, start, Place.PENDING, event, entity=key)

    def join(self, entry: Entry, queued: QueuedPodInfo, start: Place, *, event: str) -> None:
        """Let a member join an entity that waits."""
        self.homes.add(entry, queued)
        self._note(queued, start, entry.place, event, entity=group_key(entry))

    # --- going -----------------------------------------------------------------------------

    def move_out(self, home: Entry, leaf: PodGroupKey, event: str) -> None:
        """Let all members of a pod group leave their entity and wait for the group's object."""
        for queued in self.homes.members(leaf):
            self.homes.remove(leaf, queued.pod.uid)
            self.let_wait(queued, home.place, event)

    def give_up_pending(self, leaves: Collection[PodGroupKey], event: str) -> None:
        """Let members that came during an attempt wait for their group's object instead."""
        for key in self.pending.groups():
            for queued in self.pending.of(key):
                if queued.pod.pod_group in leaves:
                    self.pending.remove(queued.pod.uid)
                    self.let_wait(queued, Place.PENDING, event)

    def forget_waiting(self, uid: PodUid) -> None:
        """Let a member go that waits beside the queue, if it does."""
        for waiting, place in (
            (self.incomplete, Place.INCOMPLETE),
            (self.pending, Place.PENDING),
        ):
            key = waiting.waits_for(uid)
            left = waiting.remove(uid)
            if key is not None and left is not None:
                self._note(left, place, Place.NOWHERE, UNSCHEDULED_POD_DELETE, entity=key)

    def forget(self, entry: Entry, leaf: PodGroupKey, uid: PodUid, *, event: str) -> bool:
        """Let a member of an entity go; return whether it was there."""
        left = self.homes.remove(leaf, uid)
        if left is not None:
            self._note(left, entry.place, Place.NOWHERE, event, entity=group_key(entry))
        return left is not None

    def _note(
        self, queued: QueuedPodInfo, start: Place, finish: Place, event: str, *, entity: PodGroupKey
    ) -> None:
        self._board.note_member(queued, start, finish, event, entity=entity)


def group_key(entry: Entry) -> PodGroupKey:
    """Return the group that an entity is."""
    if isinstance(entry.key, PodGroupKey):
        return entry.key
    raise InvariantError(f"{entry.key} is not a pod group")
