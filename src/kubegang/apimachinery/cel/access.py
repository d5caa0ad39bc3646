"""Reaching into values: fields, keys, items, and those that need not be there."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.cel import library
from kubegang.apimachinery.cel.runtime import (
    NONE,
    EvalError,
    Optional,
    StructValue,
    no_key,
    no_overload,
)
from kubegang.apimachinery.cel.syntax import Fold


def pairs(values: Any, fold: Fold) -> list[tuple[Any, Any]]:
    """Return what a comprehension goes through: items, or keys and values."""
    if isinstance(values, list):
        if fold.second:
            return list(enumerate(values))
        return [(value, None) for value in values]
    if isinstance(values, dict):
        return list(values.items())
    raise no_overload()


def optional_at(value: Optional, at: Any) -> Optional:
    """Return an item or value that need not be there."""
    if not value.present:
        return NONE
    try:
        return Optional(library.at_index(value.value, at))
    except EvalError as error:
        if str(error).startswith(("no such key", "index out of bounds")):
            return NONE
        raise


def has(value: Any, name: str) -> bool:
    """Return whether a value has a field or key."""
    if isinstance(value, Optional):
        return value.present and has(value.value, name)
    if isinstance(value, StructValue):
        return value.has(name)
    if isinstance(value, dict):
        return name in value
    raise no_overload()


def field(value: Any, name: str) -> Any:
    """Return a value's field, or what a map has under a key."""
    if isinstance(value, StructValue):
        return value.get(name)
    if isinstance(value, dict):
        if name not in value:
            raise no_key(name)
        return value[name]
    if isinstance(value, Optional):
        if not value.present or not has(value.value, name):
            return NONE
        return Optional(field(value.value, name))
    raise no_overload()
