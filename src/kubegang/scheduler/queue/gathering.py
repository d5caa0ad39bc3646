"""Groups whose members are queued one by one: the first to be popped takes the others along.

The way of 1.36, where the queue does not know groups. Each member has its own gate, backoff
and record; only an attempt is the whole group's. All that can go are taken from wherever they
wait, so the readiest member's turn is everybody's. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from kubegang.scheduler.framework.entities import QueuedPodGroupInfo, QueuedPodInfo
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid
from kubegang.scheduler.queue.admission import Admission
from kubegang.scheduler.queue.board import Board
from kubegang.scheduler.queue.changes import FORCE_ACTIVATE
from kubegang.scheduler.queue.entries import Entry
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.podflow import PodFlow
from kubegang.scheduler.queue.rules import QueueRules


class Gatherer:
    """Makes one attempt of all members of a group, and sends each back by itself."""

    def __init__(
        self,
        board: Board,
        admission: Admission,
        *,
        pod_flow: PodFlow,
        rules: Mapping[str, QueueRules],
    ) -> None:
        self._board = board
        self._admission = admission
        self._pod_flow = pod_flow
        self._rules = rules

    def gathers(self, entry: Entry) -> bool:
        """Return whether this popped entity is a member that takes others along."""
        info = entry.info
        return (
            isinstance(info, QueuedPodInfo)
            and info.pod.pod_group is not None
            and self._rules[info.scheduler_name].gathers
        )

    def gather(self, popped: Entry, *, now: float) -> QueuedPodGroupInfo:
        """Take the other members from where they wait, unless a plugin holds them.

        They are tried by priority, then in the order in which they were first let go: so the
        member that completed a gang is first (measured on 1.36.3).
        """
        first = _record(popped)
        key = first.pod.pod_group
        if key is None:
            raise InvariantError(f"pod {first.key} is no member of a group")
        members = [first, *self._take_others(key, popped, now=now)]
        members.sort(key=_trial_order)
        return QueuedPodGroupInfo(
            group=key,
            members=members,
            priority=first.priority,
            timestamp=first.timestamp,
            attempts=first.attempts,
        )

    def finish(
        self,
        group: QueuedPodGroupInfo,
        failed: Mapping[PodUid, frozenset[str]],
        *,
        now: float,
        waiting: Collection[PodUid] = (),
    ) -> None:
        """Requeue the members that failed, each with its own backoff; let the others go.

        Those that wait on permit stay in flight.
        """
        for queued in group.members:
            entry = self._board.entries.get(queued.pod.uid)
            # A member that was deleted meanwhile has left already.
            if entry is None or entry.info is not queued or entry.place is not Place.IN_FLIGHT:
                continue
            if queued.pod.uid in failed:
                self._pod_flow.fail(entry, failed[queued.pod.uid], now=now, rests=False)
            elif queued.pod.uid not in waiting:
                self._pod_flow.done(entry)

    def _take_others(
        self, key: PodGroupKey, popped: Entry, *, now: float
    ) -> Iterator[QueuedPodInfo]:
        for entry in self._board.members_of(key):
            if entry is popped or not self.gathers(entry):
                continue
            self._admission.force(entry, FORCE_ACTIVATE, now=now)
            if entry.place is not Place.ACTIVE:
                continue
            entry.info.attempts += 1
            self._board.put(entry, Place.IN_FLIGHT, "")
            self._pod_flow.start(entry)
            yield _record(entry)


def _record(entry: Entry) -> QueuedPodInfo:
    (queued,) = entry.pods()
    return queued


def _trial_order(queued: QueuedPodInfo) -> tuple[int, float, int]:
    first = 0.0 if queued.first_attempt is None else queued.first_attempt
    return (-queued.priority, first, queued.activation)
