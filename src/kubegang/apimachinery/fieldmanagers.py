"""The entries of ``metadata.managedFields``: who owns which fields.

A manager is known by name, operation and subresource; for updates, by the API version, too.
Upstream keeps at most ten entries of updates and merges the oldest.

Pure: entries are values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from kubegang.apimachinery.fieldset import FieldSet, union
from kubegang.apimachinery.objects import JsonObject

MAX_UPDATE_ENTRIES = 10
ANCIENT_MANAGER = "ancient-changes"

_STEP_KINDS = frozenset({"f:", "k:", "v:", "i:"})


class ManagerKey(NamedTuple):
    """What makes two entries the same manager's; appliers have no API version here."""

    manager: str
    operation: str
    api_version: str
    subresource: str


class Entry(NamedTuple):
    """One manager's fields."""

    manager: str
    operation: str
    api_version: str
    time: str
    fields: FieldSet
    subresource: str

    @property
    def key(self) -> ManagerKey:
        """What the manager is known by."""
        version = "" if self.operation == "Apply" else self.api_version
        return ManagerKey(self.manager, self.operation, version, self.subresource)

    def encoded(self) -> JsonObject:
        """Return the entry as it is written."""
        entry: JsonObject = {
            "manager": self.manager,
            "operation": self.operation,
            "apiVersion": self.api_version,
        }
        if self.time:
            entry["time"] = self.time
        entry["fieldsType"] = "FieldsV1"
        entry["fieldsV1"] = self.fields
        if self.subresource:
            entry["subresource"] = self.subresource
        return entry


Managers = dict[ManagerKey, Entry]


def managers_of(obj: JsonObject | None) -> Managers:
    """Return the managers of a stored object."""
    entries = (_entry(raw) for raw in _written(obj))
    return {entry.key: entry for entry in entries}


def sent_managers(obj: JsonObject, old: JsonObject | None) -> Managers | None:
    """Return the managers that a client sent, ``None`` if the old ones stay.

    They stay if it sent none, the same, or something that makes no sense. An empty list, or a
    list with one empty entry, means: forget all managers.
    """
    sent = (obj.get("metadata") or {}).get("managedFields")
    if not isinstance(sent, list) or sent == _written(old):
        return None
    if not sent or (len(sent) == 1 and isinstance(sent[0], dict) and not any(sent[0].values())):
        return {}
    if not all(_is_well_formed(raw) for raw in sent):
        return None
    return managers_of(obj)


def encoded(managers: Iterable[Entry]) -> list[JsonObject]:
    """Return entries as they are written: appliers first, then by time and name."""
    return [entry.encoded() for entry in sorted(managers, key=_order)]


def capped(managers: Managers) -> Managers:
    """Return the managers with the oldest updates merged until ten update entries are left."""
    updates = [entry for entry in managers.values() if entry.operation == "Update"]
    excess = len(updates) - MAX_UPDATE_ENTRIES
    if excess <= 0:
        return managers
    updates.sort(key=lambda entry: (entry.time, entry.key))
    kept = dict(managers)
    first_of_version: dict[str, Entry] = {}
    for entry in updates:
        if excess <= 0:
            break
        first = first_of_version.setdefault(entry.api_version, entry)
        if first is not entry:
            _merge_into_ancient(kept, first, entry)
            excess -= 1
    return kept


def _merge_into_ancient(managers: Managers, first: Entry, later: Entry) -> None:
    bucket = Entry(ANCIENT_MANAGER, "Update", later.api_version, later.time, {}, "")
    if bucket.key not in managers:
        managers.pop(first.key, None)
        managers[bucket.key] = bucket._replace(fields=first.fields)
    managers.pop(later.key)
    fields = union(later.fields, managers[bucket.key].fields)
    managers[bucket.key] = bucket._replace(fields=fields)


def _written(obj: JsonObject | None) -> list[JsonObject]:
    if obj is None:
        return []
    return (obj.get("metadata") or {}).get("managedFields") or []


def _entry(raw: Mapping[str, Any]) -> Entry:
    return Entry(
        raw.get("manager") or "",
        raw.get("operation") or "",
        raw.get("apiVersion") or "",
        raw.get("time") or "",
        raw.get("fieldsV1") or {},
        raw.get("subresource") or "",
    )


def _order(entry: Entry) -> tuple[str, str, str, str, str]:
    return (entry.operation, entry.time, entry.manager, entry.api_version, entry.subresource)


def _is_well_formed(raw: Any) -> bool:
    return (
        isinstance(raw, dict)
        and raw.get("operation") in {"Apply", "Update"}
        and bool(raw.get("apiVersion"))
        and raw.get("fieldsType") == "FieldsV1"
        and _is_field_set(raw.get("fieldsV1") or {})
    )


def _is_field_set(node: Any) -> bool:
    return isinstance(node, dict) and all(
        _is_step(step) and _is_field_set(below) for step, below in node.items()
    )


def _is_step(step: str) -> bool:
    if step == "." or step.startswith("f:"):
        return True
    if step[:2] not in _STEP_KINDS:
        return False
    try:
        value = msgspec.json.decode(step[2:])
    except msgspec.DecodeError:
        return False
    return isinstance(value, dict) == (step[0] == "k")
