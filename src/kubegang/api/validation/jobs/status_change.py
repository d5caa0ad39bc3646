"""An update of a Job's status, and what of it is new.

Most rules look only at what an update changes, so that a status that breaks one for a
while, because the spec has changed, can still be written.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from kubegang.apimachinery.objects import JsonObject

# Where empty and left out differ: what is a pointer upstream.
_POINTERS = ("failedIndexes", "ready", "terminating")


class StatusChange(msgspec.Struct, frozen=True, kw_only=True):
    """An update of a status.

    Attributes:
        true: the types of the conditions that hold now.
        was_true: those that held before.
        names: the fields of the status that change.
    """

    spec: JsonObject
    status: JsonObject
    old: JsonObject
    true: frozenset[str]
    was_true: frozenset[str]
    names: frozenset[str]

    def changes(self, *names: str) -> bool:
        """Return whether any of these changes: a field, or a condition."""
        return any(
            name in self.names or (name in self.true) != (name in self.was_true) for name in names
        )

    @property
    def finished(self) -> bool:
        """Whether the Job is complete or has failed."""
        return _is_finished(self.true)

    @property
    def finishes(self) -> bool:
        """Whether the update changes that."""
        return self.finished != _is_finished(self.was_true)

    def finishes_or_changes(self, name: str) -> bool:
        """Return whether the Job becomes finished or unfinished, or a field changes."""
        return self.finishes or self.changes(name)


def status_change(new: JsonObject, old: JsonObject) -> StatusChange:
    """Return what an update does to a Job's status."""
    status, old_status = new.get("status") or {}, old.get("status") or {}
    names = status.keys() | old_status.keys()
    changed = {
        name
        for name in names
        if status.get(name) != old_status.get(name)
        and (name in _POINTERS or status.get(name) or old_status.get(name))
    }
    return StatusChange(
        spec=new.get("spec") or {},
        status=status,
        old=old_status,
        true=conditions_with(status, "True"),
        was_true=conditions_with(old_status, "True"),
        names=frozenset(changed),
    )


def conditions_with(status: JsonObject, value: str) -> frozenset[str]:
    """Return the types of the conditions that have this status."""
    conditions = status.get("conditions") or ()
    return frozenset(c.get("type") or "" for c in conditions if c.get("status") == value)


def _is_finished(conditions: Collection[str]) -> bool:
    return "Complete" in conditions or "Failed" in conditions
