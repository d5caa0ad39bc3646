"""From objects to sets of fields: what an object has, and what changed between two.

Which lists and maps are looked into, and which count as one value, is the structure's say:
lists of type ``map`` and ``set`` and granular maps are open, everything else is a leaf. The
rules are those of structured-merge-diff, as kube-apiserver 1.37.2 uses it.

Pure. ``changes`` runs for every write of every object.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from kubegang.apimachinery.fieldset import MEMBER, SELF, FieldSet, node_of
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import ANY, Schema

_encode = msgspec.json.Encoder().encode

_OPEN_MAPS = frozenset({"object", "map", "any"})

_KEY_DEFAULTS = {"protocol": "TCP"}
"""Defaults of list-map keys: of all kinds, only ports have one that is not a zero."""

_NAMELESS = "io.k8s.api.core.v1.LocalObjectReference"
"""Of all kinds that are told from others by a key, only this may have none."""


class ItemKeyError(ValueError):
    """A list item that cannot be told from others; the message is upstream's."""


class Changes(NamedTuple):
    """What differs between two objects.

    Attributes:
        changed: fields that are new or have another value.
        removed: fields that are gone.
    """

    changed: FieldSet
    removed: FieldSet


def changes(old: JsonObject, new: JsonObject, schema: Schema) -> Changes:
    """Return the fields in which two objects differ.

    A field that appears or goes counts at each level: ``spec.x`` and all that it holds.
    """
    return _object_changes(old, new, schema)


def field_set(value: Any, schema: Schema) -> FieldSet:
    """Return the fields that an applied object names.

    Declared structs are not named themselves unless they are empty; list items and map
    entries are.
    """
    if isinstance(value, dict):
        return _members(value, schema)
    if isinstance(value, list):
        return _items(value, schema)
    return MEMBER


def is_open(value: Any, schema: Schema) -> bool:
    """Return whether a value is looked into, rather than owned as a whole."""
    if isinstance(value, dict):
        return schema.type in _OPEN_MAPS and schema.map_type == "granular"
    return isinstance(value, list) and schema.type == "array" and schema.list_type != "atomic"


def member_schema(schema: Schema, name: str) -> Schema:
    """Return the structure of an object's member or a map's entry."""
    if schema.type == "object":
        return schema.fields.get(name, ANY)
    return schema.items or ANY


def item_step(item: Any, schema: Schema) -> str:
    """Return the step that leads to an item of an open list.

    Raises:
        ItemKeyError: the item has no keys to know it by.
    """
    if schema.list_type == "set":
        return _set_step(item)
    if type(item) is not dict:
        what = "a null element" if item is None else "non-map elements"
        raise ItemKeyError(f"associative list with keys may not have {what}")
    keys = schema.list_map_keys
    if len(keys) == 1 and keys[0] in item:
        return f"k:{_encode({keys[0]: item[keys[0]]}).decode()}"
    found = {
        name: item[name] if name in item else _key_default(schema, name) for name in sorted(keys)
    }
    return f"k:{_encode(found).decode()}"


@lru_cache(maxsize=4096)
def zero_object(schema: Schema) -> JsonObject:
    """Return what an empty object of this structure is written as.

    A create is a change from this, so members that are written even when empty are not new.
    The result must not be changed.
    """
    zero: JsonObject = dict.fromkeys(schema.written_as_null)
    for name in schema.always_written:
        zero[name] = _zero(schema.fields[name])
    return zero


def _zero(schema: Schema) -> Any:
    match schema.type:
        case "object":
            return zero_object(schema)
        case "string":
            return {"": "", "quantity": "0"}.get(schema.format)
        case "integer" | "number" | "int-or-string":
            return 0
        case "boolean":
            return False
    return None


def _key_default(schema: Schema, name: str) -> Any:
    items = schema.items or ANY
    if name in schema.key_defaults:
        return schema.key_defaults[name]
    if name in _KEY_DEFAULTS and items.name:
        return _KEY_DEFAULTS[name]
    if name in items.required or items.name == _NAMELESS:
        # Members that are always written have the zero of their type as default.
        return _zero(items.fields[name])
    raise ItemKeyError(
        f'associative list with keys has an element that omits key field "{name}" '
        "(and doesn't have default value)"
    )


def _set_step(item: Any) -> str:
    if item is None or isinstance(item, dict | list):
        what = "a map type" if isinstance(item, dict) else "a list type"
        what = "an explicit null" if item is None else what
        raise ItemKeyError(f"associative list without keys has an element that's {what}")
    return f"v:{_encode(item).decode()}"


