"""Field paths and field errors, in Kubernetes' words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from kubegang.apimachinery.errors import InvalidError, StatusCause, invalid
from kubegang.apimachinery.gotext import go_json, go_plain, go_quote


class Path:
    """A path to a field, as error texts print it: ``spec.containers[0].name``."""

    __slots__ = ("_text",)

    def __init__(self, text: str = "") -> None:
        self._text = text

    def child(self, *names: str) -> Path:
        """Return the path of a member, or of a member's member."""
        text = self._text
        for name in names:
            text = f"{text}.{name}" if text else name
        return Path(text)

    def index(self, position: int) -> Path:
        """Return the path of a list item."""
        return Path(f"{self._text}[{position}]")

    def key(self, key: str) -> Path:
        """Return the path of a map entry."""
        return Path(f"{self._text}[{key}]")

    def __str__(self) -> str:
        return self._text


class FieldError(msgspec.Struct, frozen=True):
    """One broken rule.

    Attributes:
        reason: the machine-readable cause, such as ``FieldValueInvalid``.
        field: where, as text.
        message: the cause's text, without the field in front.
    """

    reason: str
    field: str
    message: str


def go_value(value: Any) -> str:
    """Print a bad value as field errors do: texts quoted as in Go, lists and maps as JSON."""
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, bool | int | float):
        return go_plain(value)
    return go_json(value)


def required(path: Path, detail: str = "") -> FieldError:
    """A value is missing."""
    text = "Required value" + (f": {detail}" if detail else "")
    return FieldError("FieldValueRequired", str(path), text)


def invalid_value(path: Path, value: Any, detail: str) -> FieldError:
    """A value breaks a rule."""
    text = f"Invalid value: {go_value(value)}" + (f": {detail}" if detail else "")
    return FieldError("FieldValueInvalid", str(path), text)


def duplicate(path: Path, value: Any, detail: str = "") -> FieldError:
    """A value occurs twice where it may not."""
    text = f"Duplicate value: {go_value(value)}" + (f": {detail}" if detail else "")
    return FieldError("FieldValueDuplicate", str(path), text)


def not_supported(path: Path, value: Any, supported: Iterable[str]) -> FieldError:
    """A value is none of the known ones; they are listed in the order given."""
    known = ", ".join(go_quote(word) for word in supported)
    text = f"Unsupported value: {go_value(value)}" + (
        f": supported values: {known}" if known else ""
    )
    return FieldError("FieldValueNotSupported", str(path), text)


def forbidden_field(path: Path, detail: str = "") -> FieldError:
    """A value may not be given here."""
    text = "Forbidden" + (f": {detail}" if detail else "")
    return FieldError("FieldValueForbidden", str(path), text)


def too_many(path: Path, found: int, at_most: int) -> FieldError:
    """A list is too long."""
    text = f"Too many: {found}: must have at most {at_most} {_plural(at_most, 'item')}"
    return FieldError("FieldValueTooMany", str(path), text)


def too_few(path: Path, found: int, at_least: int) -> FieldError:
    """A list is too short."""
    text = f"Too few: {found}: must have at least {at_least} {_plural(at_least, 'item')}"
    return FieldError("FieldValueTooFew", str(path), text)


def too_long(path: Path, at_most: int, *, unit: str = "byte") -> FieldError:
    """A text is too long; some rules count characters instead of bytes."""
    text = f"Too long: may not be more than {at_most} {_plural(at_most, unit)}"
    return FieldError("FieldValueTooLong", str(path), text)


def too_short(path: Path, at_least: int) -> FieldError:
    """A text is too short."""
    text = f"Too short: must be at least {at_least} {_plural(at_least, 'character')}"
    return FieldError("FieldValueTooShort", str(path), text)


def type_invalid(path: Path, value: Any, detail: str) -> FieldError:
    """A value has the wrong type."""
    return FieldError(
        "FieldValueTypeInvalid", str(path), f"Invalid value: {go_value(value)}: {detail}"
    )


def not_found_field(path: Path, value: Any, detail: str = "") -> FieldError:
    """A value names something that does not exist."""
    text = f"Not found: {go_value(value)}" + (f": {detail}" if detail else "")
    return FieldError("FieldValueNotFound", str(path), text)


def invalid_object(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> InvalidError:
    """Return the 422 for an object with these broken rules."""
    causes = [StatusCause(reason=e.reason, message=e.message, field=e.field) for e in errors]
    return invalid(group, kind, name, causes)


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"
