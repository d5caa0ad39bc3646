"""``'%s has %d'.format([…])``: the verbs of cel-go's string extension. Pure."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from kubegang.apimachinery.cel.moments import format_timestamp
from kubegang.apimachinery.cel.runtime import (
    Duration,
    EvalError,
    Optional,
    Timestamp,
    TypeValue,
    is_number,
    type_name,
)
from kubegang.apimachinery.godurations import NANOSECONDS
from kubegang.apimachinery.gotext import go_plain

_CLAUSE: Final = re.compile(r"%(?:%|(?:\.(\d+))?([a-zA-Z]))|%")


def format_text(template: Any, values: Any) -> str:
    """Return a template with values in the place of its clauses.

    Raises:
        EvalError: a clause is malformed, or has no value that it could show.
    """
    if not isinstance(template, str):
        raise EvalError("no such overload")
    waiting = iter(enumerate(values))

    def replaced(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        if found[2] is None:
            raise EvalError(
                "unexpected end of string"
                if found.end() == len(template)
                else "could not parse formatting clause: unrecognized formatting clause "
                f'"{template[found.end()]}"'
            )
        position, value = next(waiting, (-1, None))
        if position < 0:
            raise EvalError(f"index {len(values)} out of range")
        return _shown(found[2], value, int(found[1]) if found[1] else None)

    return _CLAUSE.sub(replaced, template)


def _shown(verb: str, value: Any, precision: int | None) -> str:
    match verb:
        case "s":
            return text_of(value)
        case "d":
            if isinstance(value, float) and not math.isfinite(value):
                return _special(value)
            if is_number(value) and not isinstance(value, float):
                return str(int(value))
            raise _refused("decimal clause", "integers", value)
        case "f" | "e":
            return _float(verb, value, 6 if precision is None else precision)
        case "b":
            if isinstance(value, bool):
                return "1" if value else "0"
            if is_number(value) and not isinstance(value, float):
                return format(int(value), "b")
            raise _refused("binary clause", "integers and bools", value)
        case "x" | "X" | "o":
            return _other_base(verb, value)
    raise EvalError(f'could not parse formatting clause: unrecognized formatting clause "{verb}"')


def _float(verb: str, value: Any, precision: int) -> str:
    if not is_number(value):
        raise _refused(
            "fixed-point clause" if verb == "f" else "scientific clause", "doubles", value
        )
    number = float(value)
    return format(number, f".{precision}{verb}") if math.isfinite(number) else _special(number)


def _other_base(verb: str, value: Any) -> str:
    if is_number(value) and not isinstance(value, float):
        return format(int(value), verb)
    if verb != "o" and isinstance(value, str | bytes):
        data = value.encode() if isinstance(value, str) else value
        return data.hex().upper() if verb == "X" else data.hex()
    if verb == "o":
        raise _refused("octal clause", "integers", value)
    raise _refused("hex clause", "integers, byte buffers, and strings", value)


def _refused(clause: str, wanted: str, value: Any) -> EvalError:
    return EvalError(
        f"error during formatting: {clause} can only be used on {wanted}, "
        f"was given {type_name(value)}"
    )


def _special(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def text_of(value: Any) -> str:
    """Return what the verb ``%s`` shows of a value."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return _special(value)
    if isinstance(value, bool | int | float):
        return go_plain(value)
    if isinstance(value, list):
        return f"[{', '.join(map(text_of, value))}]"
    if isinstance(value, dict):
        pairs = sorted((text_of(key), text_of(one)) for key, one in value.items())
        return "{" + ", ".join(f"{key}: {one}" for key, one in pairs) + "}"
    if isinstance(value, Timestamp):
        return format_timestamp(value.nanoseconds)
    if isinstance(value, Duration):
        return f"{go_plain(value.nanoseconds / NANOSECONDS)}s"
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, Optional):
        return f"optional({text_of(value.value)})" if value.present else "optional.none()"
    raise EvalError(
        "error during formatting: string clause can only be used on strings, bools, bytes, ints, "
        f"doubles, maps, lists, types, durations, and timestamps, was given {type_name(value)}"
    )
