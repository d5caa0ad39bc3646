"""YAML as the API server reads it: converted to JSON, by the rules of go-yaml 2.

PyYAML finds the structure; which plain words are numbers or booleans is decided here, since
the two disagree (``y`` is true, ``1e3`` a number, ``1:30`` and dates are texts). Error texts
are libyaml's, with the line that Go prints (measured on 1.37.2).

Pure.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterator
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from kubegang.apimachinery.gotext import go_plain, go_syntax

_TAG_PREFIX = "tag:yaml.org,2002:"
_STRING_TAG = f"{_TAG_PREFIX}str"
_BINARY_TAG = f"{_TAG_PREFIX}binary"
_TAG_NAMES = {int: "int", float: "float", bool: "bool", type(None): "null"}
_RESOLVED_TAGS = frozenset(_TAG_PREFIX + name for name in _TAG_NAMES.values())
_PLAIN_TAG = "plain"

_MOST_VALUES = 1_000_000
"""Aliases can make a short text mean a huge value; a body of 3 MiB cannot need more."""

_MOST_DIGITS = 309

_NULL_WORDS = frozenset({"~", "null", "Null", "NULL"})
_TRUE_WORDS = frozenset({"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
_FALSE_WORDS = frozenset(
    {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}
)
_FLOAT_WORDS = {
    word: value
    for value, words in (
        (math.inf, (".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF")),
        (-math.inf, ("-.inf", "-.Inf", "-.INF")),
        (math.nan, (".nan", ".NaN", ".NAN")),
    )
    for word in words
}
_INTEGER = re.compile(r"[-+]?(?:0b[01]+|0[xX][0-9a-fA-F]+|0o?[0-7]+|[1-9][0-9]*|0)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


class YamlProblemError(ValueError):
    """A text that is no YAML, or YAML that is no JSON; the message is Go's."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Composes nodes, and leaves open what plain words mean."""

    def resolve(self, kind: type[Node], value: Any, implicit: Any) -> str:
        if kind is ScalarNode:
            return _PLAIN_TAG if implicit[0] else _STRING_TAG
        tag: str = super().resolve(kind, value, implicit)
        return tag


def load_yaml(body: bytes) -> tuple[Any, list[str]]:
    """Read the first document of a YAML text.

    Returns:
        The value as JSON, and a complaint for each key that stands twice in a mapping.

    Raises:
        YamlProblemError: the text is malformed, or has a key or number that JSON cannot have.
    """
    conversion = _Conversion()
    try:
        value = conversion.value(_compose(body))
    except RecursionError as error:
        raise YamlProblemError("yaml: exceeded max depth") from error
    conversion.check_json()
    return value, conversion.duplicates


def _compose(body: bytes) -> Node | None:
    try:
        loader = _Loader(body)
        try:
            # Not get_single_node: what stands after the first document is nobody's business.
            return loader.get_node() if loader.check_node() else None
        finally:
            loader.dispose()
    except yaml.composer.ComposerError as error:
        raise YamlProblemError(f"yaml: {_composer_problem(error, body)}") from error
    except yaml.MarkedYAMLError as error:
        problem = error.problem or "unknown problem parsing YAML content"
        raise YamlProblemError(f"yaml: {_line(error)}{problem}") from error
    except yaml.reader.ReaderError as error:
        raise YamlProblemError(f"yaml: {error.reason}") from error


def _composer_problem(error: yaml.composer.ComposerError, body: bytes) -> str:
    if error.problem_mark is None:
        return error.problem or ""
    rest = body.decode(errors="replace")[error.problem_mark.index :]
    alias = re.match(r"\*([0-9A-Za-z_-]+)", rest)
    return f"unknown anchor '{alias.group(1)}' referenced" if alias else error.problem or ""


def _line(error: yaml.MarkedYAMLError) -> str:
    """Return the line as Go prints it: counted from one only where the scanner complains."""
    if error.problem_mark is not None and error.problem_mark.line:
        from_one = isinstance(error, yaml.scanner.ScannerError)
        return f"line {error.problem_mark.line + from_one}: "
    if error.context_mark is not None and error.context_mark.line:
        return f"line {error.context_mark.line}: "
    return ""


