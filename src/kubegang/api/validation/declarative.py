"""Rules as data: what upstream generates from tags on its types, as a table and a walk.

The kinds of the scheduling group are validated from tags: each field says whether it is
required, which gate it needs, which format it has, whether it may change. Here a struct is
a ``Struct`` of ``Field`` rows, and ``validate_struct`` walks object and rows side by side.

Three things of the original decide what users see, and are kept: a field that an update
did not change is not looked at again; a field that is missing, immutable or too long is
not looked into; list items are matched to their old selves by key, not by place.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kubegang.api.validation.checks import IMMUTABLE, Errors, TextRule, matching, one_of
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
    too_many,
)
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_CHARACTERS = re.compile(r"^must be no more than ([0-9]+) characters$")


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """What one field of a struct must keep.

    Attributes:
        pointer: upstream tells a zero or empty value from a missing one.
        gate: the field may be set only while this gate is on.
        filled_in: what defaults set the field to, whether or not the gate is on.
        immutable: an update may not change the field in any way.
        immutable_with_gate: the same, but only while the field's gate is on.
        set_once: an update may change the value, but neither add nor remove it.
        fixed_items: an update may change list items, but neither add nor remove any.
        struct: the rules of the object that stands here, or of the items of the list.
        key: the member that identifies a list item; empty if the list is replaced as a
            whole.
        explicit_null: an error text that shows the whole struct prints a missing field as
            ``null``.
    """

    name: str
    pointer: bool = False
    required: bool = False
    gate: str = ""
    filled_in: str | None = None
    immutable: bool = False
    immutable_with_gate: bool = False
    set_once: bool = False
    fixed_items: bool = False
    max_items: int = 0
    text: TextRule | None = None
    minimum: int | None = None
    maximum: int | None = None
    allowed: tuple[str, ...] = ()
    struct: Struct | None = None
    is_list: bool = False
    key: str = ""
    explicit_null: bool = False


class Struct:
    """The fields of a struct; ``union`` names those of which exactly one must be set.

    Fields can be added once after construction, because structs may contain themselves.
    """

    __slots__ = ("fields", "union")

    def __init__(self, *fields: Field, union: Sequence[str] = ()) -> None:
        self.fields = fields
        self.union = tuple(union)

    def extend(self, *fields: Field) -> None:
        """Add fields that refer to this struct itself."""
        self.fields += fields


class _Walk(msgspec.Struct, frozen=True):
    """What stays the same during one validation."""

    gates: FeatureGates
    updating: bool


def short_name(text: str) -> list[str]:
    """Check a DNS label; this family of checks counts bytes, not characters."""
    return [_CHARACTERS.sub(r"must be no more than \1 bytes", e) for e in is_dns1123_label(text)]


def long_name(text: str) -> list[str]:
    """Check a DNS subdomain; this family of checks counts bytes, not characters."""
    errors = is_dns1123_subdomain(text)
    return [_CHARACTERS.sub(r"must be no more than \1 bytes", e) for e in errors]


def validate_struct(
    rules: Struct,
    new: JsonObject,
    old: JsonObject | None,
    *,
    path: Path,
    gates: FeatureGates,
    updating: bool,
) -> Errors:
    """Check an object against its rules; ``old`` is its stored self, if it has one."""
    yield from _struct(_Walk(gates, updating), rules, path, new, old)


def same(new: Any, old: Any) -> bool:
    """Return whether two values mean the same: null, empty and left out are alike."""
    if new == old:
        return True
    if isinstance(new, dict) and isinstance(old, dict):
        return all(same(new.get(name), old.get(name)) for name in new.keys() | old.keys())
    if isinstance(new, list) and isinstance(old, list):
        return len(new) == len(old) and all(map(same, new, old))
    return _is_empty(new) and _is_empty(old)


def shown(rules: Struct, obj: JsonObject) -> JsonObject:
    """Return an object as error texts show it: fields in their order, empty ones left out."""
    form: JsonObject = {}
    for field in rules.fields:
        value = obj.get(field.name)
        if value is None and field.explicit_null:
            form[field.name] = None
        elif not _is_unset(field, value):
            form[field.name] = _shown_value(field, value)
    return form


def _shown_value(field: Field, value: Any) -> Any:
    if field.struct is None:
        return value
    if field.is_list:
        return [shown(field.struct, item) for item in value]
    return shown(field.struct, value)


def _struct(
    walk: _Walk, rules: Struct, path: Path, new: JsonObject, old: JsonObject | None
) -> Errors:
    if rules.union:
        yield from _union(walk, rules, path, new, old)
    for field in rules.fields:
        value = _value(field, new)
        old_value = None if old is None else _value(field, old)
        if walk.updating and old is not None and same(value, old_value):
            continue
        yield from _field(walk, field, path.child(field.name), value, old_value)


def _union(
    walk: _Walk, rules: Struct, path: Path, new: JsonObject, old: JsonObject | None
) -> Errors:
    chosen = _members_set(rules, new)
    if walk.updating and old is not None and chosen == _members_set(rules, old):
        return
    names = ", ".join(f"`{name}`" for name in rules.union)
    if len(chosen) > 1:
        found = "{" + ", ".join(chosen) + "}"
        yield invalid_value(path, found, f"must specify exactly one of: {names}")
    elif not chosen:
        yield invalid_value(path, "", f"must specify one of: {names}")


def _members_set(rules: Struct, obj: JsonObject) -> list[str]:
    return [name for name in rules.union if obj.get(name) not in (None, [])]


def _field(walk: _Walk, field: Field, path: Path, value: Any, old: Any) -> Errors:
    stops = list(_stops(walk, field, path, value, old))
    yield from stops
    if stops or _is_unset(field, value):
        return
    if field.is_list:
        yield from _list(walk, field, path, value, old or [])
    elif field.struct is not None:
        yield from _struct(walk, field.struct, path, value, old)
    else:
        yield from _plain(field, path, value)


def _stops(walk: _Walk, field: Field, path: Path, value: Any, old: Any) -> Errors:
    """Yield the errors after which a field is not looked into."""
    gate_on = not field.gate or walk.gates.enabled_if_known(field.gate)
    empty = _is_unset(field, value)
    if not gate_on and not empty and value != field.filled_in:
        yield forbidden_field(path)
    if walk.updating and (field.immutable or (field.immutable_with_gate and gate_on)):
        yield _unexplained(path, IMMUTABLE)
    if field.max_items and len(value or ()) > field.max_items:
        yield too_many(path, len(value), field.max_items)
    if field.required and empty:
        yield required(path)
    if walk.updating and field.set_once:
        yield from _set_once(path, value, old)
    if walk.updating and field.fixed_items:
        yield from _fixed_items(field, path, value or [], old or [])


def _set_once(path: Path, value: Any, old: Any) -> Errors:
    if old is None and value is not None:
        yield _unexplained(path, "field cannot be set once created")
    if old is not None and value is None:
        yield _unexplained(path, "field cannot be cleared once set")


def _fixed_items(field: Field, path: Path, value: list[Any], old: list[Any]) -> Errors:
    old_keys = {item.get(field.key) for item in old}
    for position, item in enumerate(value):
        if item.get(field.key) not in old_keys:
            yield forbidden_field(path.index(position), "item may not be added")
    keys = {item.get(field.key) for item in value}
    for item in old:
        if item.get(field.key) not in keys:
            yield forbidden_field(path, "item may not be removed")


def _list(walk: _Walk, field: Field, path: Path, value: list[Any], old: list[Any]) -> Errors:
    if field.struct is None:
        return
    old_items: Mapping[Any, JsonObject] = {}
    if field.key:
        yield from _unique(field.struct, field.key, path, value)
        old_items = {item.get(field.key): item for item in reversed(old)}
    for position, item in enumerate(value):
        old_item = old_items.get(item.get(field.key)) if field.key else None
        if walk.updating and old_item is not None and same(item, old_item):
            continue
        yield from _struct(walk, field.struct, path.index(position), item, old_item)


def _unique(rules: Struct, key: str, path: Path, items: list[Any]) -> Errors:
    seen = set()
    for position, item in enumerate(items):
        if item.get(key) in seen:
            yield duplicate(path.index(position), shown(rules, item))
        seen.add(item.get(key))


def _plain(field: Field, path: Path, value: Any) -> Errors:
    if field.text is not None:
        yield from matching(path, value, field.text)
    if field.minimum is not None and value < field.minimum:
        yield invalid_value(path, value, f"must be greater than or equal to {field.minimum}")
    if field.maximum is not None and value > field.maximum:
        yield invalid_value(path, value, f"must be less than or equal to {field.maximum}")
    if field.allowed:
        yield from one_of(path, value, field.allowed)


def _value(field: Field, obj: JsonObject) -> Any:
    value = obj.get(field.name)
    if value is None and field.struct is not None and not field.pointer and not field.is_list:
        return {}
    return value


def _is_unset(field: Field, value: Any) -> bool:
    if value is None or value == []:
        return True
    return not field.pointer and field.struct is None and not value


def _is_empty(value: Any) -> bool:
    return value is None or value in ([], "")


def _unexplained(path: Path, detail: str) -> FieldError:
    """Report a refused change; upstream shows no value in these."""
    return invalid_value(path, None, detail)
