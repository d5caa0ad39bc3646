"""The older OpenAPI v2 document: definitions only, as JSON and as protobuf.

kubectl checks fields on the server where it can, but still reads this document, in protobuf,
for what is no kind of the server: files of ``kind: List``, and kinds that do not exist. Old
kubectl explains from it. It has no paths; nobody looks for them where v3 is served.

The numbers below are those of the public gnostic messages (``openapi.v2.Document``).

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.openapi_schemas import REFERENCE_PREFIX

PROTOBUF_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

_PREFIX = "#/definitions/"

# Fields of the message Schema.
_REF, _FORMAT, _DESCRIPTION, _REQUIRED, _ENUM = 1, 2, 4, 19, 20
_ADDITIONAL, _TYPE, _ITEMS, _PROPERTIES, _EXTENSION = 21, 22, 23, 25, 31

# Named values that v2 can only call texts.
_TEXTS: dict[str, JsonObject] = {
    "int-or-string": {"type": "string", "format": "int-or-string"},
    "": {"type": "string"},
}


def document_v2(schemas: Mapping[str, JsonObject], *, version: str) -> JsonObject:
    """Return the document as JSON, from schemas as v3 has them."""
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": version},
        "paths": {},
        "definitions": {name: _older(schema) for name, schema in schemas.items()},
    }


def encode_v2(document: JsonObject) -> bytes:
    """Return the document as protobuf."""
    info = document["info"]
    definitions = b"".join(
        _field(1, _named(name, _schema(schema))) for name, schema in document["definitions"].items()
    )
    return b"".join(
        (
            _field(1, document["swagger"]),
            _field(2, _field(1, info["title"]) + _field(2, info["version"])),
            _field(8, b""),
            _field(9, definitions),
        )
    )


def _older(schema: JsonObject) -> JsonObject:
    """Return a v3 schema, or a part of one, as v2 spells it."""
    if "oneOf" in schema:
        return {**_described(schema), **_TEXTS[schema.get("format", "")]}
    older: JsonObject = {}
    for key, value in schema.items():
        if key == "allOf":
            older |= _older(value[0])
        elif key == "$ref":
            older["$ref"] = value.replace(REFERENCE_PREFIX, _PREFIX)
        elif key in ("items", "additionalProperties"):
            older[key] = _older(value)
        elif key == "properties":
            older[key] = {name: _older(inner) for name, inner in value.items()}
        else:
            older[key] = value
    return older


def _described(schema: JsonObject) -> JsonObject:
    return {"description": schema["description"]} if "description" in schema else {}


def _schema(schema: JsonObject) -> bytes:
    """Return a v2 schema as the message Schema."""
    parts: list[bytes] = []
    for key, value in schema.items():
        if key in _SIMPLE:
            parts.append(_field(_SIMPLE[key], value))
        elif key == "required":
            parts += [_field(_REQUIRED, name) for name in value]
        elif key == "enum":
            parts += [_field(_ENUM, _any(word)) for word in value]
        elif key == "type":
            parts.append(_field(_TYPE, _field(1, value)))
        elif key in ("items", "additionalProperties"):
            number = _ITEMS if key == "items" else _ADDITIONAL
            parts.append(_field(number, _field(1, _schema(value))))
        elif key == "properties":
            inner = (_field(1, _named(name, _schema(one))) for name, one in value.items())
            parts.append(_field(_PROPERTIES, b"".join(inner)))
        else:
            parts.append(_field(_EXTENSION, _named(key, _any(value))))
    return b"".join(parts)


_SIMPLE = {"$ref": _REF, "format": _FORMAT, "description": _DESCRIPTION}


def _named(name: str, value: bytes) -> bytes:
    return _field(1, name) + _field(2, value)


def _any(value: object) -> bytes:
    """Return a free value as the message Any, whose YAML may as well be JSON."""
    return _field(2, msgspec.json.encode(value))


def _field(number: int, value: bytes | str) -> bytes:
    """Return one field whose value has a length."""
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
