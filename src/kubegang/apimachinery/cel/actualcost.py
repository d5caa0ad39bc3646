"""What calls cost when they are made, as cel-go and Kubernetes' libraries count. Pure."""

from __future__ import annotations

from math import ceil
from typing import Any, Final

from kubegang.apimachinery.cel.runtime import size_of

TRAVERSAL: Final = 0.1
"""What looking at one character or byte costs."""

REGEX_LENGTH: Final = 0.25
"""What one character of a pattern multiplies the cost of matching with."""

_TRAVERSE_FIRST: Final = frozenset(
    {
        "url",
        "lowerAscii",
        "upperAscii",
        "substring",
        "trim",
        "cidr",
        "isIP",
        "isCIDR",
        "quantity",
        "isQuantity",
        "semver",
        "isSemver",
    }
)
_TWICE_FIRST: Final = frozenset({"replace", "split", "ip.isCanonical"})
_WHOLE_LIST: Final = frozenset({"isSorted", "sum", "max", "min", "includes"})
_CONVERTED: Final = frozenset(
    {"string_to_bytes", "bytes_to_string", "strings_quote", "string_format"}
)
_COMPARED: Final = frozenset({"_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"})


def call_cost(name: str, overload: str, values: list[Any]) -> int:
    """Return the cost of a call."""
    if name in _COMPARED:
        return ceil(min(size_of(values[0]), size_of(values[1])) * TRAVERSAL)
    if name in _WHOLE_LIST or name in ("indexOf", "lastIndexOf"):
        return traversal_cost(values[0])
    if name in _TRAVERSE_FIRST or overload in _CONVERTED:
        return ceil(size_of(values[0]) * TRAVERSAL)
    if name in _TWICE_FIRST:
        return ceil(size_of(values[0]) * 2 * TRAVERSAL)
    match name:
        case "startsWith" | "endsWith":
            return ceil(size_of(values[1]) * TRAVERSAL)
        case "@in" if isinstance(values[1], list):
            return size_of(values[1])
        case "_+_" if isinstance(values[0], str | bytes):
            return ceil((size_of(values[0]) + size_of(values[1])) * TRAVERSAL)
        case "matches" | "find" | "findAll":
            text = ceil((1 + size_of(values[0])) * TRAVERSAL)
            return text * ceil(size_of(values[1]) * REGEX_LENGTH)
        case "contains":
            return ceil(size_of(values[0]) * TRAVERSAL) * ceil(size_of(values[1]) * TRAVERSAL)
        case "join":
            return ceil(_joined_size(values) * 2 * TRAVERSAL)
        case "validate":
            regex_size: int = values[0].regex_size
            return ceil((1 + size_of(values[1])) * TRAVERSAL) * ceil(regex_size * REGEX_LENGTH)
        case "containsIP" | "containsCIDR":
            return ceil(size_of(values[0]) * 2 * TRAVERSAL) + ceil(size_of(values[1]) * TRAVERSAL)
    return 1


def traversal_cost(value: Any) -> int:
    """Return what looking at all of a value costs."""
    if isinstance(value, str | bytes):
        return int(len(value) * TRAVERSAL)
    if isinstance(value, list):
        return sum(map(traversal_cost, value))
    if isinstance(value, dict):
        return sum(traversal_cost(key) + traversal_cost(one) for key, one in value.items())
    return 1


def _joined_size(values: list[Any]) -> int:
    items = [one for one in values[0] if isinstance(one, str)]
    between = len(values[1]) if len(values) > 1 else 0
    return sum(map(len, items)) + between * max(0, len(items) - 1)
