"""Protobuf's wire format, and the Kubernetes values that have a form of their own in JSON.

A message is a run of (number, value) pairs; what the numbers mean is the business of
``protobuf.py``. Quantities, times, int-or-string and raw JSON are small messages on the wire
and plain values in JSON.

Pure: no clock, no I/O.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

Wire = int | memoryview
"""A value as it stands on the wire: a number, or the bytes of anything else."""


class WireError(ValueError):
    """Bytes that are no message of the expected form."""


def varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return the number at a position, and the position behind it."""
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise WireError("unexpected EOF" if at >= len(data) else "proto: integer overflow")


def pairs(data: memoryview) -> Iterator[tuple[int, Wire]]:
    """Yield each field's number with its value: a number, or the bytes of anything else."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == 0:
            value, at = varint(data, at)
            yield number, value
            continue
        if wire_type == 2:
            size, at = varint(data, at)
        elif wire_type in _FIXED_SIZES:
            size = _FIXED_SIZES[wire_type]
        else:
            raise WireError(f"proto: illegal wireType {wire_type}")
        if at + size > len(data):
            raise WireError("unexpected EOF")
        yield number, data[at : at + size]
        at += size


_FIXED_SIZES = {1: 8, 5: 4}


def read_bytes(wire: Wire) -> memoryview:
    """Return the bytes of a value that must not be a number."""
    if isinstance(wire, int):
        raise WireError("proto: wrong wireType = 0")
    return wire


def _number(wire: Wire) -> int:
    """Return a signed 64-bit number; negative ones are ten bytes of two's complement."""
    if not isinstance(wire, int):
        raise WireError("proto: wrong wireType = 2")
    return wire - (1 << 64) if wire >= 1 << 63 else wire


def read_string(wire: Wire) -> str:
    """Return a text; Go does not check that it is UTF-8, so broken bytes are replaced."""
    return bytes(read_bytes(wire)).decode(errors="replace")


def _double(wire: Wire) -> float:
    data = read_bytes(wire)
    if len(data) != 8:
        raise WireError("unexpected EOF")
    number: float = struct.unpack("<d", data)[0]
    return number


def _numbered(wire: Wire) -> dict[int, Wire]:
    return dict(pairs(read_bytes(wire)))


def _int_or_string(wire: Wire) -> int | str:
    """Read {1: which of the two, 2: number, 3: text}."""
    fields = _numbered(wire)
    return (
        read_string(fields.get(3, memoryview(b""))) if fields.get(1) else _number(fields.get(2, 0))
    )


def _quantity(wire: Wire) -> str:
    return read_string(_numbered(wire).get(1, memoryview(b"0"))) or "0"


def _json(wire: Wire) -> Any:
    """Read {1: JSON text}, as RawExtension and FieldsV1 carry it."""
    text = read_bytes(_numbered(wire).get(1, memoryview(b"")))
    try:
        return msgspec.json.decode(text) if text else None
    except msgspec.DecodeError as error:
        raise WireError(str(error)) from error


def _moment(wire: Wire) -> datetime | None:
    """Read {1: seconds, 2: nanoseconds}; an empty message is Go's zero time."""
    fields = _numbered(wire)
    if not fields:
        return None
    micros = _number(fields.get(2, 0)) // 1000
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
            seconds=_number(fields.get(1, 0)), microseconds=micros
        )
    except OverflowError as error:
        raise WireError("proto: time out of range") from error


def _time(wire: Wire) -> str | None:
    moment = _moment(wire)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def _micro_time(wire: Wire) -> str | None:
    moment = _moment(wire)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if moment else None


READERS: dict[str, Callable[[Wire], Any]] = {
    "string": read_string,
    "int": _number,
    "bool": lambda wire: _number(wire) != 0,
    "double": _double,
    "bytes": lambda wire: base64.b64encode(read_bytes(wire)).decode(),
    "quantity": _quantity,
    "int-or-string": _int_or_string,
    "json": _json,
    "time": _time,
    "micro-time": _micro_time,
}

ZERO: dict[str, Any] = {
    "string": "",
    "int": 0,
    "bool": False,
    "double": 0.0,
    "bytes": "",
    "time": None,
    "micro-time": None,
}
