"""Quantities and versions as values of an expression.

The library computes with its own types only, so a value of ``kubernetes.Quantity`` or
``kubernetes.Semver`` travels through an expression as a map with one entry: the name of the
type, and the value in a text that is the same for equal values. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubegang.apimachinery.cel.semver import Semver
from kubegang.apimachinery.quantity import Quantity

QUANTITY: Final = "kubernetes.Quantity"
SEMVER: Final = "kubernetes.Semver"

_NANO: Final = 10**9
_INT64: Final = range(-(2**63), 2**63)

Encoded = dict[str, str]
"""A quantity or a version, as the library sees it."""


class NoOverloadError(ValueError):
    """A function was called with what it does not take."""

    def __init__(self) -> None:
        super().__init__("no such overload")


def encode_quantity(quantity: Quantity) -> Encoded:
    """Return the value of a quantity in an expression."""
    return {QUANTITY: str(quantity.nano_value())}


def encode_semver(version: Semver) -> Encoded:
    """Return the value of a version in an expression."""
    return {SEMVER: str(version)}


def nanos(value: Mapping[str, str]) -> int:
    """Return a quantity in billionths.

    Raises:
        NoOverloadError: the value is something else.
    """
    text = value.get(QUANTITY)
    if text is None:
        raise NoOverloadError
    return int(text)


def quantity_of(amount: int) -> Encoded:
    """Return the value of so many billionths."""
    return {QUANTITY: str(amount)}


def version(value: Mapping[str, str]) -> Semver:
    """Return a version.

    Raises:
        NoOverloadError: the value is something else.
    """
    text = value.get(SEMVER)
    if text is None:
        raise NoOverloadError
    return Semver.parse(text)


def compare(left: Mapping[str, str], right: Mapping[str, str]) -> int:
    """Return -1, 0 or 1; both must be quantities, or both versions."""
    if QUANTITY in left:
        return _sign(nanos(left), nanos(right))
    return _sign(version(left), version(right))


def whole(value: Mapping[str, str]) -> int | None:
    """Return a quantity as an integer, if it is one of 64 bits."""
    number, rest = divmod(nanos(value), _NANO)
    return number if not rest and number in _INT64 else None


def approximate(value: Mapping[str, str]) -> float:
    """Return a quantity as a float."""
    return nanos(value) / _NANO


def add_whole(value: Mapping[str, str], number: int) -> Encoded:
    """Return a quantity with an integer added."""
    return quantity_of(nanos(value) + number * _NANO)


def _sign(left: int | Semver, right: int | Semver) -> int:
    if left == right:
        return 0
    return -1 if left < right else 1  # type: ignore[operator]
