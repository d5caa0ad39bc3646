"""Pod groups and trees of them: one entity holds all waiting members (KEP-4671, 1.37).

What waits is the root: a pod group without a parent, or the composite at the top of a tree. It
is retried by the clock alone, never because something happened. What reaches it from outside
are its own members and its own objects. Pure.
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
    COMPOSITE_ADD,
    COMPOSITE_DELETE,
    POD_GROUP_ADD,
    POD_GROUP_DELETE,
    UNSCHEDULED_POD_DELETE,
    UNSCHEDULED_POD_UPDATE,
    label,
)
from kubegang.scheduler.queue.entries import EntityKey, Entry
from kubegang.scheduler.queue.gating import Gatekeeper
from kubegang.scheduler.queue.hints import says_yes
from kubegang.scheduler.queue.homes import leaf_of
from kubegang.scheduler.queue.inflight import Happening
from kubegang.scheduler.queue.memberplaces import MemberPlaces
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.rules import HintIndex, QueueRules

AttemptStatus = Literal["scheduled", "unschedulable", "error"]
"""How an attempt ended, as far as the queue cares; ``scheduled`` also in part."""


class GroupFlow:
    """Moves groups over the board, and members in and out of them."""

    def __init__(
        self,
        board: Board,
        admission: Admission,
        *,
        members: MemberPlaces,
        gatekeeper: Gatekeeper,
        groups: PodGroupStates,
        index: HintIndex,
        rules: Mapping[str, QueueRules],
    ) -> None:
        self._board = board
        self._admission = admission
        self._members = members
        self._gatekeeper = gatekeeper
        self._groups = groups
        self._index = index
        self._rules = rules

    # --- members -------------------------------------------------------------------------

    def enter(self, queued: QueuedPodInfo, event: str, *, now: float) -> None:
        """Let a member join its group's entity, or wait for it."""
        self._enter(queued, Place.NOWHERE, event, now=now)

    def update(self, group: PodGroupKey, pod: PodInfo, *, now: float) -> bool:
        """Put a newer form of a member in place; return whether it was here.

        A held group is looked at again: a scheduling gate may be gone.
        """
        entry = self._members.homes.of(group)
        queued = entry.members.get(pod.uid) if entry else None
        if entry is None or queued is None:
            return self._members.replace_pod(pod)
        queued.pod = pod
        if entry.place is Place.GATED:
            self._admission.admit(entry, UNSCHEDULED_POD_UPDATE, now=now)
        return True

    def delete(self, group: PodGroupKey, pod: PodInfo, *, now: float) -> None:
        """Let a member go: it is gone, or bound by somebody else."""
        self._members.forget_waiting(pod.uid)
        entry = self._members.homes.of(group)
        if entry is None:
            return
        left = self._members.forget(entry, group, pod.uid, event=UNSCHEDULED_POD_DELETE)
        if left and entry.place is not Place.IN_FLIGHT:
            self._recheck(entry, UNSCHEDULED_POD_DELETE, left=pod, now=now)

    # --- group objects -------------------------------------------------------------------

    def object_added(self, group: PodGroupInfo, *, now: float) -> None:
        """Let the members go on that waited for a group's object."""
        self.object_updated(group)
        event = label(COMPOSITE_ADD if group.is_composite else POD_GROUP_ADD)
        for leaf in self._groups.leaf_groups(group.key):
            if self._groups.root_of(leaf) is not None:
                for queued in self._members.incomplete.take(leaf):
                    self._enter(queued, Place.INCOMPLETE, event, now=now)

    def object_updated(self, group: PodGroupInfo) -> None:
        """Take over the priority of a root."""
        entry = self._board.entries.get(group.key)
        if entry is not None:
            _record(entry).priority = group.priority

    def object_deleted(self, key: PodGroupKey, *, now: float) -> None:
        """Let all waiting members at or below a group wait for its object to come back."""
        event = label(COMPOSITE_DELETE if key.is_composite else POD_GROUP_DELETE)
        leaves = self._groups.leaf_groups(key)
        self._members.give_up_pending(frozenset(leaves), event)
        waiting: dict[EntityKey, Entry] = {}
        for leaf in leaves:
            home = self._members.homes.of(leaf)
            if home is not None and home.place is not Place.IN_FLIGHT:
                waiting[home.key] = home
                self._members.move_out(home, leaf, event)
        for home in waiting.values():
            self._recheck(home, event, now=now)

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
        tried = [m for m in _record(entry).members if m.pod.uid in entry.members]
        _record(entry).members = []
        for queued in tried:
            if queued.pod.uid in failed:
                _count_member_failure(queued, failed[queued.pod.uid], now=now)
            else:
                self._members.forget(entry, leaf_of(queued), queued.pod.uid, event="")
        newcomers = self._members.pending.take(_record(entry).group)
        self._let_strangers_go(entry, now=now)
        leftovers = bool(entry.members)
        self._take_in(entry, newcomers, now=now)
        if not entry.members:
            self._board.put(entry, Place.NOWHERE, "")
        else:
            self._count_attempt(entry, status, leftovers=leftovers, now=now)
            self._admission.admit(entry, ATTEMPT_FAILED, now=now)

    def take_back(self, queued: QueuedPodInfo, plugins: frozenset[str], *, now: float) -> None:
        """Queue a member again that is not bound after all.

        If it has to found a new entity, that one backs off as after a first error. (Upstream
        tries again at once, and can keep an API server in trouble busy.)
        """
        _count_member_failure(queued, plugins, now=now)
        self._enter(queued, Place.NOWHERE, ATTEMPT_FAILED, errors=1, now=now)

    def reconsider(self, entry: Entry, happening: Happening, *, now: float) -> None:
        """Look at a held group again if the plugin that holds it says so."""
        gate = entry.gate
        if gate is None:
            return
        registrations = self._index.registrations(
            happening.event, gate.pod.scheduler_name, gate.plugin
        )
        if not registrations:
            return
        # A plugin knows the held pod's own group; what happens elsewhere in the tree may
        # complete it as well.
        elsewhere = happening.group != gate.pod.pod.pod_group
        if elsewhere or says_yes(registrations, gate.pod, happening):
            self._admission.admit(entry, label(happening.event), now=now)

    # --- steps ---------------------------------------------------------------------------

    def _enter(
        self, queued: QueuedPodInfo, start: Place, event: str, *, now: float, errors: int = 0
    ) -> None:
        leaf = leaf_of(queued)
        root = self._groups.root_of(leaf)
        if root is None:
            self._members.let_wait(queued, start, event)
            return
        # Siblings may still be tried under the root of a tree that has changed since.
        entry = self._members.homes.of(leaf) or self._board.entries.get(root.key)
        if entry is None:
            self._found(root, queued, event, errors=errors, now=now)
        elif entry.place is Place.IN_FLIGHT:
            self._members.let_pend(entry, queued, start, event=event)
        else:
            self._join(entry, queued, start, event, now=now)

    def _found(
        self, root: PodGroupInfo, queued: QueuedPodInfo, event: str, *, errors: int, now: float
    ) -> None:
        # The first waiting member brings the entity into being.
        info = QueuedPodGroupInfo(
            group=root.key,
            members=[],
            priority=root.priority,
            timestamp=queued.timestamp,
            consecutive_errors=errors,
        )
        entry = Entry(key=root.key, info=info)
        self._members.homes.add(entry, queued)
        entry.expires = self._admission.expiry(entry)
        self._admission.admit(entry, event, now=now)

    def _join(
        self, entry: Entry, queued: QueuedPodInfo, start: Place, event: str, *, now: float
    ) -> None:
        self._members.join(entry, queued, start, event=event)
        if entry.place is Place.GATED:
            return
        # The others passed; a newcomer cannot change that, so only it is asked.
        gate = self._gatekeeper.ask(queued)
        if gate is not None:
            self._admission.place(entry, event, gate=gate, now=now)

    def _recheck(
        self, entry: Entry, event: str, *, now: float, left: PodInfo | None = None
    ) -> None:
        """Look at an entity again that members have left.

        Args:
            entry: it.
            event: why they left.
            now: the moment.
            left: the pod, if only one left, and because it was deleted.
        """
        if not entry.members:
            self._board.put(entry, Place.NOWHERE, event)
        elif entry.place is Place.GATED:
            if left is None or self._rules[left.scheduler_name].wakes_after_deletion:
                self._admission.admit(entry, event, now=now)
        else:
            # It can only have lost its quorum, which any member can tell.
            gate = self._gatekeeper.ask(next(reversed(entry.members.values())))
            if gate is not None:
                self._admission.place(entry, event, gate=gate, now=now)

    def _let_strangers_go(self, entry: Entry, *, now: float) -> None:
        """After an attempt, let members go on elsewhere whose tree is another one now."""
        strangers = [m for m in entry.members.values() if not self._belongs(entry, m)]
        for queued in strangers:
            self._members.homes.remove(leaf_of(queued), queued.pod.uid)
        for queued in strangers:
            self._enter(queued, Place.IN_FLIGHT, ATTEMPT_FAILED, now=now)

    def _take_in(self, entry: Entry, newcomers: Iterable[QueuedPodInfo], *, now: float) -> None:
        """After an attempt, take in the members that came meanwhile."""
        for queued in newcomers:
            if self._belongs(entry, queued):
                self._members.homes.add(entry, queued)
            else:
                self._enter(queued, Place.PENDING, ATTEMPT_FAILED, now=now)

    def _belongs(self, entry: Entry, queued: QueuedPodInfo) -> bool:
        root = self._groups.root_of(leaf_of(queued))
        return root is not None and root.key == entry.key

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
    queued.rejected_by = plugins
    if plugins:
        queued.unschedulable_count += 1
        queued.consecutive_errors = 0
    else:
        queued.consecutive_errors += 1
    queued.timestamp = now