class _Conversion:
    """One walk from nodes to JSON values, collecting repeated keys."""

    def __init__(self) -> None:
        self.duplicates: list[str] = []
        self._values = 0
        self._key_problem = ""
        self._number_problem = ""

    def check_json(self) -> None:
        """Complain about what is YAML but not JSON; Go comes to that only in the end."""
        problem = self._key_problem or self._number_problem
        if problem:
            raise YamlProblemError(problem)

    def value(self, node: Node | None) -> Any:
        self._values += 1
        if self._values > _MOST_VALUES:
            raise YamlProblemError("yaml: document contains excessive aliasing")
        if isinstance(node, ScalarNode):
            return self._finite(_scalar(node))
        if isinstance(node, SequenceNode):
            return [self.value(item) for item in node.value]
        if isinstance(node, MappingNode):
            return self._mapping(node)
        return None

    def _finite(self, value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            names = {math.inf: "+Inf", -math.inf: "-Inf"}
            self._number_problem = f"json: unsupported value: {names.get(value, 'NaN')}"
        return value

    def _mapping(self, node: MappingNode) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        seen: set[tuple[type, Any]] = set()
        for key_node, value_node in node.value:
            if key_node.tag == _PLAIN_TAG and key_node.value == "<<":
                for part in self._merge_parts(value_node):
                    merged = {**part, **merged}
                continue
            key = self.value(key_node)
            if isinstance(key, dict | list):
                raise YamlProblemError(f"yaml: invalid map key: {_yaml_syntax(key)}")
            value = self.value(value_node)
            text = self._key_text(key, value)
            if (type(key), text) in seen:
                line = key_node.start_mark.line + 1
                self.duplicates.append(f"line {line}: key {go_syntax(key)} already set in map")
            seen.add((type(key), text))
            result[text] = value
        return {**merged, **result}

    def _merge_parts(self, node: Node) -> Iterator[dict[str, Any]]:
        parts = node.value if isinstance(node, SequenceNode) else [node]
        for part in parts:
            if not isinstance(part, MappingNode):
                rule = "map merge requires map or sequence of maps as the value"
                raise YamlProblemError(f"yaml: {rule}")
            yield self._mapping(part)

    def _key_text(self, key: Any, value: Any) -> str:
        if isinstance(key, str):
            return key
        if isinstance(key, bool):
            return "true" if key else "false"
        if isinstance(key, int | float):
            return go_plain(key)
        shown = f"key: <nil>, value: {_yaml_syntax(value)}"
        self._key_problem = f"unsupported map key of type: %!s(<nil>), {shown}"
        return ""


def _yaml_syntax(value: Any) -> str:
    """Return what ``%#v`` prints for a value as go-yaml decodes it, with keys of any type."""
    return go_syntax(value).replace("map[string]interface {}", "map[interface {}]interface {}")


def _scalar(node: ScalarNode) -> Any:
    text: str = node.value
    if node.tag == _PLAIN_TAG:
        return _resolved(text)
    if node.tag in _RESOLVED_TAGS:
        return _as_tagged(text, node.tag)
    if node.tag == _BINARY_TAG:
        try:
            return base64.b64decode(text).decode(errors="replace")
        except binascii.Error as error:
            raise YamlProblemError("yaml: !!binary value contains invalid base64 data") from error
    return text


def _as_tagged(text: str, tag: str) -> Any:
    value = _resolved(text)
    wanted = tag.removeprefix(_TAG_PREFIX)
    found = _TAG_NAMES.get(type(value), "str")
    if found == wanted or (found, wanted) == ("int", "float"):
        return value
    raise YamlProblemError(f"yaml: cannot decode !!{found} `{text}` as a !!{wanted}")


def _resolved(text: str) -> Any:
    if not text or text in _NULL_WORDS:
        return None
    if text in _TRUE_WORDS:
        return True
    if text in _FALSE_WORDS:
        return False
    if text in _FLOAT_WORDS:
        return _FLOAT_WORDS[text]
    plain = text.replace("_", "")
    if text[0] == "_":
        return text
    if _INTEGER.fullmatch(plain):
        # Larger than any float64, in whatever base: Go leaves it a text.
        return _integer(plain) if len(plain) <= _MOST_DIGITS else text
    if _FLOAT.fullmatch(plain):
        number = float(plain)
        # Too large for a float64: Go leaves it a text.
        return number if math.isfinite(number) else text
    return text


def _integer(plain: str) -> int | float:
    sign = -1 if plain.startswith("-") else 1
    digits = plain.lstrip("+-")
    if digits[:2] in {"0b", "0x", "0X", "0o"}:
        number = sign * int(digits, 0)
    elif len(digits) > 1 and digits.startswith("0"):
        number = sign * int(digits, 8)
    else:
        number = sign * int(digits)
    return number if -(2**63) <= number < 2**64 else float(number)
