"""The grammar of label selector texts.

::

    selector    = [ requirement { "," requirement } ]
    requirement = [ "!" ] key [ operator ]
    operator    = "=" value | "==" value | "!=" value | ">" value | "<" value
                | "in" list | "notin" list
    list        = "(" [ value ] { "," [ value ] } ")"

A value may be missing, which means the empty text. ``in`` and ``notin`` are ordinary words
where a key or value is expected. Messages are upstream's.

Pure: a text becomes terms; whether keys and values are allowed ones is checked in ``labels``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from kubegang.apimachinery.field import Path, invalid_value
from kubegang.apimachinery.names import is_qualified_name

Operator = Literal["=", "==", "!=", "in", "notin", "exists", "!", "gt", "lt"]

_SYMBOLS = frozenset({")", ",", "!", "==", "=", ">", "<", "!=", "("})
_BINARY: Final[Mapping[str, Operator]] = {
    "in": "in",
    "notin": "notin",
    "=": "=",
    "==": "==",
    "!=": "!=",
    ">": "gt",
    "<": "lt",
}

# The longest symbol that a run of special characters starts with is one token.
_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|$)")


class SelectorError(ValueError):
    """A selector that cannot be understood; the message is upstream's."""


class Term(NamedTuple):
    """One requirement as written."""

    key: str
    operator: Operator
    values: Sequence[str]


def parse_terms(text: str) -> Iterator[Term]:
    """Yield the requirements of a selector text, each before the text after it is read.

    So whoever checks them complains about the first thing that is wrong.

    Raises:
        SelectorError: the text does not follow the grammar.
    """
    return _Parser(text).selector()


class _Parser:
    """Reads tokens from left to right; the empty token is the end."""

    def __init__(self, text: str) -> None:
        # Upstream's scanner takes a zero byte for the end of the text.
        text = text.partition("\0")[0]
        self._tokens = [match.group(1) for match in _TOKEN.finditer(text)]
        self._tokens.append("")
        self._position = 0

    def selector(self) -> Iterator[Term]:
        while self._peek():
            if not self._is_word() and self._peek() != "!":
                raise SelectorError(
                    f"found '{self._peek()}', expected: !, identifier, or 'end of string'"
                )
            yield self._requirement()
            separator = self._take()
            if not separator:
                break
            if separator != ",":
                raise SelectorError(f"found '{separator}', expected: ',' or 'end of string'")
            if not self._is_word() and self._peek() != "!":
                raise SelectorError(f"found '{self._peek()}', expected: identifier after ','")

    def _requirement(self) -> Term:
        try:
            negated = self._peek() == "!"
            if negated:
                self._take()
            key = self._key()
            if self._peek() in {"", ","}:
                return Term(key, "!" if negated else "exists", ())
            # "!key=value" parses as "!key" followed by rubbish.
            if negated:
                return Term(key, "!", ())
            return self._comparison(key)
        except SelectorError as error:
            raise SelectorError(f"unable to parse requirement: {error}") from error

    def _key(self) -> str:
        if not self._is_word():
            raise SelectorError(f"found '{self._take()}', expected: identifier")
        key = self._take()
        problems = is_qualified_name(key)
        if problems:
            error = invalid_value(Path("<nil>"), key, "; ".join(problems))
            raise SelectorError(f"{error.field}: {error.message}")
        return key

    def _comparison(self, key: str) -> Term:
        word = self._take()
        operator = _BINARY.get(word)
        if operator is None:
            raise SelectorError(f"found '{word}', expected: {', '.join(_BINARY.values())}")
        if operator in {"in", "notin"}:
            return Term(key, operator, sorted(self._list()))
        if self._peek() in {"", ","}:
            return Term(key, operator, ("",))
        if not self._is_word():
            raise SelectorError(f"found '{self._take()}', expected: identifier")
        return Term(key, operator, (self._take(),))

    def _list(self) -> set[str]:
        opening = self._take()
        if opening != "(":
            raise SelectorError(f"found '{opening}' expected: '('")
        if self._peek() == ")":
            self._take()
            return {""}
        if not self._is_word() and self._peek() != ",":
            raise SelectorError(f"found '{self._peek()}', expected: ',', ')' or identifier")
        values: set[str] = set()
        while self._peek() != ")":
            self._list_element(values)
        self._take()
        return values

    def _list_element(self, values: set[str]) -> None:
        token = self._take()
        if token == ",":
            # A value is missing before this comma, or after it.
            if not values or self._peek() in {",", ")"}:
                values.add("")
            return
        if not token or token in _SYMBOLS:
            raise SelectorError(f"found '{token}', expected: ',', or identifier")
        values.add(token)
        if self._peek() not in {",", ")"}:
            raise SelectorError(f"found '{self._peek()}', expected: ',' or ')'")

    def _is_word(self) -> bool:
        token = self._peek()
        return bool(token) and token not in _SYMBOLS

    def _peek(self) -> str:
        return self._tokens[self._position]

    def _take(self) -> str:
        token = self._tokens[self._position]
        if token:
            self._position += 1
        return token
