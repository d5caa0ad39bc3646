"""Objects in the form in which the API server writes them.

Upstream decodes every request into a Go struct and encodes it again, so that what a client
reads back is not what it sent: empty members are gone or, where Go has no ``omitempty``,
are there although nobody sent them; quantities, times and base64 have their one canonical
text. The facts tables say which member behaves how; the rules here were compared with
kube-apiserver 1.37.2.

A null or a zero that means "unset" is dropped, so bring an object to this form as soon as
it is decoded: defaulting then sees what Go's defaulting sees. Do it again before it is
stored, for the members that a default or an admission step added.
"""

from __future__ import annotations

import base64
import binascii
from functools import cache
from typing import Any

from kubegang.api.facts import RELEASES, load_facts
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.quantity import Quantity, QuantityError
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.times import ZERO_TIME, normalize_micro_time, normalize_time

_ABSENT = object()
_NUMBERS = frozenset({"integer", "number", "boolean", "int-or-string"})
_FORMATS = frozenset({"quantity", "date-time", "micro-time", "byte"})
"""Texts that can be written in more than one way."""


def canonicalize(obj: JsonObject, gvk: GroupVersionKind) -> None:
    """Bring an object to upstream's serialised form, in place.

    A kind that no facts table has, such as a custom resource, is left as it is.
    """
    schema = _schema_of(gvk)
    if schema is not None:
        _clean_object(obj, schema)


def canonicalize_as(obj: JsonObject, schema: Schema) -> None:
    """Bring a part of an object to the serialised form of a known structure, in place."""
    _clean_object(obj, schema)


@cache
def _schema_of(gvk: GroupVersionKind) -> Schema | None:
    # Members that releases share behave alike, so the newest that knows a kind will do.
    for release in RELEASES:
        try:
            return load_facts(release).kind(gvk)
        except KeyError:
            continue
    return None


def _clean_object(obj: JsonObject, schema: Schema) -> None:
    for name, found in list(obj.items()):
        member = schema.fields.get(name)
        if member is None or (found and _is_written_as_it_is(member)):
            continue
        value = _clean_member(found, name, schema, member)
        if value is _ABSENT:
            del obj[name]
        else:
            obj[name] = value
    for name in schema.always_written:
        if name not in obj:
            obj[name] = _zero(schema.fields[name])
    for name in schema.written_as_null:
        obj.setdefault(name, None)


def _is_written_as_it_is(schema: Schema) -> bool:
    """Return whether any value that is not empty is canonical; most members are so."""
    if schema.type == "string":
        return schema.format not in _FORMATS
    return schema.type in _NUMBERS


def _clean_member(value: Any, name: str, parent: Schema, schema: Schema) -> Any:
    """Return what is written for a member, or ``_ABSENT``."""
    if value is None:
        return _ABSENT
    cleaned = _clean(value, schema)
    if cleaned is None or (not cleaned and _is_dropped_when_empty(schema)):
        return _ABSENT
    if schema.type in {"string", "integer", "number", "boolean"} and not cleaned:
        kept = name in parent.keeps_zero or name in parent.always_written
        return cleaned if kept else _ABSENT
    return cleaned


def _is_dropped_when_empty(schema: Schema) -> bool:
    # Storing an object as protobuf loses the difference between empty and missing.
    return schema.type in {"array", "map"} or schema.format == "byte"


def _clean(value: Any, schema: Schema) -> Any:
    """Return the canonical form of a value; one of the wrong type stays for others to refuse."""
    match schema.type:
        case "object" if isinstance(value, dict):
            _clean_object(value, schema)
        case "array" if isinstance(value, list) and schema.items is not None:
            return [_clean_item(item, schema.items) for item in value]
        case "map" if isinstance(value, dict) and schema.items is not None:
            return {key: _clean_item(item, schema.items) for key, item in value.items()}
        case "string":
            return _clean_text(value, schema.format)
    return value


def _clean_item(value: Any, schema: Schema) -> Any:
    # Go has no way to leave out an item, so a null becomes the zero of its type.
    return _zero(schema) if value is None else _clean(value, schema)


def _clean_text(value: Any, text_format: str) -> Any:
    try:
        match text_format:
            case "quantity":
                return Quantity.parse(value).canonical()
            case "date-time":
                text = normalize_time(value)
                return None if text == ZERO_TIME else text
            case "micro-time":
                return normalize_micro_time(value)
            case "byte":
                # Line breaks are the only thing that Go's decoder overlooks.
                data = value.replace("\n", "").replace("\r", "")
                return base64.b64encode(base64.b64decode(data, validate=True)).decode()
    except (QuantityError, ValueError, TypeError, binascii.Error):
        # Decoding refuses it with upstream's text; here it is none of our business.
        return value
    return value


def _zero(schema: Schema) -> Any:
    """Return what Go writes for the zero value of a type."""
    match schema.type:
        case "object":
            empty: JsonObject = {}
            _clean_object(empty, schema)
            return empty
        case "string":
            # A zero Time writes itself as null, a zero Quantity as "0".
            return {"quantity": "0", "date-time": None, "micro-time": None}.get(schema.format, "")
        case "integer" | "number" | "int-or-string":
            return 0
        case "boolean":
            return False
        case _:
            return None
