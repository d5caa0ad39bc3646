"""Where every entity is, and the one way to move it.

The board knows the structures behind the places; it does not know why an entity moves.
Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from kubegang.scheduler.framework.entities import QueuedEntity, QueuedPodInfo
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey
from kubegang.scheduler.queue.backoff import BackoffQueue
from kubegang.scheduler.queue.entries import EntityKey, Entry, Gate
from kubegang.scheduler.queue.heap import KeyedHeap, Order
from kubegang.scheduler.queue.places import TRANSITIONS, Place
from kubegang.scheduler.queue.pool import Pool
from kubegang.scheduler.queue.rules import HintIndex

STORY_LENGTH: Final = 256
"""How many moves are kept for error reports."""


class Move(NamedTuple):
    """An entity, or a single member, changed its place.

    Attributes:
        key: the entity or the member.
        entity: the entity itself; for a member, its group's.
        event: why, as upstream's metrics name it.
        pods: how many pods moved.
        kind: ``member`` is a pod that joins or leaves its group's entity.
    """

    key: EntityKey
    entity: EntityKey
    start: Place
    finish: Place
    event: str
    pods: int
    kind: Literal["pod", "podgroup", "member"]


class Board:
    """All entities of the queue; ``put`` is the only way to move one.

    Invariant: an entity is in the structure of its place, and in no other.
    """

    def __init__(
        self,
        index: HintIndex,
        sort: Callable[[QueuedEntity], Order],
        *,
        root_of: Callable[[PodGroupKey], PodGroupInfo | None],
    ) -> None:
        self.entries: dict[EntityKey, Entry] = {}
        self._by_group: dict[PodGroupKey, dict[EntityKey, Entry]] = {}
        self.active: KeyedHeap[EntityKey] = KeyedHeap()
        self.backoff = BackoffQueue()
        self.pool = Pool(index, root_of)
        self.story: deque[Move] = deque(maxlen=STORY_LENGTH)
        self._moves: list[Move] = []
        self._sort = sort

    def put(self, entry: Entry, place: Place, event: str, *, gate: Gate | None = None) -> None:
        """Move an entity; to ``GATED`` with the gate that holds it."""
        start = entry.place
        if start is not place:
            self._check(entry.key, start, place)
        self._take_out(entry)
        entry.place, entry.gate = place, gate
        self._put_in(entry)
        if start is not place:
            self.note(Move(entry.key, entry.key, start, place, event, entry.size, _kind(entry)))

    def note(self, move: Move) -> None:
        """Remember a move, for whoever asked for the change and for error reports."""
        self._moves.append(move)
        self.story.append(move)

    def note_member(
        self,
        queued: QueuedPodInfo,
        start: Place,
        finish: Place,
        event: str,
        *,
        entity: EntityKey,
    ) -> None:
        """Remember the move of a single member of a group's entity, or of a group that waits."""
        uid = queued.pod.uid
        self._check(uid, start, finish)
        self.note(Move(uid, entity, start, finish, event, 1, "member"))

    def members_of(self, group: PodGroupKey) -> list[Entry]:
        """Return the pods of a group that are entities of their own, as they came."""
        return list(self._by_group.get(group, {}).values())

    def take_moves(self) -> tuple[Move, ...]:
        """Return the moves since the last call."""
        moves = tuple(self._moves)
        self._moves.clear()
        return moves

    def tell(self, key: EntityKey) -> str:
        """Return the story of one entity, for an error report."""
        lines = [
            f"{move.start.value} -> {move.finish.value} ({move.event})"
            for move in self.story
            if move.key == key
        ]
        return "; ".join(lines) or "no moves on record"

    def _check(self, key: EntityKey, start: Place, finish: Place) -> None:
        if finish not in TRANSITIONS[start] and start is not finish:
            raise InvariantError(
                f"{key} cannot go from {start.value} to {finish.value}; so far: {self.tell(key)}"
            )

    def _leave_group(self, group: PodGroupKey, key: EntityKey) -> None:
        members = self._by_group.get(group, {})
        members.pop(key, None)
        if not members:
            self._by_group.pop(group, None)

    def _take_out(self, entry: Entry) -> None:
        key = entry.key
        if key in self.active:
            self.active.remove(key)
        elif key in self.backoff:
            self.backoff.remove(key)
        elif key in self.pool:
            self.pool.remove(entry)

    def _put_in(self, entry: Entry) -> None:
        key, place = entry.key, entry.place
        group = entry.info.pod.pod_group if isinstance(entry.info, QueuedPodInfo) else None
        if place is Place.NOWHERE:
            self.entries.pop(key, None)
            if group is not None:
                self._leave_group(group, key)
            return
        self.entries[key] = entry
        if group is not None:
            self._by_group.setdefault(group, {})[key] = entry
        if place is Place.ACTIVE:
            self.active.push(key, self._sort(entry.info))
        elif place is Place.BACKOFF:
            early = isinstance(entry.info, QueuedPodInfo) and bool(entry.info.rejected_by)
            self.backoff.add(
                key,
                entry.expires,
                order=self._sort(entry.info),
                early=early,
                tried_at=entry.tried_at,
            )
        elif place in (Place.UNSCHEDULABLE, Place.GATED):
            self.pool.add(entry)


def _kind(entry: Entry) -> Literal["pod", "podgroup"]:
    return "podgroup" if entry.is_group else "pod"
