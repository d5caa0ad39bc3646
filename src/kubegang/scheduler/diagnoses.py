"""Why each pending entity waits: what its last attempt found, or what holds it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.scheduler.cycle.decision import Diagnosis
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import Status
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.contents import QueueContents
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.places import Place


class Diagnoses:
    """The last finding about each pending entity, and the queue that knows the others."""

    def __init__(self, queue: QueueContents) -> None:
        self._queue = queue
        self._found: dict[EntityKey, Diagnosis] = {}

    def found(self, keys: Iterable[EntityKey], diagnosis: Diagnosis) -> None:
        """Keep what an attempt found about entities that stay pending."""
        self._found.update(dict.fromkeys(keys, diagnosis))

    def undone(self, pod: PodInfo, node: NodeName, status: Status) -> None:
        """Explain a pod by what became of its place; what was decided is out of date."""
        self._found[pod.uid] = Diagnosis(
            outcome="unschedulable" if status.is_rejected else "error",
            message=f"lost its place on node {node}: {status.as_error}",
            upstream_message=status.as_error,
            group=pod.pod_group,
        )

    def note(self, moves: Iterable[Move]) -> None:
        """Forget what left the queue."""
        for move in moves:
            if move.finish is Place.NOWHERE:
                self._found.pop(move.key, None)

    def explain(self, key: EntityKey, *, now: float) -> Diagnosis | None:
        """Return why an entity is pending, or ``None`` if it is not.

        What its last attempt found, unless it is held outside the queue now.
        """
        waiting = self._queue.explain(key, now=now)
        if waiting is None:
            return None
        held = waiting.place in (Place.GATED, Place.INCOMPLETE)
        if not held and (found := self._last(key)) is not None:
            return found
        return Diagnosis(
            outcome="waiting",
            message=waiting.message,
            upstream_message=waiting.upstream_message,
            group=waiting.group,
            quorum=waiting.quorum,
            scheduled=waiting.scheduled,
        )

    def _last(self, key: EntityKey) -> Diagnosis | None:
        """Return what the last attempt at an entity found; each gathered member keeps it."""
        pods = self._queue.pods_of(key)
        keys = (key, self._queue.entity_of(key), *(pod.uid for pod in pods))
        return next((self._found[k] for k in keys if k in self._found), None)
