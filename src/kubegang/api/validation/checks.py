"""The few checks that recur in every kind: presence, range, choice, format, sameness.

Each yields field errors, so a caller writes ``yield from`` and a valid object builds no
lists. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from kubegang.apimachinery.field import (
    FieldError,
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)

Errors = Iterator[FieldError]
"""What a rule yields: nothing for an object that keeps it."""

TextRule = Callable[[str], Sequence[str]]
"""A format: returns what is wrong with a text, in Kubernetes' words; nothing if it is fine."""

IMMUTABLE = "field is immutable"

_MAX_INT32 = 2**31 - 1


def invalid(path: Path, detail: str) -> FieldError:
    """Report a broken rule without showing a value."""
    return FieldError("FieldValueInvalid", str(path), f"Invalid value: {detail}")


def matching(path: Path, value: str, rule: TextRule) -> Errors:
    """Check the format of a text."""
    for detail in rule(value):
        yield invalid_value(path, value, detail)


def required_matching(path: Path, value: str | None, rule: TextRule) -> Errors:
    """Check that a text is there, and its format."""
    if value:
        yield from matching(path, value, rule)
    else:
        yield required(path)


def required_members(path: Path, obj: Any, *names: str) -> Errors:
    """Check that members are there and not empty."""
    for name in names:
        if not obj.get(name):
            yield required(path.child(name))


def not_negative(path: Path, value: int | None) -> Errors:
    """Check a number that may be left out or zero."""
    if value is not None and value < 0:
        yield invalid_value(path, value, "must be greater than or equal to 0")


def positive(path: Path, value: int | None) -> Errors:
    """Check a number that must be above zero; left out counts as zero."""
    number = value or 0
    if number <= 0:
        yield invalid_value(path, number, "must be greater than zero")


def between(path: Path, value: int | None, *, low: int, high: int) -> Errors:
    """Check that a number, if given, lies in a range that includes both ends."""
    if value is not None and not low <= value <= high:
        yield invalid_value(path, value, f"must be between {low} and {high}, inclusive")


def unix_id(path: Path, value: int | None) -> Errors:
    """Check a user or group number."""
    yield from between(path, value, low=0, high=_MAX_INT32)


def one_of(path: Path, value: str | None, allowed: Sequence[str]) -> Errors:
    """Check that a word, if given, is one of those allowed, listed in the order given."""
    if value is not None and value not in allowed:
        yield not_supported(path, value, allowed)


def required_one_of(path: Path, value: str | None, allowed: Sequence[str]) -> Errors:
    """Check that a word is there and is one of those allowed."""
    if value:
        yield from one_of(path, value, allowed)
    else:
        yield required(path)


def unset(path: Path, obj: Any, detail: str, *, names: Iterable[str]) -> Errors:
    """Check that none of some members is given; false, zero and empty count as not given."""
    for name in names:
        if obj.get(name):
            yield forbidden_field(path.child(name), detail)


def absent(path: Path, obj: Any, detail: str, *, names: Iterable[str]) -> Errors:
    """Check that none of some members is given, not even as false, zero or empty."""
    for name in names:
        if obj.get(name) is not None:
            yield forbidden_field(path.child(name), detail)


def unchanged(path: Path, new: Any, old: Any) -> Errors:
    """Check that a plain value stays what it was; null, empty and left out are the same."""
    if (new or None) != (old or None):
        yield invalid_value(path, new, IMMUTABLE)
