"""Values that cells of several kinds are made of.

Printers also get objects with next to nothing in them, such as a watch's bookmarks, so every
member may be missing.

Pure: the current time is an argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import human_duration, parse_time

NONE = "<none>"
UNKNOWN = "<unknown>"
UNSET = "<unset>"


def member(obj: JsonObject | None, *path: str) -> Any:
    """Return a member by its path, or ``None`` where the path ends early."""
    value: Any = obj
    for key in path:
        if not value:
            return None
        value = value.get(key)
    return value


def text(obj: JsonObject | None, *path: str) -> str:
    """Return a text member, or an empty text."""
    return member(obj, *path) or ""


def number(obj: JsonObject | None, *path: str) -> int:
    """Return an integer member, or 0."""
    return member(obj, *path) or 0


def objects(obj: JsonObject | None, *path: str) -> list[JsonObject]:
    """Return a list member, or an empty list."""
    return member(obj, *path) or []


def name(obj: JsonObject) -> str:
    """Return ``metadata.name``."""
    return text(obj, "metadata", "name")


def terminating(obj: JsonObject) -> bool:
    """Return whether deletion has begun."""
    return member(obj, "metadata", "deletionTimestamp") is not None


def since(timestamp: str | None, now: float) -> str:
    """Return the time passed since a timestamp, the way ``AGE`` shows it."""
    return human_duration(now - parse_time(timestamp)) if timestamp else UNKNOWN


def age(obj: JsonObject, now: float) -> str:
    """Return the time passed since the object was created."""
    return since(member(obj, "metadata", "creationTimestamp"), now)


def condition(obj: JsonObject, condition_type: str) -> JsonObject | None:
    """Return the last condition of a type: the one that counts if there were several."""
    found = None
    for entry in objects(obj, "status", "conditions"):
        if entry.get("type") == condition_type:
            found = entry
    return found


def has_true_condition(obj: JsonObject, condition_type: str) -> bool:
    """Return whether a condition of that type is True."""
    return any(
        entry.get("type") == condition_type and entry.get("status") == "True"
        for entry in objects(obj, "status", "conditions")
    )


def container_names_and_images(pod_spec: JsonObject | None) -> list[str]:
    """Return the two wide cells that templates share."""
    containers = objects(pod_spec, "containers")
    return [
        ",".join(text(container, "name") for container in containers),
        ",".join(text(container, "image") for container in containers),
    ]


def joined_labels(labels: Mapping[str, str] | None) -> str:
    """Return ``a=b,c=d`` in the order of the keys."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or NONE


def first_with_more(items: Iterable[str], limit: int) -> str:
    """Return the first items, and how many more there are."""
    everything = list(items)
    shown = ",".join(everything[:limit])
    rest = len(everything) - limit
    return f"{shown} + {rest} more..." if rest > 0 else shown
