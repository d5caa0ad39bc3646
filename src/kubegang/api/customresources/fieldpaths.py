"""Paths to fields as schemas name them: ``.spec.replicas``, ``.labels['a.b']``. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from kubegang.api.customresources.nodes import SchemaNode
from kubegang.apimachinery.field import Path

_TOKEN: Final = re.compile(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]]+", re.S)
_ESCAPES: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "'": "'",
    "\\": "\\",
}


class FieldPathError(ValueError):
    """A text that is no path, or leads nowhere in a schema; the message is upstream's."""


class FoundField(NamedTuple):
    """Where a path leads.

    Attributes:
        path: the path in the form of error texts.
        node: the schema there, ``None`` for values about which nothing is said.
        names: the members on the way.
    """

    path: Path
    node: SchemaNode | None
    names: tuple[str, ...]


def find_field(text: str, schema: SchemaNode, *, brackets: bool = True) -> FoundField:
    """Follow a path through a schema.

    Raises:
        FieldPathError: it does not lead anywhere.
    """
    path, node, names = Path(), schema, []
    for name in _names(text, brackets=brackets):
        if node is not None and node.properties:
            member = node.properties.get(name)
            path = path.child(name)
            if member is None:
                raise FieldPathError("does not refer to a valid field")
            node = member
        elif node is not None and node.additional is not None:
            path = path.key(name)
            node = node.values  # type: ignore[assignment]
        else:
            raise FieldPathError("does not refer to a valid field")
        names.append(name)
    return FoundField(path, node, tuple(names))


def _names(text: str, *, brackets: bool) -> Iterator[str]:
    tokens = iter(_TOKEN.findall(text))
    for token in tokens:
        if token == "[":
            if not brackets:
                raise FieldPathError("array notation is not allowed")
            yield _unquoted(_next(tokens))
            closing = _next(tokens)
            if closing != "]":
                raise FieldPathError(f"expected ] but got {closing}")
        elif token == ".":
            yield _next(tokens)
        else:
            raise FieldPathError(f"expected [ or . but got: {token}")


def _next(tokens: Iterator[str]) -> str:
    token = next(tokens, None)
    if token is None:
        raise FieldPathError("unexpected end of JSON path")
    return token


def _unquoted(token: str) -> str:
    if len(token) < 2 or not (token.startswith("'") and token.endswith("'")):
        raise FieldPathError(f"expected single quoted string but got {token}")

    def replaced(found: re.Match[str]) -> str:
        if found[1] not in _ESCAPES:
            raise FieldPathError(f"invalid string literal: invalid escape char {found[0]}")
        return _ESCAPES[found[1]]

    return re.sub(r"\\(.)", replaced, token[1:-1])
