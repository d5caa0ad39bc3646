"""Functions on lists and on lists as sets. Pure."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from itertools import pairwise
from typing import Any, Final

from kubegang.apimachinery.cel.operators import FUNCTIONS as OPERATORS
from kubegang.apimachinery.cel.operators import compare
from kubegang.apimachinery.cel.runtime import NONE, EvalError, Optional, equal, no_overload


def _sum(values: list[Any]) -> Any:
    if not values:
        return 0
    total = values[0]
    for value in values[1:]:
        total = OPERATORS["_+_"](total, value)
    return total


def _extreme(name: str, sign: int) -> Callable[[list[Any]], Any]:
    def function(values: list[Any]) -> Any:
        if not values:
            raise EvalError(f"{name} called on empty list")
        best = values[0]
        for value in values[1:]:
            if compare(value, best) * sign > 0:
                best = value
        return best

    return function


def _is_sorted(values: list[Any]) -> bool:
    return all(compare(left, right) <= 0 for left, right in pairwise(values))


def _slice(values: list[Any], start: int, end: int) -> list[Any]:
    if start < 0 or end < 0:
        raise EvalError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise EvalError(
            f"cannot slice({start}, {end}), start index must be less than or equal to end index"
        )
    if end > len(values):
        raise EvalError(f"cannot slice({start}, {end}), list is length {len(values)}")
    return values[start:end]


def _flatten(values: list[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise EvalError("level must be non-negative")
    flat: list[Any] = []
    for value in values:
        if isinstance(value, list) and depth > 0:
            flat += _flatten(value, depth - 1)
        else:
            flat.append(value)
    return flat


def _distinct(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(equal(value, one) for one in found):
            found.append(value)
    return found


def _range(count: int) -> list[int]:
    if count > 1_000_000:
        raise EvalError(f"lists.range({count}): size too large")
    return list(range(count))


def _includes(values: Any, item: Any) -> bool:
    if not isinstance(values, list):
        raise no_overload()
    return any(equal(one, item) for one in values)


def _contains(left: list[Any], right: list[Any]) -> bool:
    return all(_includes(left, one) for one in right)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "sum": _sum,
    "min": _extreme("min", -1),
    "max": _extreme("max", 1),
    "isSorted": _is_sorted,
    "sort": lambda values: sorted(values, key=cmp_to_key(compare)),
    "slice": _slice,
    "flatten": _flatten,
    "distinct": _distinct,
    "lists.range": _range,
    "includes": _includes,
    "first": lambda values: Optional(values[0]) if values else NONE,
    "last": lambda values: Optional(values[-1]) if values else NONE,
    "sets.contains": _contains,
    "sets.equivalent": lambda left, right: _contains(left, right) and _contains(right, left),
    "sets.intersects": lambda left, right: any(_includes(right, one) for one in left),
}