def _object_changes(old: JsonObject, new: JsonObject, schema: Schema) -> Changes:
    noted = Changes({}, {})
    # In the order in which managedFields are written, so that nobody has to sort later.
    for name in sorted(new):
        value = new[name]
        if name not in old:
            noted.changed[f"f:{name}"] = _whole(value, member_schema(schema, name))
        elif value != old[name]:
            _note_changes(f"f:{name}", old[name], value, member_schema(schema, name), noted)
    for name in old.keys() - new.keys():
        noted.removed[f"f:{name}"] = _whole(old[name], member_schema(schema, name))
    return noted


def _note_changes(step: str, old: Any, new: Any, schema: Schema, noted: Changes) -> None:
    """Note what differs between two values of one field that are not equal."""
    # Null is an empty map or list; beside an empty one it is a value of its own.
    old_open = is_open(old, schema) or (old is None and is_open(new, schema))
    new_open = is_open(new, schema) or (new is None and is_open(old, schema))
    if not (old_open and new_open) or not (old or new) or _forms_differ(old, new):
        noted.changed[step] = MEMBER
        return
    if isinstance(old, dict) or isinstance(new, dict):
        below = _object_changes(old or {}, new or {}, schema)
    else:
        below = _list_changes(old or [], new or [], schema)
    if below.changed:
        noted.changed[step] = below.changed
    if below.removed:
        noted.removed[step] = below.removed


def _forms_differ(old: Any, new: Any) -> bool:
    return old is not None and new is not None and type(old) is not type(new)


def _list_changes(old: list[Any], new: list[Any], schema: Schema) -> Changes:
    noted = Changes({}, {})
    items = schema.items or ANY
    before, after = _by_step(old, schema), _by_step(new, schema)
    for step in {**before, **after}:
        was, now = before.get(step, ()), after.get(step, ())
        if was == now:
            continue
        if len(was) > 1 or len(now) > 1:
            _note_duplicates(step, was, now, items, noted)
        elif not was:
            noted.changed[step] = _whole(now[0], items)
        elif not now:
            noted.removed[step] = _whole(was[0], items)
        else:
            _note_changes(step, was[0], now[0], items, noted)
    return noted


def _note_duplicates(
    step: str, was: tuple[Any, ...], now: tuple[Any, ...], items: Schema, noted: Changes
) -> None:
    """Note a change of an item whose keys another item has, too: as one value."""
    if len(now) > 1:
        noted.changed[step] = MEMBER
        if len(was) == 1:
            noted.removed[step] = _whole(was[0], items)
    else:
        noted.removed[step] = MEMBER
        if now:
            noted.changed[step] = _whole(now[0], items)


def _by_step(values: list[Any], schema: Schema) -> dict[str, tuple[Any, ...]]:
    found: dict[str, tuple[Any, ...]] = {}
    for value in values:
        try:
            step = item_step(value, schema)
        except ItemKeyError:
            # Validation refuses it; until then nobody owns it.
            continue
        found[step] = (*found.get(step, ()), value)
    return found


def _whole(value: Any, schema: Schema) -> FieldSet:
    """Return the node for a value that appears or goes, with all that it holds.

    Nine tenths of a create are spent here, hence the few calls.
    """
    if type(value) is dict:
        if not value or schema.type not in _OPEN_MAPS or schema.map_type == "atomic":
            return MEMBER
        fields = schema.fields if schema.type == "object" else None
        node: FieldSet = {SELF: MEMBER}
        for name in sorted(value):
            member = value[name]
            if type(member) is dict or type(member) is list:
                known = schema.items if fields is None else fields.get(name)
                node[f"f:{name}"] = _whole(member, known or ANY)
            else:
                node[f"f:{name}"] = MEMBER
        return node
    if type(value) is list and value and schema.list_type != "atomic":
        items = schema.items or ANY
        steps = {step: _whole(item, items) for step, item in _steps(value, schema)}
        return {SELF: MEMBER, **{step: steps[step] for step in sorted(steps)}}
    return MEMBER


def _steps(values: list[Any], schema: Schema) -> Iterator[tuple[str, Any]]:
    for value in values:
        try:
            yield item_step(value, schema), value
        except ItemKeyError:
            continue


def _members(value: JsonObject, schema: Schema) -> FieldSet:
    result: FieldSet = {}
    for name, member in value.items():
        known = member_schema(schema, name)
        declared = schema.type == "object" and name in schema.fields
        if not is_open(member, known):
            # A null stands for a leaf, even where a list or map could be.
            result[f"f:{name}"] = MEMBER
            continue
        empty_map = isinstance(member, dict) and not member
        node = node_of(field_set(member, known), member=empty_map or not declared)
        if node is not None:
            result[f"f:{name}"] = node
    return result


def _items(values: list[Any], schema: Schema) -> FieldSet:
    result: FieldSet = {}
    items = schema.items or ANY
    for step, item in _steps(values, schema):
        below = field_set(item, items) if is_open(item, items) else {}
        result[step] = node_of(below, member=True)
    return result
