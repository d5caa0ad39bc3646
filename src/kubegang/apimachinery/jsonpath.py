r"""JSONPath as client-go has it, for the columns of custom resources.

A path is parsed into steps; each step turns the values found so far into others. Members that
are missing find nothing. Texts follow Kubernetes' dialect: ``.spec.ports[0]``, ``[*]``, ``..``,
slices, unions, filters such as ``[?(@.type=="Ready")]``, names in quotes or with ``\.``.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

Step = Callable[[Any, Any], Iterator[Any]]
"""Yields what it finds in a value; the second argument is the whole document."""

_NAME: Final = re.compile(r"(?:\\.|[^\\.\[\]{}\s()=<>!,'\"|@$?*:])+")
_SLICE: Final = re.compile(r"\s*(-?\d*)\s*(?::\s*(-?\d*)\s*)?(?::\s*(-?\d*)\s*)?")
_FILTER: Final = re.compile(r"^(.*?)\s*(==|!=|>=|<=|>|<)\s*(.*)$", re.S)
_QUOTED: Final = re.compile(r"\s*(?:'((?:\\.|[^'\\])*)'|\"((?:\\.|[^\"\\])*)\")\s*")


class JsonPathError(ValueError):
    """A text that is no path, or a path that cannot be followed."""


@lru_cache(maxsize=2048)
def parse_path(text: str) -> tuple[Step, ...]:
    """Parse a path, without the braces around it.

    Raises:
        JsonPathError: it is malformed.
    """
    return tuple(_Parser(text).steps())


def find(steps: tuple[Step, ...], document: Any) -> list[Any]:
    """Return what a path finds, in the order of the document.

    Raises:
        JsonPathError: an index is beyond the end of its list.
    """
    found = [document]
    for step in steps:
        found = [result for value in found for result in step(value, document)]
    return found


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def steps(self) -> Iterator[Step]:
        if self._text[:1] in ("$", "@"):
            self._at = 1
        while self._at < len(self._text):
            yield self._step()

    def _step(self) -> Step:
        text = self._text
        if text.startswith("..", self._at):
            self._at += 2
            name = "" if text[self._at : self._at + 1] in ("[", "*", "") else self._name()
            if text[self._at : self._at + 1] == "*" and not name:
                self._at += 1
            return _recursive(name)
        if text[self._at] == ".":
            self._at += 1
            if self._at == len(text):
                return _self
            if text[self._at] == "[":
                return self._bracket()
        if text[self._at] == "[":
            return self._bracket()
        if text[self._at] == "*":
            self._at += 1
            return _every
        return _member(self._name())

    def _name(self) -> str:
        found = _NAME.match(self._text, self._at)
        if found is None:
            raise JsonPathError(f"unrecognized character in path {self._text!r}")
        self._at = found.end()
        return re.sub(r"\\(.)", r"\1", found[0])

    def _bracket(self) -> Step:
        end = self._end_of_bracket()
        inside = self._text[self._at + 1 : end]
        self._at = end + 1
        if inside.startswith("?(") and inside.endswith(")"):
            return _filter(inside[2:-1])
        parts = _split(inside)
        if len(parts) > 1:
            return _union([_selector(part) for part in parts])
        return _selector(inside)

    def _end_of_bracket(self) -> int:
        depth, quote = 0, ""
        position = self._at
        while position < len(self._text):
            char = self._text[position]
            if quote:
                if char == "\\":
                    position += 1
                elif char == quote:
                    quote = ""
            elif char in "'\"":
                quote = char
            elif char == "[":
                depth += 1
            elif char == "]":
                depth -= 1
                if not depth:
                    return position
            position += 1
        raise JsonPathError(f"unterminated array in path {self._text!r}")


def _split(inside: str) -> list[str]:
    parts, quote, start = [], "", 0
    for position, char in enumerate(inside):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == ",":
            parts.append(inside[start:position])
            start = position + 1
    return [*parts, inside[start:]]


def _selector(text: str) -> Step:
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        name = quoted[1] if quoted[1] is not None else quoted[2]
        return _member(re.sub(r"\\(.)", r"\1", name))
    if text.strip() == "*":
        return _every
    found = _SLICE.fullmatch(text)
    if found is None or not text.strip():
        raise JsonPathError(f"invalid array index {text}")
    if ":" not in text:
        return _index(int(found[1]))
    numbers = [int(part) if part else None for part in found.groups()]
    return _slice(numbers[0], numbers[1], step=numbers[2])


def _self(value: Any, _document: Any) -> Iterator[Any]:
    yield value


def _member(name: str) -> Step:
    def step(value: Any, _document: Any) -> Iterator[Any]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _every(value: Any, _document: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        yield from (value[name] for name in sorted(value))


def _index(position: int) -> Step:
    def step(value: Any, _document: Any) -> Iterator[Any]:
        if not isinstance(value, list):
            if value is None:
                return
            raise JsonPathError("value is not an array or slice")
        if not -len(value) <= position < len(value):
            raise JsonPathError(f"array index out of bounds: index {position}, length {len(value)}")
        yield value[position]

    return step


def _slice(start: int | None, stop: int | None, *, step: int | None) -> Step:
    def find_items(value: Any, _document: Any) -> Iterator[Any]:
        if not isinstance(value, list):
            raise JsonPathError("value is not an array or slice")
        yield from value[slice(start, stop, step or None)]

    return find_items


def _union(steps: list[Step]) -> Step:
    def step(value: Any, document: Any) -> Iterator[Any]:
        for one in steps:
            yield from one(value, document)

    return step


def _recursive(name: str) -> Step:
    def step(value: Any, document: Any) -> Iterator[Any]:
        if not name:
            yield value
        elif isinstance(value, dict) and name in value:
            yield value[name]
        for below in _every(value, document):
            yield from step(below, document)

    return step


def _filter(text: str) -> Step:
    found = _FILTER.match(text)
    left = _operand(found[1] if found else text)
    operator = found[2] if found else ""
    right = _operand(found[3]) if found else None

    def step(value: Any, document: Any) -> Iterator[Any]:
        if value is None:
            return
        for item in _every(value, document):
            ours = left(item, document)
            if bool(ours) if right is None else _holds(ours, operator, right(item, document)):
                yield item

    return step


def _operand(text: str) -> Callable[[Any, Any], list[Any]]:
    text = text.strip()
    if text.startswith("@"):
        steps = parse_path(text[1:])
        return lambda item, _: find(steps, item)
    if text.startswith("$"):
        steps = parse_path(text[1:])
        return lambda _, document: find(steps, document)
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        literal: Any = quoted[1] if quoted[1] is not None else quoted[2]
    elif text in ("true", "false"):
        literal = text == "true"
    else:
        try:
            literal = float(text) if "." in text else int(text)
        except ValueError as error:
            raise JsonPathError(f"unrecognized identifier {text}") from error
    return lambda _item, _document: [literal]


def _holds(ours: list[Any], operator: str, theirs: list[Any]) -> bool:
    if not ours or not theirs:
        return False
    left, right = ours[0], theirs[0]
    if operator == "==":
        return bool(left == right)
    if operator == "!=":
        return bool(left != right)
    both_texts = isinstance(left, str) and isinstance(right, str)
    numbers = (int, float)
    if not both_texts and not (isinstance(left, numbers) and isinstance(right, numbers)):
        return False
    if operator in ("<", "<="):
        return bool(left < right or (operator == "<=" and left == right))
    return bool(left > right or (operator == ">=" and left == right))
