"""Ordinary pods: entities of their own, retried when something happens that may help.

Pure.
"""

from __future__ import annotations

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.events import Action, ClusterEvent
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.queue.admission import Admission
from kubegang.scheduler.queue.board import Board
from kubegang.scheduler.queue.changes import (
    ATTEMPT_FAILED,
    UNSCHEDULED_POD_ADD,
    UNSCHEDULED_POD_DELETE,
    label,
    pod_changes,
)
from kubegang.scheduler.queue.entries import Entry
from kubegang.scheduler.queue.hints import is_worth_requeueing
from kubegang.scheduler.queue.inflight import Happening, InFlightPods
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.rules import HintIndex


class PodFlow:
    """Moves ordinary pods over the board."""

    def __init__(
        self, board: Board, admission: Admission, *, index: HintIndex, in_flight: InFlightPods
    ) -> None:
        self._board = board
        self._admission = admission
        self._index = index
        self._in_flight = in_flight

    def add(self, queued: QueuedPodInfo, *, now: float) -> None:
        """Take a new pod in."""
        entry = Entry(key=queued.pod.uid, info=queued)
        self._admission.admit(entry, label(UNSCHEDULED_POD_ADD), now=now)

    def update(self, entry: Entry, pod: PodInfo, *, now: float) -> None:
        """Put a newer form of a pod in place; it may be worth an attempt now."""
        queued = _record(entry)
        old, queued.pod = queued.pod, pod
        event = ClusterEvent("TargetPod", pod_changes(old, pod))
        happening = Happening(event, old, pod)
        if entry.place is Place.IN_FLIGHT:
            self._in_flight.record(happening, only=pod.uid)
        elif entry.place in (Place.UNSCHEDULABLE, Place.GATED):
            self.reconsider(entry, happening, now=now)
        elif event.actions != Action.UPDATE_OTHER:
            self._board.backoff.stir()

    def reconsider(self, entry: Entry, happening: Happening, *, now: float) -> None:
        """Give a resting pod another attempt if the plugins that refused it say so."""
        if is_worth_requeueing(self._index, _record(entry), happening):
            entry.tried_at = None
            self._admission.admit(entry, label(happening.event), now=now)

    def delete(self, entry: Entry) -> None:
        """Let a pod go: it is gone, or bound by somebody else."""
        self._in_flight.finish(_record(entry).pod.uid)
        self._board.put(entry, Place.NOWHERE, UNSCHEDULED_POD_DELETE)

    def start(self, entry: Entry) -> None:
        """Watch what happens from now on, since the pod was popped."""
        self._in_flight.start(_record(entry).pod.uid)

    def done(self, entry: Entry) -> None:
        """Let a pod go that is being bound, or was skipped."""
        self._in_flight.finish(_record(entry).pod.uid)
        self._board.put(entry, Place.NOWHERE, "")

    def fail(
        self, entry: Entry, plugins: frozenset[str], *, now: float, rests: bool = True
    ) -> None:
        """Requeue a pod whose attempt failed; no ``plugins`` means an error.

        A pod that plugins refused rests until something happens that they care about. If
        that happened during the attempt already, the pod only backs off; and so it does if
        it never ``rests``.
        """
        queued = _record(entry)
        queued.rejected_by = plugins
        self._admission.count_failure(entry, refused=bool(plugins), now=now)
        missed = (
            is_worth_requeueing(self._index, queued, happening)
            for happening in self._in_flight.events_for(queued.pod.uid)
        )
        if not rests:
            entry.tried_at = self._board.backoff.happened
        if not plugins or not rests or any(missed):
            self._admission.admit(entry, ATTEMPT_FAILED, now=now)
        else:
            self._board.put(entry, Place.UNSCHEDULABLE, ATTEMPT_FAILED)
        self._in_flight.finish(queued.pod.uid)

    def take_back(self, queued: QueuedPodInfo, plugins: frozenset[str], *, now: float) -> None:
        """Queue a pod again that is not bound after all; it backs off.

        Nobody kept what happened since it was popped, so it does not rest even if
        ``plugins`` refused it.
        """
        entry = Entry(key=queued.pod.uid, info=queued)
        queued.rejected_by = plugins
        self._admission.count_failure(entry, refused=bool(plugins), now=now)
        self._admission.admit(entry, ATTEMPT_FAILED, now=now)


def _record(entry: Entry) -> QueuedPodInfo:
    (queued,) = entry.pods()
    return queued
