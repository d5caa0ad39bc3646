"""Values of the wrong type, in Go's words.

Upstream decodes JSON bodies with ``encoding/json`` and strategically merged objects with a
converter of its own; the two name the same mistakes differently. Both are reproduced here,
over one walk (texts measured on 1.37.2).

Pure. ``fits`` is what every request pays for; the rest runs only for objects that do not.
"""

from __future__ import annotations

import base64
import binascii
import string
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kubegang.apimachinery.gonames import embedded_in, struct_name, type_name
from kubegang.apimachinery.gotext import go_type
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity, QuantityError
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.times import TimeError, parse_micro_time, parse_time

_INTEGER_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}

_BASE64 = frozenset(string.ascii_letters + string.digits + "+/")
_JSON_WORDS = {str: "string", bool: "bool", dict: "object", list: "array"}
_GO_KINDS = {"map[string]interface {}": "map", "[]interface {}": "slice"}


def fits(value: Any, schema: Schema) -> bool:
    """Return whether everything in a value has the type that its field has.

    Null fits everywhere. Unknown fields are passed over.
    """
    if value is None:
        return True
    match schema.type:
        case "object":
            return type(value) is dict and _members_fit(value, schema)
        case "array":
            return type(value) is list and _all_fit(value, schema.items)
        case "map":
            return type(value) is dict and _all_fit(value.values(), schema.items)
    return _scalar_fits(value, schema)


def json_type_problem(obj: JsonObject, schema: Schema) -> str | None:
    """Return what ``encoding/json`` says about the first value of a wrong type, if any.

    Types that decode themselves (times, quantities) end the decoding at once, so their
    complaint wins over one about an earlier field.
    """
    first = None
    for mismatch in _mismatches(obj, schema):
        if mismatch.decodes_itself:
            return _json_text(mismatch)
        first = first or mismatch
    return _json_text(first) if first else None


def conversion_problem(obj: JsonObject, schema: Schema) -> str | None:
    """Return what the converter of merged objects says about the first wrong value, if any."""
    for mismatch in _mismatches(obj, schema):
        text = _conversion_text(mismatch)
        if text:
            return text
    return None


def decodes_itself(schema: Schema) -> bool:
    """Return whether values of this type end the decoding at once if they are wrong."""
    return schema.type == "int-or-string" or schema.format in {
        "quantity",
        "date-time",
        "micro-time",
    }


class _Mismatch(NamedTuple):
    """A value that does not fit, and where it stands.

    Attributes:
        owner: the innermost struct with a field that leads here.
        fields: the names of the fields that lead here, list positions and map keys left out.
        own_text: what the type's own decoder says, if it got as far as reading the text.
    """

    value: Any
    schema: Schema
    owner: Schema
    fields: tuple[str, ...]
    own_text: str

    @property
    def decodes_itself(self) -> bool:
        return decodes_itself(self.schema)


def _members_fit(value: JsonObject, schema: Schema) -> bool:
    fields = schema.fields
    for name, member in value.items():
        known = fields.get(name)
        if known is None or (type(member) is str and known.type == "string" and not known.format):
            # Most members are plain texts: no call for them.
            continue
        if not fits(member, known):
            return False
    return True


def _all_fit(members: Iterable[Any], schema: Schema | None) -> bool:
    if schema is None:
        return True
    for member in members:  # noqa: SIM110 - every request passes here, and this is faster
        if not fits(member, schema):
            return False
    return True


def _scalar_fits(value: Any, schema: Schema) -> bool:
    match schema.type:
        case "string":
            return (type(value) is str and not schema.format) or not _own_problem(value, schema)
        case "integer":
            low, high = _INTEGER_RANGES.get(schema.format, _INTEGER_RANGES["int64"])
            return type(value) is int and low <= value <= high
        case "boolean":
            return type(value) is bool
        case "number":
            return type(value) is int or type(value) is float
        case "int-or-string":
            low, high = _INTEGER_RANGES["int32"]
            return type(value) is str or (type(value) is int and low <= value <= high)
    return True


_NOT_A_TEXT = "not a text"


def _own_problem(value: Any, schema: Schema) -> str:
    """Return what is wrong with a text of a special format, "" if nothing is."""
    try:
        match schema.format:
            case "quantity":
                # Any other JSON value is read as its own text, which is no number.
                text_or_number = isinstance(value, str | int | float)
                Quantity.parse(value if text_or_number else "{}")
                return ""
            case _ if not isinstance(value, str):
                return _NOT_A_TEXT
            case "date-time":
                parse_time(value)
            case "micro-time":
                parse_micro_time(value)
            case "byte":
                return _base64_problem(value)
    except (QuantityError, TimeError) as error:
        return str(error)
    return ""


