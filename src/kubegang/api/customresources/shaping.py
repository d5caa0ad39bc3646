"""Pruning and defaulting of custom objects, in place.

The order is upstream's (measured on 1.37.2): unknown members go, then nulls that may not
stand where they are, then defaults are filled in. Values that are no JSON object where one is
expected are left alone; validation refuses them.

Pure, but that the object is changed.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from kubegang.api.customresources.nodes import ABSENT, SchemaNode

META_FIELDS = frozenset({"apiVersion", "kind", "metadata"})


def prune(value: Any, node: SchemaNode | None, path: str = "") -> list[str]:
    """Drop members that the schema does not have, and return their paths.

    Inside metadata nothing is unknown to the schema: what belongs there is decided by type.
    """
    found: list[str] = []
    _prune(value, node, path, found)
    return sorted(found)


def drop_nulls(value: Any, node: SchemaNode | None) -> None:
    """Drop nulls from members that may not be null and have no default to take their place."""
    if isinstance(value, dict):
        for name in list(value):
            member = None if node is None else node.member(name)
            if value[name] is None and member is not None and _refuses_null(member):
                del value[name]
            else:
                drop_nulls(value[name], member)
    elif isinstance(value, list):
        items = None if node is None else node.items
        for item in value:
            drop_nulls(item, items)


def fill_defaults(value: Any, node: SchemaNode | None) -> None:
    """Fill in what the schema has a default for."""
    if node is None:
        return
    if isinstance(value, dict):
        _fill_members(value, node)
    elif isinstance(value, list) and node.items is not None:
        for position, item in enumerate(value):
            if item is None and not node.items.nullable:
                value[position] = _default_of(node.items)
            fill_defaults(value[position], node.items)


def _fill_members(value: dict[str, Any], node: SchemaNode) -> None:
    for name, member in node.properties.items():
        if member.default is ABSENT:
            continue
        if name not in value or (value[name] is None and not member.nullable):
            value[name] = deepcopy(member.default)
    for name, member in value.items():
        known = node.properties.get(name)
        if known is None:
            known = node.values
            if known is not None and member is None and not known.nullable:
                value[name] = _default_of(known)
        fill_defaults(value[name], known)


def _default_of(node: SchemaNode) -> Any:
    return None if node.default is ABSENT else deepcopy(node.default)


def _refuses_null(node: SchemaNode) -> bool:
    return not node.nullable and node.default is ABSENT


def _prune(value: Any, node: SchemaNode | None, path: str, found: list[str]) -> None:
    if isinstance(value, dict):
        _prune_members(value, node, path, found)
    elif isinstance(value, list):
        items = None if node is None else node.items
        if node is not None and node.preserves:
            # Items of a free list are free as well, but for what the schema says of them.
            if items is not None:
                for position, item in enumerate(value):
                    _prune_free(item, items, f"{path}[{position}]", found)
            return
        for position, item in enumerate(value):
            _prune(item, items, f"{path}[{position}]", found)


def _prune_free(value: Any, node: SchemaNode, path: str, found: list[str]) -> None:
    """Prune what is declared inside a value whose unknown members are kept."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if node.embedded and name in META_FIELDS:
                continue
            if name in node.properties or node.is_map:
                _prune(inner, node.member(name), _below(path, name), found)
    elif isinstance(value, list) and node.items is not None:
        for position, item in enumerate(value):
            _prune_free(item, node.items, f"{path}[{position}]", found)


def _prune_members(
    value: dict[str, Any], node: SchemaNode | None, path: str, found: list[str]
) -> None:
    if node is not None and node.preserves:
        _prune_free(value, node, path, found)
        return
    for name in list(value):
        if node is not None:
            if node.embedded and name in META_FIELDS:
                continue
            member = node.properties.get(name)
            if member is not None or node.is_map:
                _prune(value[name], member or node.values, _below(path, name), found)
                continue
        if name not in META_FIELDS or path:
            found.append(_below(path, name))
        del value[name]


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
