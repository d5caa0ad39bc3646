"""What the library says, in the words that Kubernetes' users know.

The texts come from another implementation of the language than Kubernetes'. Those that users
meet often are put into its words; the rest stays as it is. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_STATUS: Final = re.compile(r"^[A-Z_]+: ")
_STATUS_AFTER: Final = re.compile(r" \[[A-Z_]+\]$")
MISSING_KEY_ADVICE: Final = (
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check "
    "with has() for optional fields"
)
_FINDING: Final = re.compile(r"(?=ERROR: <input>)")
_SELECTION: Final = re.compile(
    r"expression of type '([^'*]+)' cannot be the operand of a select operation"
)
_OVERLOAD: Final = re.compile(
    r"ERROR: <input>:(?P<line>\d+):(?P<column>\d+): found no matching overload for "
    r"'(?P<function>\w+)' applied to '\((?P<types>.*)\)'"
)
_INDEX: Final = re.compile(r"Index error: index=(-?\d+) ")
_UPPER: Final = re.compile(r"\b[A-Z_]+\b(?!\.)")
_TYPE_NAMES: Final = {"NULL": "null_type"}
_NO_KEY: Final = re.compile(r'Key not found in map : "?(.*?)"?$', re.DOTALL)


def compile_text(error: Exception, expression: str) -> str:
    """Return why an expression is none, one finding with its place after the other."""
    text = _STATUS_AFTER.sub("", _STATUS.sub("", str(error)))
    text = _SELECTION.sub(r"type '\1' does not support field selection", text)
    lines = expression.split("\n")
    findings = [f for f in _FINDING.split(text) if f and "'*error*'" not in f]
    return "".join(_as_member_call(finding, lines) for finding in findings).rstrip("\n")


def type_text(name: str) -> str:
    """Return the name of a type; types of Kubernetes keep their case."""
    name = name.replace("<", "(").replace(">", ")")
    return _UPPER.sub(lambda word: _TYPE_NAMES.get(word[0], word[0].lower()), name)


def _as_member_call(finding: str, lines: Sequence[str]) -> str:
    """Write ``value.(arguments)`` where a function was called on a value."""
    place = _OVERLOAD.match(finding)
    if place is None:
        return finding
    before = lines[int(place["line"]) - 1][: int(place["column"]) - 1]
    if not re.search(rf"\.\s*{re.escape(place['function'])}\s*$", before):
        return finding
    target, arguments = _first_of(place["types"])
    return finding.replace(f"'({place['types']})'", f"'{target}.({arguments})'", 1)


def _first_of(types: str) -> tuple[str, str]:
    depth = 0
    for position, char in enumerate(types):
        depth += (char == "(") - (char == ")")
        if char == "," and not depth:
            return types[:position], types[position + 1 :].strip()
    return types, ""


def runtime_text(text: str) -> str:
    """Return why an expression has no value for an object."""
    text = _STATUS.sub("", text)
    missing = _NO_KEY.match(text)
    if missing is not None:
        return f"no such key: {missing[1]}{MISSING_KEY_ADVICE}"
    if text.startswith("No matching overloads found"):
        return "no such overload"
    index = _INDEX.match(text)
    if index is not None:
        return f"index out of bounds: {index[1]}"
    if text == "divide by zero":
        return "division by zero"
    return text


def no_truth_text(kind: str) -> str:
    """Return why a value of a type is neither true nor false."""
    short = kind.rpartition(".")[2]
    ways = {
        "string": "unsupported native conversion from string to 'bool'",
        "int": "unsupported type conversion from 'int' to bool",
    }
    way = ways.get(kind, f"type conversion error from '{short}' to 'bool'")
    return f"CEL result of type {kind} could not be converted to bool: {way}"
