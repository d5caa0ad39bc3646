"""The way back into the queue that all entities share: gate, then backoff, then active.

Pure.
"""

from __future__ import annotations

from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.board import Board
from kubegang.scheduler.queue.entries import Entry, Gate
from kubegang.scheduler.queue.gating import Gatekeeper
from kubegang.scheduler.queue.places import Place


class Admission:
    """Decides between ``GATED``, ``BACKOFF`` and ``ACTIVE``."""

    def __init__(self, board: Board, gatekeeper: Gatekeeper, policy: BackoffPolicy) -> None:
        self._board = board
        self._gatekeeper = gatekeeper
        self._policy = policy
        self._activations = 0

    def admit(self, entry: Entry, event: str, *, now: float) -> None:
        """Ask the gate plugins about all of an entity's pods, and place it."""
        self.place(entry, event, gate=self._gatekeeper.ask_all(entry), now=now)

    def place(self, entry: Entry, event: str, *, gate: Gate | None, now: float) -> None:
        """Hold the entity if there is a gate; else let it back off, or go."""
        if gate is not None and entry.gate is not None and gate.holder == entry.gate.holder:
            entry.gate = gate
        elif gate is not None:
            self._board.put(entry, Place.GATED, event, gate=gate)
        elif entry.expires > now:
            self._board.put(entry, Place.BACKOFF, event)
        else:
            self.activate(entry, event, now=now)

    def force(self, entry: Entry, event: str, *, now: float) -> None:
        """Let an entity be popped though it rests or backs off, unless a plugin holds it."""
        if entry.place is Place.BACKOFF:
            # It passed the gates when its backoff began.
            self.activate(entry, event, now=now)
        elif entry.place in (Place.UNSCHEDULABLE, Place.GATED):
            gate = self._gatekeeper.ask_all(entry)
            if gate is None:
                self.activate(entry, event, now=now)
            else:
                self.place(entry, event, gate=gate, now=now)

    def activate(self, entry: Entry, event: str, *, now: float) -> None:
        """Let an entity be popped, without asking anybody."""
        for queued in entry.pods():
            if queued.first_attempt is None:
                self._activations += 1
                queued.first_attempt, queued.activation = now, self._activations
        if entry.info.first_attempt is None:
            entry.info.first_attempt = now
        self._board.put(entry, Place.ACTIVE, event)

    def count_failure(self, entry: Entry, *, refused: bool, now: float) -> None:
        """Count an attempt that failed, and start the backoff that follows from it."""
        info = entry.info
        if refused:
            info.unschedulable_count += 1
            info.consecutive_errors = 0
        else:
            info.consecutive_errors += 1
        info.timestamp = now
        entry.expires = self._policy.expiry(entry)

    def expiry(self, entry: Entry) -> float:
        """Return when the backoff ends that follows from the entity's counts."""
        return self._policy.expiry(entry)
