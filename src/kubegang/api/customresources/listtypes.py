"""Items that lists of type set and map may not have twice.

Of items that are the same the second is told, whatever follows (upstream's rule). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from kubegang.api.customresources.nodes import SchemaNode
from kubegang.apimachinery.field import FieldError, Path, duplicate, invalid_value

_ENCODE = msgspec.json.Encoder(order="deterministic").encode


def duplicate_items(
    value: Any, node: SchemaNode | None, path: Path | None = None
) -> Iterator[FieldError]:
    """Yield an error for each item that a list in the value has twice."""
    if node is None:
        return
    here = path or Path()
    if isinstance(value, list):
        if node.list_type == "set":
            yield from _set_errors(value, here)
        elif node.list_type == "map":
            yield from _map_errors(value, node, here)
        for position, item in enumerate(value):
            yield from duplicate_items(item, node.items, here.index(position))
    elif isinstance(value, dict):
        for name, member in value.items():
            below = node.properties.get(name)
            if below is not None:
                yield from duplicate_items(member, below, here.child(name))
            elif node.values is not None:
                yield from duplicate_items(member, node.values, here.key(name))


def _set_errors(values: list[Any], path: Path) -> Iterator[FieldError]:
    for position in _second_ones(values):
        yield duplicate(path.index(position), values[position])


def _map_errors(values: list[Any], node: SchemaNode, path: Path) -> Iterator[FieldError]:
    for position, item in enumerate(values):
        if item is not None and not isinstance(item, dict):
            detail = "must be an object for an array of list-type map"
            yield invalid_value(path.index(position), item, detail)
            return
    keys = [
        {key: item[key] for key in node.list_map_keys if key in (item or {})} for item in values
    ]
    for position in _second_ones(keys):
        yield duplicate(path.index(position), keys[position])


def _second_ones(values: Iterable[Any]) -> Iterator[int]:
    seen: dict[bytes, int] = {}
    for position, value in enumerate(values):
        key = _ENCODE(value)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == 2:
            yield position
