"""Tentative changes to a snapshot.

A gang is placed pod by pod, and each pod must see its siblings as already placed. Yet when
the quorum fails, nothing may have happened. A trial gives both: each step takes effect at
once, and the trial knows how to take it back.

Pure: no clock, no I/O. The snapshot is changed in place, never the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from kubegang.scheduler.framework.errors import InvariantError, NodeNotFoundError
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.snapshot.snapshot import Snapshot


class Trial:
    """Reversible steps against one snapshot; undone on exit unless kept."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._undo: list[Callable[[], object]] = []

    def __enter__(self) -> Trial:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.rollback()

    def place(self, pod: PodInfo, node: NodeName) -> None:
        """Count ``pod`` against ``node`` from now on.

        Raises:
            NodeNotFoundError: ``node`` is not in the snapshot.
        """
        if self._snapshot.nodes.row(node) is None:
            raise NodeNotFoundError(f"pod {pod.key} cannot be placed: no node {node}")
        stamp = self._snapshot.nodes.stamp
        given_up = self._snapshot.give_up(pod.uid)
        self._snapshot.add_pod(pod, node)
        if given_up is not None:
            self._undo.append(lambda: self._snapshot.take_up(given_up))
        self._note(stamp, lambda: self._snapshot.remove_pod(pod.uid))

    def evict(self, *pods: PodInfo) -> None:
        """Stop counting ``pods``, as if they had gone."""
        stamp = self._snapshot.nodes.stamp
        self._snapshot.set_aside(pods)
        self._note(stamp, lambda: self._snapshot.bring_back(pods))

    def put_back(self, *pods: PodInfo) -> None:
        """Count evicted ``pods`` again, as if they had never gone."""
        stamp = self._snapshot.nodes.stamp
        self._snapshot.bring_back(pods)
        self._note(stamp, lambda: self._snapshot.set_aside(pods))

    def undo_with(self, action: Callable[[], object]) -> None:
        """Have something taken back that was done outside the snapshot because of this trial."""
        self._undo.append(action)

    def mark(self) -> int:
        """Return a point to which ``rollback`` can return."""
        return len(self._undo)

    def rollback(self, to: int = 0) -> None:
        """Take back every step made since ``to``.

        Raises:
            InvariantError: ``to`` lies in the future; or a step cannot be undone.
        """
        if to > len(self._undo):
            raise InvariantError(f"rollback to step {to}, but only {len(self._undo)} were made")
        # Newest first: a later step may rest on an earlier one, as when a pod takes the room
        # that an eviction made.
        while len(self._undo) > to:
            self._undo.pop()()

    def _note(self, stamp: int, undo: Callable[[], object]) -> None:
        def take_back() -> None:
            undo()
            # What is counted is bit for bit what it was, so it has its old name again.
            self._snapshot.nodes.restore_stamp(stamp)

        self._undo.append(take_back)

    def keep(self) -> None:
        """Make the steps so far final for this snapshot."""
        self._undo.clear()
