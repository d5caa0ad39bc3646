"""Lists of resources as quotas and limit ranges compare them: names with quantities.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from kubegang.apimachinery.quantity import Quantity

Amounts = dict[str, Quantity]

ZERO = Quantity(0, 0, family="DecimalSI")
ONE = Quantity(1, 0, family="DecimalSI")


def amounts_of(wire: Mapping[str, Any] | None) -> Amounts:
    """Read a resource list."""
    return {name: Quantity.parse(value) for name, value in (wire or {}).items()}


def to_wire(amounts: Amounts) -> dict[str, str]:
    """Write a resource list."""
    return {name: str(quantity) for name, quantity in sorted(amounts.items())}


def added(parts: Iterable[Mapping[str, Quantity]]) -> Amounts:
    """Return the sum of lists."""
    total: Amounts = {}
    for part in parts:
        for name, quantity in part.items():
            total[name] = total[name].plus(quantity) if name in total else quantity
    return total


def subtracted(amounts: Mapping[str, Quantity], less: Mapping[str, Quantity]) -> Amounts:
    """Return the difference of two lists; what only the second has becomes negative."""
    names = dict.fromkeys((*amounts, *less))
    return {name: amounts.get(name, ZERO).minus(less.get(name, ZERO)) for name in names}


def greatest(parts: Iterable[Mapping[str, Quantity]]) -> Amounts:
    """Return for each resource the greatest amount of several lists."""
    most: Amounts = {}
    for part in parts:
        for name, quantity in part.items():
            if name not in most or most[name] < quantity:
                most[name] = quantity
    return most


def only(amounts: Mapping[str, Quantity], names: Collection[str]) -> Amounts:
    """Return the part of a list with some names."""
    return {name: quantity for name, quantity in amounts.items() if name in names}


def said(amounts: Mapping[str, Quantity]) -> str:
    """Return a list as refusals say it."""
    return ",".join(f"{name}={quantity}" for name, quantity in sorted(amounts.items()))
