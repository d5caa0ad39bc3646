"""The message ``cel.expr.ParsedExpr``, read from its bytes.

Field numbers are those of the public message definitions. Pure.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any


def read_parsed(data: bytes) -> tuple[dict[str, Any], dict[int, int]]:
    """Return the tree of a packed ParsedExpr, and the offset of each node in the text."""
    message = _one(data, 2)
    return _expression(_one(message, 2)), _offsets(_one(message, 3))


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value: Any
            value, position = _varint(data, position)
        elif kind == 1:
            value, position = data[position : position + 8], position + 8
        else:
            size, position = _varint(data, position)
            value, position = data[position : position + size], position + size
        yield number, value


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def _one(data: bytes, wanted: int) -> bytes:
    found = b""
    for number, value in _fields(data):
        if number == wanted:
            found = value
    return found


def _offsets(data: bytes) -> dict[int, int]:
    offsets: dict[int, int] = {}
    for number, value in _fields(data):
        if number == 4:
            entry = dict(_fields(value))
            offsets[entry.get(1, 0)] = entry.get(2, 0)
    return offsets


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _expression(data: bytes) -> dict[str, Any]:
    ident, kind, body = 0, 0, b""
    for number, value in _fields(data):
        if number == 2:
            ident = value
        else:
            kind, body = number, value
    read = _READERS.get(kind)
    if read is None:
        return {"kind": "ident", "id": ident, "name": ""}
    return {"id": ident, **read(body)}


def _constant(data: bytes) -> dict[str, Any]:
    for number, value in _fields(data):
        match number:
            case 2:
                return {"kind": "const", "type": "bool", "value": bool(value)}
            case 3:
                signed = value - 2**64 if value >= 2**63 else value
                return {"kind": "const", "type": "int", "value": signed}
            case 4:
                return {"kind": "const", "type": "uint", "value": value}
            case 5:
                return {"kind": "const", "type": "double", "value": struct.unpack("<d", value)[0]}
            case 6:
                return {"kind": "const", "type": "string", "value": _text(value)}
            case 7:
                return {"kind": "const", "type": "bytes", "value": bytes(value)}
    return {"kind": "const", "type": "null", "value": None}


def _ident(data: bytes) -> dict[str, Any]:
    return {"kind": "ident", "name": _text(_one(data, 1))}


def _select(data: bytes) -> dict[str, Any]:
    found = dict(_fields(data))
    return {
        "kind": "select",
        "operand": _expression(found.get(1, b"")),
        "field": _text(found.get(2, b"")),
        "test": bool(found.get(3, 0)),
    }


def _call(data: bytes) -> dict[str, Any]:
    target, name, args = None, "", []
    for number, value in _fields(data):
        if number == 1:
            target = _expression(value)
        elif number == 2:
            name = _text(value)
        elif number == 3:
            args.append(_expression(value))
    return {"kind": "call", "function": name, "target": target, "args": args}


def _list(data: bytes) -> dict[str, Any]:
    elements, optional = [], []
    for number, value in _fields(data):
        if number == 1:
            elements.append(_expression(value))
        elif isinstance(value, bytes):
            position = 0
            while position < len(value):
                index, position = _varint(value, position)
                optional.append(index)
        else:
            optional.append(value)
    return {"kind": "list", "elements": elements, "optional": optional}


def _struct(data: bytes) -> dict[str, Any]:
    name = ""
    entries: list[tuple[dict[str, Any], dict[str, Any]]] = []
    optional: list[int] = []
    for number, value in _fields(data):
        if number == 1:
            name = _text(value)
        elif number == 2:
            entry = dict(_fields(value))
            if entry.get(5):
                optional.append(len(entries))
            entries.append((_expression(entry.get(3, b"")), _expression(entry.get(4, b""))))
    if name:
        return {"kind": "struct", "name": name}
    return {"kind": "map", "entries": entries, "optional": optional}


def _fold(data: bytes) -> dict[str, Any]:
    found = dict(_fields(data))
    return {
        "kind": "fold",
        "first": _text(found.get(1, b"")),
        "range": _expression(found.get(2, b"")),
        "accumulator": _text(found.get(3, b"")),
        "init": _expression(found.get(4, b"")),
        "condition": _expression(found.get(5, b"")),
        "step": _expression(found.get(6, b"")),
        "result": _expression(found.get(7, b"")),
        "second": _text(found.get(8, b"")),
    }


_READERS = {3: _constant, 4: _ident, 5: _select, 6: _call, 7: _list, 8: _struct, 9: _fold}
