"""Fields that a kind does not have: named, or left out. Pure."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import Schema

_LEAVES = frozenset({"string", "integer", "number", "boolean", "int-or-string", "any"})


def unknown_fields(obj: JsonObject, schema: Schema) -> list[str]:
    """Return the paths of fields that the kind does not have, in the order of the document.

    Objects merged by a strategic merge patch are reported sorted by path upstream.
    """
    if _all_known(obj, schema):
        return []
    found: list[str] = []
    _find_unknown(obj, schema, "", found)
    return found


def prune(obj: JsonObject, schema: Schema) -> JsonObject:
    """Return the object without the fields that the kind does not have.

    Parts in which nothing is dropped are shared with ``obj``.
    """
    if _all_known(obj, schema):
        return obj
    pruned: JsonObject = _pruned(obj, schema)
    return pruned


def _all_known(value: Any, schema: Schema) -> bool:
    """Return whether no field is unknown; the only one of these walks that must be quick."""
    items = schema.items
    if items is not None:
        if items.type in _LEAVES:
            return True
        for item in value.values() if type(value) is dict else value:
            if (type(item) is dict or type(item) is list) and not _all_known(item, items):
                return False
        return True
    if schema.type != "object" or type(value) is not dict:
        return True
    fields = schema.fields
    if not value.keys() <= fields.keys():
        return False
    for name, member in value.items():
        if (type(member) is dict or type(member) is list) and not _all_known(member, fields[name]):
            return False
    return True


def _find_unknown(value: Any, schema: Schema, path: str, found: list[str]) -> None:
    match schema.type:
        case "object" if type(value) is dict:
            fields = schema.fields
            for name, member in value.items():
                known = fields.get(name)
                if known is None:
                    found.append(f"{path}.{name}" if path else name)
                elif type(member) is dict or type(member) is list:
                    _find_unknown(member, known, f"{path}.{name}" if path else name, found)
        case "array" if type(value) is list and schema.items is not None:
            if schema.items.type not in _LEAVES:
                for position, item in enumerate(value):
                    _find_unknown(item, schema.items, f"{path}[{position}]", found)
        case "map" if type(value) is dict and schema.items is not None:
            if schema.items.type not in _LEAVES:
                for name, item in value.items():
                    _find_unknown(item, schema.items, f"{path}.{name}", found)


def _pruned(value: Any, schema: Schema) -> Any:
    match schema.type:
        case "object" if type(value) is dict:
            fields = schema.fields
            members = {
                name: _pruned(member, fields[name])
                for name, member in value.items()
                if name in fields
            }
            return _same_or(value, members)
        case "array" if type(value) is list and schema.items is not None:
            items = [_pruned(item, schema.items) for item in value]
            unchanged = all(old is new for old, new in zip(value, items, strict=True))
            return value if unchanged else items
        case "map" if type(value) is dict and schema.items is not None:
            entries = {name: _pruned(item, schema.items) for name, item in value.items()}
            return _same_or(value, entries)
    return value


def _same_or(old: JsonObject, new: JsonObject) -> JsonObject:
    """Return ``old`` if ``new`` has the very same members, else ``new``."""
    if len(old) == len(new) and all(new[name] is member for name, member in old.items()):
        return old
    return new
