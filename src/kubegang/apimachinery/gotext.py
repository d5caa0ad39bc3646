"""Values as Go prints them, for error texts that clients compare or people search for.

The real API server builds many of its messages with Go's formatting verbs. Each function
here stands for one verb, applied to decoded JSON.

Pure: text in, text out.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}

# encoding/json writes these six so that its output can stand inside HTML and JavaScript.
_JSON_ESCAPES = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


def go_quote(text: str) -> str:
    """Return what ``%q`` prints for a string."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_quoted_character(character) for character in text) + '"'


def go_json(value: Any) -> str:
    """Return what ``encoding/json`` writes for a decoded value, on one line."""
    return msgspec.json.encode(value).decode().translate(_JSON_ESCAPES)


def go_plain(value: Any) -> str:
    """Return what ``%v`` prints for a decoded value: ``map[a:1 b:[x y]]``."""
    if value is None:
        return "<nil>"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        members = (f"{key}:{go_plain(value[key])}" for key in sorted(value))
        return "map[" + " ".join(members) + "]"
    if isinstance(value, list):
        return "[" + " ".join(go_plain(item) for item in value) + "]"
    return _number(value)


def go_syntax(value: Any) -> str:
    """Return what ``%#v`` prints for a decoded value."""
    return "<nil>" if value is None else _nested_syntax(value)


def go_type(value: Any) -> str:
    """Return what ``%T`` prints for a decoded value."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int64"
    if isinstance(value, float):
        return "float64"
    if isinstance(value, str):
        return "string"
    return "map[string]interface {}" if isinstance(value, dict) else "[]interface {}"


def _nested_syntax(value: Any) -> str:
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, dict):
        members = (f"{go_quote(key)}:{_nested_syntax(value[key])}" for key in sorted(value))
        return "map[string]interface {}{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[]interface {}{" + ", ".join(_nested_syntax(item) for item in value) + "}"
    return go_plain(value)


def _quoted_character(character: str) -> str:
    escaped = _ESCAPES.get(character)
    if escaped is not None:
        return escaped
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    # Go turns to an exponent from 1e+21 on and below 1e-4, Python from 1e+16 on.
    if value and not 1e-4 <= abs(value) < 1e21:
        return repr(value)
    return format(Decimal(repr(value)), "f").removesuffix(".0")
