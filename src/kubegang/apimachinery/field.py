"""Field paths and field errors, in Kubernetes' words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from kubegang.apimachinery.errors import InvalidError, StatusCause, invalid


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
    """Print a value the way Go's ``%#v``-like field errors do: strings quoted, the rest as JSON."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    return msgspec.json.encode(value).decode()


def required(path: Path, detail: str = "") -> FieldError:
    """A value is missing."""
    text = "Required value" + (f": {detail}" if detail else "")
    return FieldError("FieldValueRequired", str(path), text)


def invalid_value(path: Path, value: Any, detail: str) -> FieldError:
    """A value breaks a rule."""
    text = f"Invalid value: {go_value(value)}" + (f": {detail}" if detail else "")
    return FieldError("FieldValueInvalid", str(path), text)


def duplicate(path: Path, value: Any) -> FieldError:
    """A value occurs twice where it may not."""
    return FieldError("FieldValueDuplicate", str(path), f"Duplicate value: {go_value(value)}")


def not_supported(path: Path, value: Any, supported: Iterable[str]) -> FieldError:
    """A value is none of the known ones; they are listed in the order given."""
    known = ", ".join(go_value(word) for word in supported)
    text = f"Unsupported value: {go_value(value)}: supported values: {known}"
    return FieldError("FieldValueNotSupported", str(path), text)


def forbidden_field(path: Path, detail: str = "") -> FieldError:
    """A value may not be given here."""
    text = "Forbidden" + (f": {detail}" if detail else "")
    return FieldError("FieldValueForbidden", str(path), text)


def too_many(path: Path, found: int, at_most: int) -> FieldError:
    """A list is too long."""
    items = "item" if at_most == 1 else "items"
    text = f"Too many: {found}: must have at most {at_most} {items}"
    return FieldError("FieldValueTooMany", str(path), text)


def too_long(path: Path, at_most: int) -> FieldError:
    """A text is too long."""
    return FieldError(
        "FieldValueTooLong", str(path), f"Too long: may not be more than {at_most} bytes"
    )


def type_invalid(path: Path, value: Any, detail: str) -> FieldError:
    """A value has the wrong type."""
    return FieldError(
        "FieldValueTypeInvalid", str(path), f"Invalid value: {go_value(value)}: {detail}"
    )


def not_found_field(path: Path, value: Any) -> FieldError:
    """A value names something that does not exist."""
    return FieldError("FieldValueNotFound", str(path), f"Not found: {go_value(value)}")


def invalid_object(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> InvalidError:
    """Return the 422 for an object with these broken rules."""
    causes = [StatusCause(reason=e.reason, message=e.message, field=e.field) for e in errors]
    return invalid(group, kind, name, causes)
