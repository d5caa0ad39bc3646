"""Pod groups: one entity holds all waiting members (KEP-4671, 1.37).

A group is retried by the clock alone, never because something happened. What reaches it
from outside are its own members and its own object. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from kubegang.scheduler.framework.entities import QueuedPodGroupInfo, QueuedPodInfo
from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.queue.admission import Admission
from kubegang.scheduler.queue.board import Board
from kubegang.scheduler.queue.changes import (
    ATTEMPT_FAILED,
    POD_GROUP_ADD,
    POD_GROUP_DELETE,
    UNSCHEDULED_POD_DELETE,
    UNSCHEDULED_POD_UPDATE,
    label,
)
from kubegang.scheduler.queue.entries import Entry
from kubegang.scheduler.queue.gating import Gatekeeper
from kubegang.scheduler.queue.hints import says_yes
from kubegang.scheduler.queue.inflight import Happening
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.rules import HintIndex, QueueRules
from kubegang.scheduler.queue.waiting import WaitingMembers

AttemptStatus = Literal["scheduled", "unschedulable", "error"]
"""How an attempt ended, as far as the queue cares; ``scheduled`` also in part."""


class GroupFlow:
    """Moves groups and their members over the board."""

    def __init__(
        self,
        board: Board,
        admission: Admission,
        *,
        gatekeeper: Gatekeeper,
        groups: PodGroupStates,
        index: HintIndex,
        rules: Mapping[str, QueueRules],
    ) -> None:
        self._board = board
        self._admission = admission
        self._gatekeeper = gatekeeper
        self._groups = groups
        self._index = index
        self._rules = rules
        self.incomplete = WaitingMembers()
        self.pending = WaitingMembers()

    # --- members -------------------------------------------------------------------------

    def enter(self, group: PodGroupKey, queued: QueuedPodInfo, event: str, *, now: float) -> None:
        """Let a member join its group, or wait for it."""
        self._enter(group, queued, Place.NOWHERE, event, now=now)

    def update(self, group: PodGroupKey, pod: PodInfo, *, now: float) -> bool:
        """Put a newer form of a member in place; return whether it was here.

        A held group is looked at again: a scheduling gate may be gone.
        """
        entry = self._board.entries.get(group)
        queued = entry.members.get(pod.uid) if entry else None
        if entry is None or queued is None:
            waiting = self.pending.replace_pod(pod) or self.incomplete.replace_pod(pod)
            return waiting is not None
        queued.pod = pod
        if entry.place is Place.GATED:
            self._admission.admit(entry, UNSCHEDULED_POD_UPDATE, now=now)
        return True

    def delete(self, group: PodGroupKey, pod: PodInfo, *, now: float) -> None:
        """Let a member go: it is gone, or bound by somebody else."""
        for waiting, place in (
            (self.incomplete, Place.INCOMPLETE),
            (self.pending, Place.PENDING),
        ):
            left = waiting.remove(group, pod.uid)
            if left is not None:
                self._board.note_member(left, place, Place.NOWHERE, UNSCHEDULED_POD_DELETE)
        entry = self._board.entries.get(group)
        left = entry.members.pop(pod.uid, None) if entry else None
        if entry is None or left is None:
            return
        self._board.note_member(left, entry.place, Place.NOWHERE, UNSCHEDULED_POD_DELETE)
        if entry.place is Place.IN_FLIGHT:
            return
        if entry.members:
            self._recheck_after_deletion(entry, pod, now=now)
        else:
            self._board.put(entry, Place.NOWHERE, UNSCHEDULED_POD_DELETE)

    # --- group objects -------------------------------------------------------------------

    def object_added(self, group: PodGroupInfo, *, now: float) -> None:
        """Let the members go on that waited for the group's object."""
        self.object_updated(group)
        if self.is_known(group.key):
            for queued in self.incomplete.take(group.key):
                event = label(POD_GROUP_ADD)
                self._enter(group.key, queued, Place.INCOMPLETE, event, now=now)

    def object_updated(self, group: PodGroupInfo) -> None:
        """Take over the group's priority."""
        entry = self._board.entries.get(group.key)
        if entry is not None:
            _record(entry).priority = group.priority

    def object_deleted(self, key: PodGroupKey) -> None:
        """Let all waiting members wait for the group's object to come back."""
        for queued in self.pending.take(key):
            self._let_wait(key, queued, Place.PENDING, label(POD_GROUP_DELETE))
        entry = self._board.entries.get(key)
        if entry is not None and entry.place is not Place.IN_FLIGHT:
            self._dissolve(entry, list(entry.members.values()), label(POD_GROUP_DELETE))

    def is_known(self, key: PodGroupKey) -> bool:
        """Return whether the group's object exists, and its root does.

        A group with a parent is not its own root; parents are not supported yet, so such a
        group waits as it does upstream while its parent does not exist.
        """
        group = self._groups.pod_group(key)
        return group is not None and not group.parent

    # --- attempts ------------------------------------------------------------------------

    def start(self, entry: Entry) -> None:
        """Give the record its members, in the order in which they are tried.

        Upstream's order: higher priority, more attempts, older timestamp; equals as they
        came. For members of one group, tried together, that is their creation order.
        """
        for queued in entry.members.values():
            queued.attempts += 1
        _record(entry).members = sorted(entry.members.values(), key=_trial_order)

    def finish(
        self,
        entry: Entry,
        failed: Mapping[PodUid, frozenset[str]],
        status: AttemptStatus,
        *,
        now: float,
    ) -> None:
        """Requeue the members that are not being bound, with those that came meanwhile."""
        group = _record(entry).group
        tried = [m for m in _record(entry).members if m.pod.uid in entry.members]
        remaining = [m for m in tried if m.pod.uid in failed]
        for queued in tried:
            if queued.pod.uid in failed:
                _count_member_failure(queued, failed[queued.pod.uid], now=now)
            else:
                self._board.note_member(queued, Place.IN_FLIGHT, Place.NOWHERE, "")
        newcomers = self.pending.take(group)
        members = [*remaining, *newcomers]
        entry.members = {queued.pod.uid: queued for queued in members}
        _record(entry).members = []
        if not members:
            self._board.put(entry, Place.NOWHERE, "")
        elif not self.is_known(group):
            self._dissolve(entry, members, ATTEMPT_FAILED)
        else:
            self._count_attempt(entry, status, leftovers=bool(remaining), now=now)
            self._admission.admit(entry, ATTEMPT_FAILED, now=now)

    def take_back(self, group: PodGroupKey, queued: QueuedPodInfo, *, now: float) -> None:
        """Queue a member again whose binding failed.

        If it has to found a new entity, that one backs off as after a first error. (Upstream
        tries again at once, and can keep an API server in trouble busy.)
        """
        _count_member_failure(queued, frozenset(), now=now)
        self._enter(group, queued, Place.NOWHERE, ATTEMPT_FAILED, errors=1, now=now)

    def reconsider(self, entry: Entry, happening: Happening, *, now: float) -> None:
        """Look at a held group again if the plugin that holds it says so."""
        gate = entry.gate
        if gate is None:
            return
        registrations = self._index.registrations(
            happening.event, gate.pod.scheduler_name, gate.plugin
        )
        if says_yes(registrations, gate.pod, happening):
            self._admission.admit(entry, label(happening.event), now=now)

    # --- steps ---------------------------------------------------------------------------

    def _enter(
        self,
        group: PodGroupKey,
        queued: QueuedPodInfo,
        start: Place,
        event: str,
        *,
        now: float,
        errors: int = 0,
    ) -> None:
        if not self.is_known(group):
            self._let_wait(group, queued, start, event)
            return
        entry = self._board.entries.get(group)
        if entry is None:
            self._found(group, queued, event, errors=errors, now=now)
        elif entry.place is Place.IN_FLIGHT:
            self.pending.add(group, queued)
            self._board.note_member(queued, start, Place.PENDING, event)
        else:
            self._join(entry, queued, start, event, now=now)

    def _found(
        self, group: PodGroupKey, queued: QueuedPodInfo, event: str, *, errors: int, now: float
    ) -> None:
        # The first waiting member brings the group's entity into being.
        found = self._groups.pod_group(group)
        info = QueuedPodGroupInfo(
            group=group,
            members=[],
            priority=found.priority if found else 0,
            timestamp=queued.timestamp,
            consecutive_errors=errors,
        )
        entry = Entry(key=group, info=info, members={queued.pod.uid: queued})
        entry.expires = self._admission.expiry(entry)
        self._admission.admit(entry, event, now=now)

    def _join(
        self, entry: Entry, queued: QueuedPodInfo, start: Place, event: str, *, now: float
    ) -> None:
        entry.members[queued.pod.uid] = queued
        self._board.note_member(queued, start, entry.place, event)
        if entry.place is Place.GATED:
            return
        # The others passed; a newcomer cannot change that, so only it is asked.
        gate = self._gatekeeper.ask(queued)
        if gate is not None:
            self._admission.place(entry, event, gate=gate, now=now)

    def _recheck_after_deletion(self, entry: Entry, deleted: PodInfo, *, now: float) -> None:
        if entry.place is Place.GATED:
            if self._rules[deleted.scheduler_name].wakes_after_deletion:
                self._admission.admit(entry, UNSCHEDULED_POD_DELETE, now=now)
            return
        # A deletion can only cost the group its quorum, which any member can tell.
        gate = self._gatekeeper.ask(next(reversed(entry.members.values())))
        if gate is not None:
            self._admission.place(entry, UNSCHEDULED_POD_DELETE, gate=gate, now=now)

    def _let_wait(
        self, group: PodGroupKey, queued: QueuedPodInfo, start: Place, event: str
    ) -> None:
        self.incomplete.add(group, queued)
        self._board.note_member(queued, start, Place.INCOMPLETE, event)

    def _dissolve(self, entry: Entry, members: Iterable[QueuedPodInfo], event: str) -> None:
        place = entry.place
        for queued in members:
            self._let_wait(_record(entry).group, queued, place, event)
        entry.members = {}
        self._board.put(entry, Place.NOWHERE, event)

    def _count_attempt(
        self, entry: Entry, status: AttemptStatus, *, leftovers: bool, now: float
    ) -> None:
        if status != "scheduled":
            self._admission.count_failure(entry, refused=status == "unschedulable", now=now)
            return
        info = _record(entry)
        info.unschedulable_count = info.consecutive_errors = 0
        entry.expires = 0.0
        if not leftovers:
            info.timestamp = now
        # With leftovers the old timestamp stays, so that their next attempt, which may
        # preempt, comes at once.


def _record(entry: Entry) -> QueuedPodGroupInfo:
    info = entry.info
    if isinstance(info, QueuedPodGroupInfo):
        return info
    raise TypeError(f"{entry.key} is not a pod group")


def _trial_order(queued: QueuedPodInfo) -> tuple[int, int, float]:
    return (-queued.pod.priority, -queued.attempts, queued.timestamp)


def _count_member_failure(queued: QueuedPodInfo, plugins: frozenset[str], *, now: float) -> None:
    queued.rejected_by, queued.gated_by = plugins, ""
    if plugins:
        queued.unschedulable_count += 1
        queued.consecutive_errors = 0
    else:
        queued.consecutive_errors += 1
    queued.timestamp = now
