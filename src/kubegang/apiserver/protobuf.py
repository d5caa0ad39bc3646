"""Protobuf request bodies, decoded to the JSON that the same client could have sent.

Go clients, kubectl among them, send bodies in Kubernetes' protobuf envelope and have no other
form to fall back to. Answers may be JSON, so this module only reads. What the numbers on the
wire mean stands in ``protobuf_fields.json``, which ``scripts/generate_protobuf_fields.py``
writes: per message the rows (number, JSON name, type, presence). Types are ``string``, ``int``,
``bool``, ``double``, ``bytes``, ``quantity``, ``int-or-string``, ``json``, ``time``,
``micro-time``, or a message, behind ``list:``, ``map:`` (string keys) or ``wrapped:`` (a
message that only holds a list). ``schema-or-…`` are members of a custom kind's schema that are
a schema or something simpler.

Pure: no clock, no I/O but the one read of the table.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple

import msgspec

from kubegang.apimachinery.errors import BadRequestError, UnsupportedMediaTypeError
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.apiserver.protowire import (
    READERS,
    ZERO,
    Wire,
    WireError,
    pairs,
    read_bytes,
    read_string,
    varint,
)

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
MAGIC = b"k8s\x00"

SCHEMA = "apiextensions.v1.JSONSchemaProps"
"""The message that describes custom objects."""

MAX_DEPTH = 100
"""Deeper messages are refused: no kind nests further, and the reader calls itself."""

Presence = Literal["nonzero", "always", "pointer", "inline"]
"""When a field appears in JSON.

Go writes every field that is no pointer to the wire, set or not. ``nonzero`` leaves out zero
values, as omitempty does; ``always`` keeps them; ``pointer`` keeps whatever is on the wire;
``inline`` puts the members of a message into the message around it.
"""


class Field(NamedTuple):
    """One field of a message."""

    json_name: str
    kind: str
    presence: Presence


class Fields(msgspec.Struct, frozen=True):
    """The table: ``apiVersion/Kind`` to message name, and the messages."""

    kinds: dict[str, str]
    messages: dict[str, list[tuple[int, str, str, Presence]]]


def decode_protobuf(body: bytes, *, expected: str) -> JsonObject:
    """Return the object in an enveloped body, with its apiVersion and kind.

    Args:
        body: the request's body as received.
        expected: the kind that the path asks for, named in error texts.

    Raises:
        BadRequestError: no envelope, broken bytes, or a kind that does not exist.
        UnsupportedMediaTypeError: the path's own kind is not in the table.
    """
    if not body.startswith(MAGIC):
        magic = " ".join(str(byte) for byte in MAGIC)
        raise BadRequestError(
            f"the object provided is unrecognized (must be of type {expected}): provided data "
            f"does not appear to be a protobuf message, expected prefix [{magic}] "
            f"({_summary(body)})"
        )
    kind = version = ""
    try:
        type_meta, raw = _envelope(body[len(MAGIC) :])
        kind, version = type_meta.get("kind", ""), type_meta.get("apiVersion", "")
        message = _message_of(version, kind, expected)
        decoded = _message(raw, message, 0)
    except WireError as error:
        raise _refusal(version, kind or expected, expected, str(error)) from error
    return {"apiVersion": version, "kind": kind, **decoded}


def _message_of(api_version: str, kind: str, expected: str) -> str:
    kinds = load_fields().kinds
    # Delete options are sent under the group and version of what is deleted.
    name = kinds.get(kind) or kinds.get(f"{api_version}/{kind}")
    if name is not None:
        return name
    if kind == expected:
        raise UnsupportedMediaTypeError(
            f"{MEDIA_TYPE} is not understood for {kind} in version {api_version!r}: "
            "send application/json"
        )
    why = f'no kind "{kind}" is registered for version "{api_version}" in scheme'
    raise _refusal(api_version, kind, expected, why)


def _refusal(api_version: str, kind: str, expected: str, why: str) -> BadRequestError:
    version = GroupVersion.parse(api_version).version
    return BadRequestError(
        f'{kind} in version "{version}" cannot be handled as a {expected}: {why}'
    )


def _summary(body: bytes, length: int = 30) -> str:
    """Return the start of a body as upstream's error texts show it: JSON as it is, else hex."""
    if not body:
        return "<empty>"
    start = body[:length]
    text = start.decode(errors="replace") if body.startswith(b"{") else start.hex()
    return text if len(body) <= length else f"{text} ..."


