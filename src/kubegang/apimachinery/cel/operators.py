"""Operators: equality, order, arithmetic, membership, indexes. Pure."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any, Final

from kubegang.apimachinery.cel.runtime import (
    INT64,
    UINT64,
    Duration,
    EvalError,
    KeyedList,
    Optional,
    SetList,
    Timestamp,
    UInt,
    equal,
    is_number,
    no_key,
    no_overload,
)


def integer(value: int) -> int:
    """Return a signed integer.

    Raises:
        EvalError: it has more than 64 bits.
    """
    if value not in INT64:
        raise EvalError("integer overflow")
    return value


def unsigned(value: int) -> UInt:
    """Return an unsigned integer.

    Raises:
        EvalError: it is negative, or has more than 64 bits.
    """
    if value not in UINT64:
        raise EvalError("unsigned integer overflow")
    return UInt(value)


def compare(left: Any, right: Any) -> int:
    """Return -1, 0 or 1; NaN is neither.

    Raises:
        EvalError: the values cannot be compared.
    """
    comparable = (is_number(left) and is_number(right)) or (
        type(left) is type(right) and isinstance(left, str | bytes | bool | Timestamp | Duration)
    )
    if not comparable:
        raise no_overload()
    return int(left > right) - int(left < right)


def at_index(value: Any, at: Any) -> Any:
    """Return an item of a list, or a map's value for a key.

    Raises:
        EvalError: it is not there.
    """
    if isinstance(value, list):
        position = _position(at)
        if not 0 <= position < len(value):
            raise EvalError(f"index out of bounds: {position}")
        return value[position]
    if isinstance(value, dict):
        if isinstance(at, float) and at.is_integer():
            at = int(at)
        if at not in value:
            raise no_key(_shown(at))
        return value[at]
    raise no_overload()


def _position(at: Any) -> int:
    if is_number(at) and float(at).is_integer():
        return int(at)
    raise no_overload()


def _shown(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(key)


def _less(left: Any, right: Any) -> bool:
    return compare(left, right) < 0 and not _unordered(left, right)


def _less_equals(left: Any, right: Any) -> bool:
    return compare(left, right) <= 0 and not _unordered(left, right)


def _greater(left: Any, right: Any) -> bool:
    return compare(left, right) > 0


def _greater_equals(left: Any, right: Any) -> bool:
    return compare(left, right) >= 0 and not _unordered(left, right)


def _unordered(left: Any, right: Any) -> bool:
    # Only NaN differs from itself.
    return bool(left != left or right != right)  # noqa: PLR0124


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, Timestamp | Duration) and isinstance(right, Timestamp | Duration):
        if isinstance(left, Timestamp) and isinstance(right, Timestamp):
            raise no_overload()
        kind = Duration if isinstance(left, Duration) and isinstance(right, Duration) else Timestamp
        return kind(left.nanoseconds + right.nanoseconds)
    if isinstance(left, list) and isinstance(right, list):
        return _joined(left, right)
    if type(left) is type(right) and isinstance(left, str | bytes):
        return left + right
    return _arithmetic(left, right, lambda a, b: a + b)


def _joined(left: list[Any], right: list[Any]) -> list[Any]:
    """Join lists; those of type set and map keep every item once."""
    if isinstance(left, SetList):
        return SetList([*left, *(one for one in right if not any(equal(one, own) for own in left))])
    if isinstance(left, KeyedList):
        found = {left.key(one): one for one in left}
        found |= {left.key(one): one for one in right}
        return KeyedList(iter(found.values()), left.key)
    return [*left, *right]


def _subtract(left: Any, right: Any) -> Any:
    if isinstance(left, Timestamp) and isinstance(right, Timestamp):
        return Duration(left.nanoseconds - right.nanoseconds)
    if isinstance(left, Timestamp | Duration) and isinstance(right, Duration):
        return type(left)(left.nanoseconds - right.nanoseconds)
    return _arithmetic(left, right, lambda a, b: a - b)


def _multiply(left: Any, right: Any) -> Any:
    return _arithmetic(left, right, lambda a, b: a * b)


def _divide(left: Any, right: Any) -> Any:
    if isinstance(left, float) and isinstance(right, float):
        if right:
            return left / right
        return float("nan") if not left or isnan(left) else float("inf") * left
    if right == 0 and is_number(right):
        raise EvalError("division by zero")
    return _arithmetic(
        left, right, lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    )


def _modulo(left: Any, right: Any) -> Any:
    if right == 0 and is_number(right):
        raise EvalError("modulus by zero")
    return _arithmetic(left, right, lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1))


def _arithmetic(left: Any, right: Any, compute: Callable[[Any, Any], Any]) -> Any:
    if not is_number(left) or not is_number(right) or type(left) is not type(right):
        raise no_overload()
    result = compute(left, right)
    if isinstance(left, float):
        return result
    return unsigned(result) if isinstance(left, UInt) else integer(result)


def _negate(value: Any) -> Any:
    if isinstance(value, float):
        return -value
    if not is_number(value) or isinstance(value, UInt):
        raise no_overload()
    return integer(-value)


def _not(value: Any) -> bool:
    if not isinstance(value, bool):
        raise no_overload()
    return not value


def _in(item: Any, within: Any) -> bool:
    if isinstance(within, list):
        return any(equal(item, one) for one in within)
    if isinstance(within, dict):
        return isinstance(item, str | int | float) and item in within
    raise no_overload()


def _size(value: Any) -> int:
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    raise no_overload()


def _map_insert(into: Any, key: Any, *value: Any) -> dict[Any, Any]:
    entries = {key: value[0]} if value else key
    result = dict(into)
    for name, one in entries.items():
        if name in result:
            raise EvalError(f"insert failed: key {_shown(name)} already exists")
        result[name] = one
    return result


def _value(optional: Any) -> Any:
    if not optional.present:
        raise EvalError("optional.none() dereference")
    return optional.value


def _non_zero(value: Any) -> Optional:
    empty = value is None or value in (0, False, "", b"") or value in ([], {})
    return Optional(value, present=not empty)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "_==_": equal,
    "_!=_": lambda left, right: not equal(left, right),
    "_<_": _less,
    "_<=_": _less_equals,
    "_>_": _greater,
    "_>=_": _greater_equals,
    "_+_": _add,
    "_-_": _subtract,
    "_*_": _multiply,
    "_/_": _divide,
    "_%_": _modulo,
    "-_": _negate,
    "!_": _not,
    "@in": _in,
    "size": _size,
    "cel.@mapInsert": _map_insert,
    "optional.of": Optional,
    "optional.none": lambda: Optional(None, present=False),
    "optional.ofNonZeroValue": _non_zero,
    "optional.unwrap": lambda values: [one.value for one in values if one.present],
    "unwrapOpt": lambda values: [one.value for one in values if one.present],
    "value": _value,
    "hasValue": lambda optional: optional.present,
    "or": lambda optional, other: optional if optional.present else other,
    "orValue": lambda optional, other: optional.value if optional.present else other,
}
