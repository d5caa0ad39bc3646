"""The scheduling queue: where pods and groups wait, and when they are tried again.

It is told what happened, and when; it never asks. Every method that changes something
returns the moves that followed, for metrics and for whoever speaks about held entities.
The places and the moves between them are in ``places.py``. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kubegang.scheduler.framework.entities import (
    QueuedEntity,
    QueuedPodGroupInfo,
    QueuedPodInfo,
)
from kubegang.scheduler.framework.events import Action, ClusterEvent, ClusterObject
from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.queue.admission import Admission
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.board import Board, Move
from kubegang.scheduler.queue.changes import (
    BACKOFF_COMPLETE,
    FORCE_ACTIVATE,
    POPPED_EARLY,
    UNSCHEDULED_POD_ADD,
    WAITED_TOO_LONG,
    label,
)
from kubegang.scheduler.queue.contents import QueueContents
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.gathering import Gatherer
from kubegang.scheduler.queue.gating import Gatekeeper
from kubegang.scheduler.queue.groupflow import AttemptStatus, GroupFlow
from kubegang.scheduler.queue.inflight import Happening, InFlightPods
from kubegang.scheduler.queue.memberplaces import MemberPlaces
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.podflow import PodFlow
from kubegang.scheduler.queue.resting import RestLimit
from kubegang.scheduler.queue.rules import HintIndex, QueueRules
from kubegang.scheduler.queue.validation import validate

Moves = tuple[Move, ...]


class SchedulingQueue:
    """All pending pods of the profiles given, each in exactly one place.

    Attributes:
        contents: what is where, for whoever asks.
    """

    def __init__(
        self, rules: Mapping[str, QueueRules], groups: PodGroupStates, policy: BackoffPolicy
    ) -> None:
        self._rules = rules
        self._index = HintIndex(rules)
        sort = next(iter(rules.values())).sort
        self._board = Board(self._index, sort, root_of=groups.root_of)
        self._in_flight = InFlightPods()
        self._members = MemberPlaces(self._board)
        self.contents = QueueContents(
            self._board, self._members, in_flight=self._in_flight, groups=groups
        )
        gatekeeper = Gatekeeper(rules, groups)
        admission = self._admission = Admission(self._board, gatekeeper, policy)
        self._pod_flow = PodFlow(
            self._board, admission, index=self._index, in_flight=self._in_flight
        )
        self._group_flow = GroupFlow(
            self._board,
            admission,
            members=self._members,
            gatekeeper=gatekeeper,
            groups=groups,
            index=self._index,
            rules=rules,
        )
        self._gatherer = Gatherer(self._board, admission, pod_flow=self._pod_flow, rules=rules)
        self._rest_limit = RestLimit()

    # --- pods ----------------------------------------------------------------------------

    def add_pod(self, pod: PodInfo, *, now: float) -> Moves:
        """Take a pending pod in; one that is here already is updated."""
        if not self._update(pod, now=now):
            self._enter(QueuedPodInfo(pod=pod, timestamp=now), now=now)
        return self._board.take_moves()

    def update_pod(self, pod: PodInfo, *, now: float) -> Moves:
        """Put a newer form of a pod in place; one that is not here is taken in."""
        return self.add_pod(pod, now=now)

    def goes_before_it_is_uncounted(self, pod: PodInfo) -> bool:
        """Return whether a deleted pod leaves the queue while its group still counts it.

        So a gang in backoff that loses one member too many keeps its place, and its next
        attempt finds the minimum out of reach; the loss of a second one has it held (measured
        on 1.37.2).
        """
        rules = self._rules[pod.scheduler_name]
        return rules.is_member(pod) and not rules.wakes_after_deletion

    def delete_pod(self, pod: PodInfo, *, now: float) -> Moves:
        """Let a pod go that is gone, or bound; nothing happens if it is not here."""
        group = self._group_of(pod)
        entry = self._board.entries.get(pod.uid)
        if group is not None:
            self._group_flow.delete(group, pod, now=now)
        elif entry is not None:
            self._pod_flow.delete(entry)
        return self._board.take_moves()

    # --- group objects -------------------------------------------------------------------

    def add_pod_group(self, group: PodGroupInfo, *, now: float) -> Moves:
        """Learn that a group's object exists."""
        self._group_flow.object_added(group, now=now)
        return self._board.take_moves()

    def update_pod_group(self, group: PodGroupInfo) -> None:
        """Learn that a group's object changed."""
        self._group_flow.object_updated(group)

    def delete_pod_group(self, key: PodGroupKey, *, now: float) -> Moves:
        """Learn that a group's object is gone; those below it wait for it to come back."""
        self._group_flow.object_deleted(key, now=now)
        return self._board.take_moves()

    # --- what happens in the cluster -----------------------------------------------------

    def handle(
        self,
        event: ClusterEvent,
        old: ClusterObject | None,
        new: ClusterObject | None,
        *,
        now: float,
        apart_from: PodUid | None = None,
        strongest: int | None = None,
    ) -> Moves:
        """Give another attempt to whomever the event may help.

        The pod or group that the event is about must have been told to the queue before.

        Args:
            event: what happened.
            old: the object before it.
            new: the object after it.
            now: the moment.
            apart_from: a pod that it cannot help.
            strongest: whoever has a higher priority is not helped either.
        """
        if event.actions != Action.UPDATE_OTHER:
            self._board.backoff.stir()
        if not self._index.interested(event):
            return ()
        happening = Happening(event, old, new)
        for entry in self._board.pool.concerned(happening):
            if entry.key == apart_from:
                continue
            if strongest is not None and entry.info.priority > strongest:
                continue
            if entry.is_group:
                self._group_flow.reconsider(entry, happening, now=now)
            else:
                self._pod_flow.reconsider(entry, happening, now=now)
        self._in_flight.record(happening)
        return self._board.take_moves()

    def tick(self, *, now: float) -> Moves:
        """Do what the clock demands: end backoffs, and wake who rested too long."""
        for key in self._board.backoff.pop_due(now):
            entry = self._board.entries[key]
            self._admission.activate(entry, BACKOFF_COMPLETE, now=now)
        for entry in self._rest_limit.overdue(self._board.pool, now=now):
            entry.flushed = now
            self._admission.admit(entry, WAITED_TOO_LONG, now=now)
        return self._board.take_moves()

    def next_tick(self) -> float | None:
        """Return when ``tick`` has something to do, or ``None`` while nothing waits."""
        expiry = self._board.backoff.next_expiry()
        if not self._board.pool:
            return expiry
        check = self._rest_limit.next_check
        return check if expiry is None else min(expiry, check)

    @property
    def is_ready(self) -> bool:
        """Whether ``pop`` has something to give."""
        return bool(self._board.active) or self._board.backoff.has_early

    # --- attempts ------------------------------------------------------------------------

    def pop(self, *, now: float) -> QueuedEntity | None:
        """Take the next entity to decide about; ``finish`` must follow.

        With nothing else to do, a refused pod may be taken from its backoff early.
        """
        key, event = self._board.active.pop(), ""
        if key is None:
            key, event = self._board.backoff.pop_early(), POPPED_EARLY
        if key is None:
            return None
        entry = self._board.entries[key]
        entry.info.attempts += 1
        self._board.put(entry, Place.IN_FLIGHT, event)
        if entry.is_group:
            self._group_flow.start(entry)
        else:
            self._pod_flow.start(entry)
        for queued in entry.pods():
            if queued.first_attempt is None:
                queued.first_attempt = now
        if self._gatherer.gathers(entry):
            return self._gatherer.gather(entry, now=now)
        return entry.info

    def finish(
        self,
        entity: QueuedEntity,
        failed: Mapping[PodUid, frozenset[str]],
        status: AttemptStatus,
        *,
        now: float,
        waiting: Collection[PodUid] = (),
    ) -> Moves:
        """Learn how an attempt ended.

        Args:
            entity: what was decided about.
            failed: the pods that go back to the queue, with the plugins that refused each.
                The others are being bound, or were skipped, and leave the queue.
            status: how it counts.
            now: the moment.
            waiting: pods of the others that wait on permit. Where they are entities of their
                own they stay in flight: ``let_go`` or ``take_back`` ends that.
        """
        entry = self._board.entries.get(key_of(entity))
        if isinstance(entity, QueuedPodGroupInfo) and (entry is None or entry.info is not entity):
            self._gatherer.finish(entity, failed, now=now, waiting=waiting)
            return self._board.take_moves()
        # An ordinary pod that was deleted meanwhile has left already.
        if entry is not None and entry.info is entity and entry.place is Place.IN_FLIGHT:
            if isinstance(entity, QueuedPodGroupInfo):
                self._group_flow.finish(entry, failed, status, now=now)
            elif entity.pod.uid in failed:
                self._pod_flow.fail(entry, failed[entity.pod.uid], now=now)
            elif entity.pod.uid not in waiting:
                self._pod_flow.done(entry)
        return self._board.take_moves()

    def let_go(self, pod: PodInfo, *, now: float) -> Moves:
        """Let a pod leave that waited on permit and is being bound now."""
        entry = self._board.entries.get(pod.uid)
        if entry is not None and entry.place is Place.IN_FLIGHT:
            self._pod_flow.done(entry)
        return self._board.take_moves()

    def take_back(
        self, queued: QueuedPodInfo, plugins: frozenset[str] = frozenset(), *, now: float
    ) -> Moves:
        """Queue a pod again that is not bound after all; no ``plugins`` means an error."""
        group = self._group_of(queued.pod)
        entry = self._board.entries.get(queued.pod.uid)
        if group is not None:
            self._group_flow.take_back(queued, plugins, now=now)
        elif entry is not None and entry.place is Place.IN_FLIGHT:
            rests = not self._gatherer.gathers(entry)
            self._pod_flow.fail(entry, plugins, now=now, rests=rests)
        else:
            self._pod_flow.take_back(queued, plugins, now=now)
        return self._board.take_moves()

    def activate(self, keys: Iterable[EntityKey], *, now: float) -> Moves:
        """Let pods be tried now, by themselves or all of a group, unless a plugin holds them."""
        for key in keys:
            for entry in self.contents.entries_of(key):
                self._admission.force(entry, FORCE_ACTIVATE, now=now)
        return self._board.take_moves()

    def preemption_ended(self, preemptor: EntityKey, *, failed: bool, now: float) -> Moves:
        """Let an entity go on that was held until its victims had been told to go.

        Args:
            preemptor: the entity.
            failed: a victim could not be told; perhaps nobody goes, and then nothing would
                wake the entity. It backs off as after an error. (Upstream tries again at
                once, and can keep an API server in trouble busy.)
            now: the moment.
        """
        for entry in self.contents.entries_of(preemptor):
            if entry.place in (Place.ACTIVE, Place.IN_FLIGHT):
                continue
            if failed:
                for queued in entry.pods():
                    queued.rejected_by = frozenset()
                self._admission.count_failure(entry, refused=False, now=now)
            # A gathered member goes on when its victims have gone, or if they have already.
            if failed or (entry.place is Place.GATED and entry.tried_at is None):
                self._admission.admit(entry, FORCE_ACTIVATE, now=now)
        return self._board.take_moves()

    # --- its promise ---------------------------------------------------------------------

    def validate(self) -> None:
        """Check that every pod is in exactly one place.

        Raises:
            InvariantError: one is not.
        """
        validate(
            self._board,
            incomplete=self._members.incomplete,
            pending=self._members.pending,
            in_flight=self._in_flight,
        )

    # --- steps ---------------------------------------------------------------------------

    def _group_of(self, pod: PodInfo) -> PodGroupKey | None:
        return pod.pod_group if self._rules[pod.scheduler_name].is_member(pod) else None

    def _enter(self, queued: QueuedPodInfo, *, now: float) -> None:
        group = self._group_of(queued.pod)
        if group is not None:
            self._group_flow.enter(queued, label(UNSCHEDULED_POD_ADD), now=now)
        else:
            self._pod_flow.add(queued, now=now)

    def _update(self, pod: PodInfo, *, now: float) -> bool:
        group = self._group_of(pod)
        if group is not None:
            return self._group_flow.update(group, pod, now=now)
        entry = self._board.entries.get(pod.uid)
        if entry is not None:
            self._pod_flow.update(entry, pod, now=now)
        return entry is not None


def key_of(entity: QueuedEntity) -> EntityKey:
    """Return the key under which the queue holds an entity."""
    return entity.group if isinstance(entity, QueuedPodGroupInfo) else entity.pod.uid