@cache
def load_fields() -> Fields:
    """Return the table; read once."""
    data = resources.files("kubegang.apiserver").joinpath("protobuf_fields.json").read_bytes()
    return msgspec.json.decode(data, type=Fields)


@cache
def _fields(message: str) -> dict[int, Field]:
    return {row[0]: Field(*row[1:]) for row in load_fields().messages[message]}


def _envelope(body: bytes) -> tuple[dict[str, str], memoryview]:
    """Return the type (apiVersion, kind) and the object's bytes."""
    type_meta: dict[str, str] = {}
    raw = memoryview(b"")
    for number, value in pairs(memoryview(body)):
        if number == 1:
            for inner, text in pairs(read_bytes(value)):
                type_meta["apiVersion" if inner == 1 else "kind"] = read_string(text)
        elif number == 2:
            raw = read_bytes(value)
    return type_meta, raw


def _message(data: memoryview, name: str, depth: int) -> JsonObject:
    """Return a message as JSON."""
    if depth > MAX_DEPTH:
        raise WireError("proto: messages are nested too deeply")
    fields = _fields(name)
    result: JsonObject = {
        field.json_name: ZERO[field.kind]
        for field in fields.values()
        if field.presence == "always" and field.kind in ZERO
    }
    for number, value in pairs(data):
        # A field that the table does not have belongs to a newer release: ignored, as by Go.
        if (field := fields.get(number)) is not None:
            _put(result, field, value, depth)
    return result


def _put(result: JsonObject, field: Field, wire: Wire, depth: int) -> None:
    """Add one wire value to the object."""
    shape, _, item = field.kind.partition(":")
    if shape == "list":
        result.setdefault(field.json_name, []).extend(_items(item, wire, depth))
    elif shape == "map":
        key, value = _entry(item, read_bytes(wire), depth)
        result.setdefault(field.json_name, {})[key] = value
    elif field.presence == "inline":
        result.update(_message(read_bytes(wire), field.kind, depth + 1))
    else:
        value = _value(field.kind, wire, depth)
        if field.presence == "nonzero" and (value is None or value == ZERO.get(field.kind)):
            return
        result[field.json_name] = value


def _items(item: str, wire: Wire, depth: int) -> list[Any]:
    """Return one list item, or several numbers packed into one value."""
    if item in {"int", "bool"} and isinstance(wire, memoryview):
        items, at = [], 0
        while at < len(wire):
            number, at = varint(wire, at)
            items.append(_value(item, number, depth))
        return items
    return [_value(item, wire, depth)]


def _entry(item: str, data: memoryview, depth: int) -> tuple[str, Any]:
    """Return one map entry: a message of a key (1) and a value (2)."""
    key = ""
    value = _value(item, 0 if item in {"int", "bool"} else memoryview(b""), depth)
    for number, wire in pairs(data):
        if number == 1:
            key = read_string(wire)
        elif number == 2:
            value = _value(item, wire, depth)
    return key, value


def _value(kind: str, wire: Wire, depth: int) -> Any:
    """Return one value as JSON has it."""
    reader = READERS.get(kind)
    if reader is not None:
        return reader(wire)
    if kind.startswith("wrapped:"):
        items: list[Any] = []
        for _, inner in pairs(read_bytes(wire)):
            items += _items(kind.removeprefix("wrapped:list:"), inner, depth)
        return items
    if kind.startswith("schema-or-"):
        return _schema_or_simpler(kind, wire, depth)
    return _message(read_bytes(wire), kind, depth + 1)


def _schema_or_simpler(kind: str, wire: Wire, depth: int) -> Any:
    """Return what a message with a schema, or with something in its place, says.

    ``schema-or-bool`` has the simpler form as field 1 and the schema as 2, the others the
    schema as 1 and a list as 2.
    """
    if kind == "schema-or-bool":
        allows: Any = False
        for number, inner in pairs(read_bytes(wire)):
            allows = _value("bool" if number == 1 else SCHEMA, inner, depth)
        return allows
    schema: Any = None
    simpler: list[Any] = []
    item = "string" if kind == "schema-or-strings" else SCHEMA
    for number, inner in pairs(read_bytes(wire)):
        if number == 1:
            schema = _value(SCHEMA, inner, depth)
        elif number == 2:
            simpler += _items(item, inner, depth)
    return simpler or schema
