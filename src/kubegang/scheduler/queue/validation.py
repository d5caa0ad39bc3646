"""The queue's promise, checked: every pod is in exactly one place. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from kubegang.scheduler.framework.entities import QueuedPodGroupInfo
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.queue.board import Board
from kubegang.scheduler.queue.entries import Entry
from kubegang.scheduler.queue.inflight import InFlightPods
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.waiting import WaitingMembers


def validate(
    board: Board, *, incomplete: WaitingMembers, pending: WaitingMembers, in_flight: InFlightPods
) -> None:
    """Check everything; raise ``InvariantError`` with the story of what is wrong."""
    seen: dict[PodUid, str] = {}
    for entry in board.entries.values():
        _check_structure(board, entry)
        # A group in flight may have lost all its members.
        if not entry.size and entry.place is not Place.IN_FLIGHT:
            raise InvariantError(f"group {entry.key} has no members; {board.tell(entry.key)}")
        for queued in entry.pods():
            _check_once(board, seen, queued.pod.uid, entry.place.value)
    for waiting, place in ((incomplete, Place.INCOMPLETE), (pending, Place.PENDING)):
        for uid in _waiting_uids(waiting):
            _check_once(board, seen, uid, place.value)
    popped = {
        entry.key
        for entry in board.entries.values()
        if entry.place is Place.IN_FLIGHT and not entry.is_group
    }
    if len(popped) != len(in_flight):
        raise InvariantError(f"{len(popped)} pods are in flight, {len(in_flight)} are watched")


def _waiting_uids(waiting: WaitingMembers) -> Iterator[PodUid]:
    for group in waiting.groups():
        for queued in waiting.of(group):
            yield queued.pod.uid


def _check_once(board: Board, seen: dict[PodUid, str], uid: PodUid, place: str) -> None:
    if uid in seen:
        raise InvariantError(f"pod {uid} is {seen[uid]} and {place}; {board.tell(uid)}")
    seen[uid] = place


def _check_structure(board: Board, entry: Entry) -> None:
    structures = {
        Place.ACTIVE: entry.key in board.active,
        Place.BACKOFF: entry.key in board.backoff,
        Place.UNSCHEDULABLE: entry.key in board.pool,
    }
    holder = Place.UNSCHEDULABLE if entry.place is Place.GATED else entry.place
    wrong = [place for place, present in structures.items() if present is not (place is holder)]
    if wrong:
        raise InvariantError(
            f"{entry.key} should be {entry.place.value} but the structure of "
            f"{wrong[0].value} says otherwise; {board.tell(entry.key)}"
        )
    if (entry.gate is not None) is not (entry.place is Place.GATED):
        raise InvariantError(f"{entry.key} is {entry.place.value} with gate {entry.gate}")
    if isinstance(entry.info, QueuedPodGroupInfo) and entry.place is Place.UNSCHEDULABLE:
        raise InvariantError(f"group {entry.key} waits for events; {board.tell(entry.key)}")
