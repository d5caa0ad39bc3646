"""A pod template as Go prints it for hashing: every field, with its name and its type.

The form is that of go-spew's ``%#v`` without addresses and methods, map keys sorted, of the
value that kube-controller-manager gets: it comes as protobuf, which knows no empty lists and
maps. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

import msgspec

from kubegang.apimachinery.schema import Schema
from kubegang.controllers.hashing.goquantity import quantity_dump
from kubegang.controllers.hashing.gotypes import TYPES

NIL = "<nil>"

_LEADING_CAPITALS = re.compile(r"[A-Z]+")

_ZEROS = {"string": "", "bool": "false", "int32": "0", "int64": "0"}

_RESOURCES = "ResourceList"

# A template's times are never set.
_NO_TIME = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"

# What a schema says of members that stand in the parent itself is in the parent's schema.
_EMPTY: Mapping[str, Any] = {}


class _Field(msgspec.Struct, frozen=True):
    """A field of a Go struct; an empty ``wire`` means that its members stand in the parent."""

    name: str
    wire: str
    type: str


def dump_template(template: Mapping[str, Any], schema: Schema) -> str:
    """Return what a template is hashed by.

    Args:
        template: the template as the API server returns it.
        schema: the structure of pod templates in the release: what it does not declare is
            not printed.
    """
    return "(v1.PodTemplateSpec)" + _dump("PodTemplateSpec", template, schema)


def _dump(go_type: str, value: Any, schema: Schema | None) -> str:
    if go_type.startswith("*"):
        return NIL if value is None else _dump(go_type[1:], value, schema)
    if go_type.startswith("[]"):
        items = schema.items if schema is not None else None
        parts = [_dump(go_type[2:], item, items) for item in value or ()]
        return f"[{' '.join(parts)}]" if parts else NIL
    if go_type.startswith("map[string]") or go_type == _RESOURCES:
        return _map(value or _EMPTY, is_quantities=go_type == _RESOURCES)
    if go_type in _structs():
        return _struct(go_type, value or _EMPTY, schema)
    return _plain(go_type, value)


def _map(value: Mapping[str, Any], *, is_quantities: bool) -> str:
    if not value:
        return NIL
    dump = quantity_dump if is_quantities else str
    return f"map[{' '.join(f'{key}:{dump(value[key])}' for key in sorted(value))}]"


def _struct(name: str, value: Mapping[str, Any], schema: Schema | None) -> str:
    parts = []
    for field in _structs()[name]:
        inner, member = schema, cast(Any, value)
        if field.wire:
            if schema is not None and field.wire not in schema.fields:
                continue
            inner = schema.fields[field.wire] if schema is not None else None
            member = value.get(field.wire)
        parts.append(f"{field.name}:({_qualified(field.type)}){_dump(field.type, member, inner)}")
    return "{" + " ".join(parts) + "}"


def _plain(go_type: str, value: Any) -> str:
    if go_type == "Time":
        return _NO_TIME
    if go_type == "resource.Quantity":
        return quantity_dump(value if value is not None else "0")
    if go_type == "intstr.IntOrString":
        return _int_or_string(value if value is not None else 0)
    if value is None:
        return _ZEROS.get(go_type, "")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _int_or_string(value: int | str) -> str:
    number, text = (0, value) if isinstance(value, str) else (value, "")
    kind = int(isinstance(value, str))
    return "{" + f"Type:(intstr.Type){kind} IntVal:(int32){number} StrVal:(string){text}" + "}"


@cache
def _qualified(go_type: str) -> str:
    """Return a type as Go prints it: ``[]v1.Volume`` for ``[]Volume``."""
    base = go_type.lstrip("*[]")
    if go_type.startswith("map") or not base[0].isupper():
        return go_type
    return f"{go_type[: len(go_type) - len(base)]}v1.{base}"


@cache
def _structs() -> Mapping[str, tuple[_Field, ...]]:
    found: dict[str, list[_Field]] = {}
    fields: list[_Field] = []
    for line in TYPES.strip().splitlines():
        if not line.startswith(" "):
            fields = found[line] = []
            continue
        fields += [_field(entry) for entry in line.split()]
    return {name: tuple(members) for name, members in found.items()}


def _field(entry: str) -> _Field:
    name, _, go_type = entry.partition(":")
    go_name, equals, wire = name.partition("=")
    return _Field(go_name, wire if equals else _wire_name(go_name), go_type)


def _wire_name(go_name: str) -> str:
    """Return a Go name with its first word in lower case: ``dnsPolicy`` for ``DNSPolicy``."""
    match = _LEADING_CAPITALS.match(go_name)
    capitals = len(match.group()) if match else 0
    if 1 < capitals < len(go_name):
        capitals -= 1
    return go_name[:capitals].lower() + go_name[capitals:]
