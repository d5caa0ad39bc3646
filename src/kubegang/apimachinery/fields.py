"""Field selectors: ``status.phase!=Running,spec.nodeName=n1``.

A term compares one field with one text. Which fields a kind offers, and how it says no to
others, is the API server's business; here a selector only knows names and values.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from kubegang.apimachinery.labelsyntax import SelectorError


class FieldTerm(NamedTuple):
    """One comparison; ``==`` is written ``=``."""

    field: str
    operator: Literal["=", "!="]
    value: str


class FieldSelector:
    """Comparisons that an object must meet all of."""

    __slots__ = ("terms",)

    def __init__(self, terms: tuple[FieldTerm, ...]) -> None:
        self.terms = terms

    @property
    def empty(self) -> bool:
        """Whether everything matches."""
        return not self.terms

    def matches(self, values: Mapping[str, str]) -> bool:
        """Return whether an object with these fields is selected; a missing field is ""."""
        return all(
            (values.get(term.field, "") == term.value) == (term.operator == "=")
            for term in self.terms
        )

    def __str__(self) -> str:
        return ",".join(f"{term.field}{term.operator}{_escaped(term.value)}" for term in self.terms)


def parse_field_selector(text: str) -> FieldSelector:
    """Parse a field selector; in values a backslash escapes itself, comma and equals sign.

    Raises:
        SelectorError: the text is malformed, with upstream's message.
    """
    # Upstream sorts the terms, which decides what the first complaint is about.
    parts = sorted(part for part in _split_at_commas(text) if part)
    return FieldSelector(tuple(_term(part, text) for part in parts))


def _term(part: str, whole: str) -> FieldTerm:
    for position, character in enumerate(part):
        if part.startswith("!=", position):
            return FieldTerm(part[:position], "!=", _unescaped(part[position + 2 :]))
        if character == "=":
            length = 2 if part.startswith("==", position) else 1
            return FieldTerm(part[:position], "=", _unescaped(part[position + length :]))
    raise SelectorError(f"invalid selector: '{whole}'; can't understand '{part}'")


def _split_at_commas(text: str) -> Iterator[str]:
    start = 0
    escaped = False
    for position, character in enumerate(text):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == ",":
            yield text[start:position]
            start = position + 1
    yield text[start:]


def _unescaped(text: str) -> str:
    if not any(character in text for character in "\\,="):
        return text
    characters: list[str] = []
    pending = iter(text)
    for character in pending:
        if character in ",=":
            # Upstream prints the character's number here.
            raise SelectorError(
                f"invalid field selector: unescaped character in value: {ord(character)}"
            )
        if character == "\\":
            escaped = next(pending, "")
            if escaped not in {"\\", ",", "="}:
                raise SelectorError(f"invalid field selector: invalid escape sequence: \\{escaped}")
            characters.append(escaped)
        else:
            characters.append(character)
    return "".join(characters)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=")
