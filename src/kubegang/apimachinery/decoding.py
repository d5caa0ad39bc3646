"""Request bodies: from bytes to objects, and what strict decoding would say about them.

The common body is well formed, has no field twice, none unknown and none of a wrong type. It
must be quick to see that, so each check has a short way that only answers yes or no, and a
long way that names what is wrong as Go would.

Pure.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.jsonsyntax import syntax_problem
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.typecheck import fits, json_type_problem
from kubegang.apimachinery.yamlbodies import YamlProblemError, load_yaml

_SUMMARY_BYTES = 30
_MOST_STRICT_PROBLEMS = 100
_MOST_DIGITS = 309
"""An integer with more digits is larger than any float64."""

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode

_TYPE_META = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)


class MalformedBodyError(ValueError):
    """A body that is no JSON or YAML; the message is Go's."""


class NotAnObjectError(MalformedBodyError):
    """A body that is JSON but no object.

    Attributes:
        found: what it is instead, as Go calls it: ``array``, ``string``, ``number``, ``bool``.
    """

    def __init__(self, value: Any) -> None:
        words = {list: "array", str: "string", bool: "bool"}
        self.found = words.get(type(value), "number")
        super().__init__(self.unmarshal_problem(_TYPE_META))

    def unmarshal_problem(self, target: str) -> str:
        """Return what Go says when it wanted to fill a value of type ``target``."""
        return f"json: cannot unmarshal {self.found} into Go value of type {target}"


def decode_json(body: bytes) -> tuple[JsonObject, list[str]]:
    """Decode a JSON object, and name the fields that occur twice.

    The body ``null`` is an empty object, as in Go. Of a field that occurs twice the last one
    counts; two objects are joined.

    Returns:
        The object, and the paths of repeated fields in the order of the text.

    Raises:
        MalformedBodyError: the body is not JSON, or no object.
    """
    value, duplicates = decode_json_value(body)
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        raise NotAnObjectError(value)
    return value, duplicates


def decode_json_value(body: bytes) -> tuple[Any, list[str]]:
    """Decode any JSON value, and name the fields that occur twice.

    Raises:
        MalformedBodyError: the body is not JSON.
    """
    try:
        value = _decode(body)
        if _has_no_duplicates(body, value):
            return value, []
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = syntax_problem(body)
        if problem:
            raise MalformedBodyError(problem) from error
    return _decode_slowly(body)


def decode_yaml(body: bytes) -> tuple[JsonObject, list[str]]:
    """Decode a YAML or JSON object; of several YAML documents the first.

    Returns:
        The object, and Go's complaints about repeated keys: ``line 7: key "a" already set in
        map``. Strict decoding joins them with ``strict_yaml_problem``.

    Raises:
        MalformedBodyError: the body is not YAML, or no object.
    """
    if body.startswith(b"{"):
        # What most clients call YAML is JSON, which is read a hundred times faster.
        try:
            value = _decode(body)
            if isinstance(value, dict) and _has_no_duplicates(body, value):
                return value, []
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
    try:
        value, duplicates = load_yaml(body)
    except YamlProblemError as error:
        raise MalformedBodyError(str(error)) from error
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        raise NotAnObjectError(value)
    return value, duplicates


def strict_yaml_problem(duplicates: list[str]) -> str:
    """Return the one complaint that strict decoding makes about repeated YAML keys."""
    return "yaml: unmarshal errors:\n  " + "\n  ".join(duplicates)


def strict_problems(unknown: list[str], duplicates: list[str]) -> list[str]:
    """Return the complaints of strict decoding: the texts of warnings, or of one error."""
    problems = [f"unknown field {go_quote(path)}" for path in unknown]
    problems += [f"duplicate field {go_quote(path)}" for path in duplicates]
    return problems[:_MOST_STRICT_PROBLEMS]


def unrecognized_body(problem: str, body: bytes, kind: str) -> BadRequestError:
    """Return the 400 for a body of which not even the kind could be read."""
    if not body:
        summary = "<empty>"
    else:
        shown = body[:_SUMMARY_BYTES]
        text = shown.decode(errors="replace") if body.startswith(b"{") else shown.hex()
        summary = f"{text} ..." if len(body) > _SUMMARY_BYTES else text
    must_be = f"the object provided is unrecognized (must be of type {kind})"
    return BadRequestError(f"{must_be}: {problem} ({summary})")


def check_types(obj: JsonObject, schema: Schema, gvk: GroupVersionKind) -> None:
    """Refuse an object that has a value of the wrong type.

    Raises:
        BadRequestError: as upstream says it for a body that ``encoding/json`` decodes.
    """
    if fits(obj, schema):
        return
    problem = json_type_problem(obj, schema)
    if problem:
        raise cannot_be_handled(gvk, problem)


def cannot_be_handled(gvk: GroupVersionKind, problem: str) -> BadRequestError:
    """Return the 400 for a body of a known kind that cannot be decoded."""
    return BadRequestError(
        f'{gvk.kind} in version "{gvk.version}" cannot be handled as a {gvk.kind}: {problem}'
    )


def _has_no_duplicates(body: bytes, value: Any) -> bool:
    """Return whether a body certainly has no field twice.

    A repeated member is lost in decoding, and with it the colon after its name; all other
    colons come back when the value is encoded again, unless the body spelled one as an escape.
    """
    encoded = _encode(value)
    if encoded == body:
        return True
    return body.count(b":") == encoded.count(b":") and not (
        b"\\u003a" in body or b"\\u003A" in body
    )


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object in order, repeated ones included."""


def _decode_slowly(body: bytes) -> tuple[Any, list[str]]:
    # Go replaces what is not UTF-8, and escapes of half a character, by U+FFFD.
    text = body.decode(errors="replace")
    try:
        members = json.loads(text, object_pairs_hook=_Pairs, parse_int=_integer_of, strict=False)
        duplicates: dict[str, None] = {}
        return _joined(members, "", duplicates), list(duplicates)
    except RecursionError as error:
        raise MalformedBodyError("exceeded max depth") from error


def _integer_of(digits: str) -> int:
    """Return a number; one that does not even fit a float64 is refused, as by Go."""
    if len(digits) > _MOST_DIGITS:
        raise MalformedBodyError(
            f"json: cannot unmarshal number {digits} into Go value of type float64"
        )
    return int(digits)


def _joined(value: Any, path: str, duplicates: dict[str, None]) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, _Pairs):
        result: JsonObject = {}
        for name, member in value:
            member_path = f"{path}.{name}" if path else name
            if name in result:
                duplicates[member_path] = None
            joined = _joined(member, member_path, duplicates)
            result[name] = _merged(result.get(name), joined)
        return result
    if isinstance(value, list):
        return [_joined(item, f"{path}[{i}]", duplicates) for i, item in enumerate(value)]
    return value


def _merged(first: Any, second: Any) -> Any:
    """Return what Go's decoder leaves when it fills the same field a second time."""
    if isinstance(first, dict) and isinstance(second, dict):
        members = {name: _merged(first.get(name), member) for name, member in second.items()}
        return {**first, **members}
    return second