def _base64_problem(text: str) -> str:
    """Return Go's complaint about a base64 text; line breaks are passed over."""
    try:
        base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        return f"illegal base64 data at input byte {_first_bad_byte(text)}"
    return ""


def _first_bad_byte(text: str) -> int:
    in_group = 0
    for position, character in enumerate(text):
        if character in _BASE64:
            in_group = (in_group + 1) % 4
        elif character == "=" and in_group >= 2:
            return _bad_padding(text, position + 1, missing=3 - in_group)
        elif character not in "\r\n":
            return position
    return len(text) - in_group


def _bad_padding(text: str, position: int, *, missing: int) -> int:
    position = _past_line_breaks(text, position)
    if missing:
        if position == len(text):
            return position
        if text[position] != "=":
            return position - 1
        position = _past_line_breaks(text, position + 1)
    return position


def _past_line_breaks(text: str, position: int) -> int:
    while text[position : position + 1] in {"\r", "\n"}:
        position += 1
    return position


def _mismatches(obj: JsonObject, schema: Schema) -> Iterator[_Mismatch]:
    return _in_object(obj, schema, ())


def _in_object(obj: JsonObject, schema: Schema, fields: tuple[str, ...]) -> Iterator[_Mismatch]:
    for name, value in obj.items():
        known = schema.fields.get(name)
        if known is not None:
            embedded = embedded_in(schema, name)
            path = (*fields, embedded, name) if embedded else (*fields, name)
            yield from _in_value(value, known, schema, path)


def _in_value(
    value: Any, schema: Schema, owner: Schema, fields: tuple[str, ...]
) -> Iterator[_Mismatch]:
    if fits(value, schema):
        return
    if schema.type == "object" and isinstance(value, dict):
        yield from _in_object(value, schema, fields)
    elif schema.type == "array" and isinstance(value, list) and schema.items is not None:
        for item in value:
            yield from _in_value(item, schema.items, owner, fields)
    elif schema.type == "map" and isinstance(value, dict) and schema.items is not None:
        for item in value.values():
            yield from _in_value(item, schema.items, owner, fields)
    else:
        own = _own_problem(value, schema) if schema.format else ""
        yield _Mismatch(value, schema, owner, fields, "" if own == _NOT_A_TEXT else own)


def _json_text(mismatch: _Mismatch) -> str:
    if mismatch.own_text:
        return mismatch.own_text
    where = f"{struct_name(mismatch.owner)}.{'.'.join(mismatch.fields)}"
    said = f"cannot unmarshal {_json_word(mismatch)} into Go struct field {where}"
    return f"json: {said} of type {_target_type(mismatch)}"


def _json_word(mismatch: _Mismatch) -> str:
    value = mismatch.value
    word = _JSON_WORDS.get(type(value))
    if word:
        return word
    if mismatch.schema.type in {"integer", "int-or-string"}:
        return f"number {value!r}"
    return "number"


def _target_type(mismatch: _Mismatch) -> str:
    if mismatch.schema.type == "int-or-string":
        return "int32"
    if mismatch.decodes_itself:
        return "string"
    return type_name(mismatch.schema, mismatch.owner, mismatch.fields[-1])


def _conversion_text(mismatch: _Mismatch) -> str:
    """Return the converter's complaint, "" where it is more lenient than JSON decoding."""
    schema, value = mismatch.schema, mismatch.value
    if mismatch.own_text:
        decoding = "error decoding from json: " if schema.format == "byte" else ""
        return decoding + mismatch.own_text
    if mismatch.decodes_itself:
        said = f"cannot unmarshal {_json_word(mismatch)} into Go value"
        return f"json: {said} of type {_target_type(mismatch)}"
    found = go_type(value)
    kind = _GO_KINDS.get(found, found)
    if schema.type == "object":
        return f"cannot restore struct from: {kind}"
    if schema.type == "map":
        return f"cannot restore map from {kind}"
    if schema.type == "array" or schema.format == "byte":
        return f"cannot restore slice from {kind}"
    return _scalar_conversion_text(mismatch, found)


def _scalar_conversion_text(mismatch: _Mismatch, found: str) -> str:
    target = type_name(mismatch.schema, mismatch.owner, mismatch.fields[-1])
    if mismatch.schema.type == "integer":
        if found == "int64" or (found == "float64" and mismatch.value.is_integer()):
            return ""
        if found == "float64":
            return f"cannot convert float64 to {target}"
        return f"unrecognized type: {target}"
    if mismatch.schema.type == "string":
        # Go can turn an int into a string, so this one is refused by name.
        if found == "int64":
            return f"cannot convert int64 to {target}"
        return "unrecognized type: string"
    return f"unrecognized type: {target}"
