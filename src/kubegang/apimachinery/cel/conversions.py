"""Conversions between types, with cel-go's texts where there is none. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final

from kubegang.apimachinery.cel.moments import MomentError, format_timestamp, parse_timestamp
from kubegang.apimachinery.cel.operators import integer, unsigned
from kubegang.apimachinery.cel.runtime import (
    INT64,
    UINT64,
    Cidr,
    Duration,
    EvalError,
    Ip,
    Timestamp,
    TypeValue,
    UInt,
    no_overload,
    type_name,
)
from kubegang.apimachinery.godurations import (
    NANOSECONDS,
    DurationError,
    parse_go_duration,
)
from kubegang.apimachinery.gotext import go_plain

_TRUE: Final = ("true", "TRUE", "True", "t", "1")
_FALSE: Final = ("false", "FALSE", "False", "f", "0")


def _impossible(value: Any, wanted: str) -> EvalError:
    return EvalError(f"type conversion error from '{type_name(value)}' to '{wanted}'")


def to_bool(value: Any) -> bool:
    """Return a truth value or a word for one."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in (*_TRUE, *_FALSE):
        return value in _TRUE
    raise _impossible(value, "bool")


def to_int(value: Any) -> int:
    """Return a signed integer from a number, a text, a timestamp or a duration."""
    if isinstance(value, bool):
        raise _impossible(value, "int")
    if isinstance(value, Timestamp):
        return value.nanoseconds // NANOSECONDS
    if isinstance(value, Duration):
        return value.nanoseconds
    if isinstance(value, int):
        return integer(int(value))
    if isinstance(value, float):
        if not math.isfinite(value) or int(value) not in INT64:
            raise EvalError("integer overflow")
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]+", value) and int(value) in INT64:
        return int(value)
    raise _impossible(value, "int")


def to_uint(value: Any) -> UInt:
    """Return an unsigned integer from a number or a text."""
    if isinstance(value, bool):
        raise _impossible(value, "uint")
    if isinstance(value, int):
        return unsigned(int(value))
    if isinstance(value, float):
        if not math.isfinite(value) or int(value) not in UINT64:
            raise EvalError("unsigned integer overflow")
        return UInt(int(value))
    if isinstance(value, str) and re.fullmatch(r"[0-9]+", value) and int(value) in UINT64:
        return UInt(int(value))
    raise _impossible(value, "uint")


def to_double(value: Any) -> float:
    """Return a float from a number or a text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and re.fullmatch(
        r"[+-]?[0-9.eE+-]+|[+-]?(?i:inf|infinity|nan)", value
    ):
        try:
            return float(value)
        except ValueError:
            pass
    raise _impossible(value, "double")


def to_string(value: Any) -> str:
    """Return the text of a value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise EvalError("invalid UTF-8 in bytes, cannot convert to string") from error
    if isinstance(value, bool | int | float):
        return go_plain(value)
    if isinstance(value, Timestamp):
        return format_timestamp(value.nanoseconds)
    if isinstance(value, Duration):
        return _seconds_text(value.nanoseconds)
    if isinstance(value, Ip):
        return str(value.address)
    if isinstance(value, Cidr):
        return str(value.interface)
    raise _impossible(value, "string")


def _seconds_text(nanoseconds: int) -> str:
    sign = "-" if nanoseconds < 0 else ""
    seconds, rest = divmod(abs(nanoseconds), NANOSECONDS)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{sign}{seconds}{fraction}s"


def to_bytes(value: Any) -> bytes:
    """Return the bytes of a text."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    raise _impossible(value, "bytes")


def to_duration(value: Any) -> Duration:
    """Return a duration from Go's form of it, or from nanoseconds."""
    if isinstance(value, Duration):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Duration(value)
    if isinstance(value, str):
        try:
            return Duration(parse_go_duration(value))
        except DurationError as error:
            raise _impossible(value, "google.protobuf.Duration") from error
    raise _impossible(value, "google.protobuf.Duration")


def to_timestamp(value: Any) -> Timestamp:
    """Return a timestamp from RFC 3339, or from seconds."""
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Timestamp(value * NANOSECONDS)
    if isinstance(value, str):
        try:
            return Timestamp(parse_timestamp(value))
        except MomentError as error:
            raise _impossible(value, "google.protobuf.Timestamp") from error
    raise _impossible(value, "google.protobuf.Timestamp")


def type_of(value: Any) -> TypeValue:
    """Return the type of a value."""
    if value is None and not isinstance(value, TypeValue):
        return TypeValue("null_type")
    return TypeValue(type_name(value))


def as_text(value: Any) -> str:
    """Return a text.

    Raises:
        EvalError: it is none.
    """
    if not isinstance(value, str):
        raise no_overload()
    return value


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "dyn": lambda value: value,
    "type": type_of,
    "bool": to_bool,
    "int": to_int,
    "uint": to_uint,
    "double": to_double,
    "string": to_string,
    "bytes": to_bytes,
    "duration": to_duration,
    "timestamp": to_timestamp,
}
