"""Which old value a new one stands for, where updates are only held to what they change.

Values are correlated along members of maps and structs and items of lists of type map (KEP
4008); items of other lists, and what is below an atomic map, have no old value.

Pure.
"""

from __future__ import annotations

from typing import Any, Final

from kubegang.api.customresources.nodes import SchemaNode

NOTHING: Final = object()
"""Stands for an old value that is not there, or not known to be the same thing's."""


def old_member(old: Any, name: str, node: SchemaNode) -> Any:
    """Return the old value of a member, or ``NOTHING``."""
    if node.map_type == "atomic" or not isinstance(old, dict) or node.member(name) is None:
        return NOTHING
    return old.get(name, NOTHING)


def old_item(old: Any, item: Any, node: SchemaNode) -> Any:
    """Return the old item with the same keys, or ``NOTHING``."""
    if node.list_type != "map" or not isinstance(old, list) or not isinstance(item, dict):
        return NOTHING
    keys = node.list_map_keys
    wanted = [item.get(key) for key in keys]
    for candidate in old:
        if isinstance(candidate, dict) and [candidate.get(key) for key in keys] == wanted:
            return candidate
    return NOTHING


def same(new: Any, old: Any) -> bool:
    """Return whether nothing changed; numbers count as equal only if of one type."""
    return old is not NOTHING and _equal(new, old)


def _equal(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_equal(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return bool(left == right)
