"""Where in an object the value stands that ``check_types`` complains about.

Go's own texts leave out positions in lists, and for quantities and times the field too. Only
asked for once something is wrong. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.typecheck import decodes_itself, fits


def wrong_place(obj: JsonObject, schema: Schema) -> str:
    """Return the path of the value, as ``spec.containers[0].image``; empty if all fit."""
    first = ""
    for path, found in _in_members(obj, schema, ""):
        if decodes_itself(found):
            return path
        first = first or path
    return first


def _in_members(obj: JsonObject, schema: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    for name, value in obj.items():
        known = schema.fields.get(name)
        if known is not None:
            yield from _in_value(value, known, f"{path}.{name}" if path else name)


def _in_value(value: Any, schema: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    if fits(value, schema):
        return
    if schema.type == "object" and isinstance(value, dict):
        yield from _in_members(value, schema, path)
    elif schema.type == "array" and isinstance(value, list) and schema.items is not None:
        for position, item in enumerate(value):
            yield from _in_value(item, schema.items, f"{path}[{position}]")
    elif schema.type == "map" and isinstance(value, dict) and schema.items is not None:
        for key, item in value.items():
            yield from _in_value(item, schema.items, f"{path}[{key}]")
    else:
        yield path, schema
