"""Access to members of a wire object that are structs upstream: never absent, never null."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject


def member(obj: JsonObject, name: str) -> JsonObject:
    """Return an object's member, made empty if it is missing or null."""
    value: JsonObject | None = obj.get(name)
    if value is None:
        value = obj[name] = {}
    return value
