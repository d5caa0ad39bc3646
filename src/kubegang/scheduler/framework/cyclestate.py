"""Notes that a plugin keeps from one extension point to the next, within one cycle."""

from __future__ import annotations

from typing import Any


class CycleState:
    """A small dictionary for one pod's attempt.

    Attributes:
        skip_filter: plugins whose ``pre_filter`` had nothing to say.
        skip_score: plugins whose ``pre_score`` had nothing to say.
        group: the state of the whole group cycle, shared by its members, if there is one.
        now: the cycle's moment.
    """

    __slots__ = ("_notes", "group", "now", "skip_filter", "skip_score")

    def __init__(self, group: CycleState | None = None, *, now: float = 0.0) -> None:
        self._notes: dict[str, Any] = {}
        self.skip_filter: set[str] = set()
        self.skip_score: set[str] = set()
        self.group = group
        self.now: float = now if group is None else group.now

    def read(self, key: str) -> Any:
        """Return the note under ``key``, or ``None``. Its type is its plugin's business."""
        return self._notes.get(key)

    def write(self, key: str, note: object) -> None:
        """Keep ``note`` under ``key``; a plugin starts its keys with its own name."""
        self._notes[key] = note

    def adopt(self, other: CycleState) -> None:
        """Take over the notes of an attempt at a pod like this one."""
        self._notes.update(other._notes)
        self.skip_filter |= other.skip_filter
        self.skip_score |= other.skip_score
