"""Events of the core group and of events.k8s.io: one store, two spellings.

Objects lie in the store as core/v1 has them. Reading one through the other group and back
loses nothing (measured on 1.37.2).
"""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject

_CORE_TO_NEW = {
    "involvedObject": "regarding",
    "message": "note",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}
_NEW_TO_CORE = {new: core for core, new in _CORE_TO_NEW.items()}


def to_core(event: JsonObject) -> JsonObject:
    """Spell an events.k8s.io/v1 Event as core/v1 does."""
    return {**_renamed(event, _NEW_TO_CORE), "apiVersion": "v1"}


def from_core(event: JsonObject) -> JsonObject:
    """Spell a core/v1 Event as events.k8s.io/v1 does."""
    return {**_renamed(event, _CORE_TO_NEW), "apiVersion": "events.k8s.io/v1"}


def _renamed(event: JsonObject, names: dict[str, str]) -> JsonObject:
    return {names.get(name, name): value for name, value in event.items()}
