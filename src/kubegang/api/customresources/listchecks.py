"""Validation of what a schema says about the topology of lists and maps. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubegang.apimachinery.field import (
    FieldError,
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.objects import JsonObject

_LIST, _MAP, _KEYS = "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-list-map-keys"


def list_errors(schema: JsonObject, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with list types, map types and keys at one place."""
    keeps = "x-kubernetes-preserve-unknown-fields"
    if schema.get(keeps) is False:
        yield invalid_value(path.child(keeps), value=False, detail="must be true or undefined")
    yield from _shape_errors(schema, path)
    keys, list_type = schema.get(_KEYS) or [], schema.get(_LIST)
    if keys and list_type != "map":
        detail = "must be map if x-kubernetes-list-map-keys is non-empty"
        if list_type is None:
            yield required(path.child(_LIST), detail)
        else:
            yield invalid_value(path.child(_LIST), list_type, detail)
    if list_type == "map":
        yield from _map_list_errors(schema, keys, path)
    items = schema.get("items")
    if isinstance(items, dict) and list_type in ("set", "map"):
        yield from _item_errors(schema, items, path)


def _shape_errors(schema: JsonObject, path: Path) -> Iterator[FieldError]:
    for name, wanted, known in (
        (_MAP, "object", ("atomic", "granular")),
        (_LIST, "array", ("atomic", "set", "map")),
    ):
        said = schema.get(name)
        if said is None:
            continue
        kind = schema.get("type") or ""
        if kind != wanted:
            detail = f"must be {wanted} if {name} is specified"
            where = path.child("type")
            yield invalid_value(where, kind, detail) if kind else required(where, detail)
        elif name == _LIST and said == "set":
            yield from _set_errors(schema.get("items"), path.child("items"))
        if said not in known:
            yield not_supported(path.child(name), said, known)


def _set_errors(items: Any, path: Path) -> Iterator[FieldError]:
    """Check that items of a set are values that are only compared as a whole."""
    if not isinstance(items, dict):
        return
    detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
    inner = items.get(_LIST)
    if items.get("type") == "array" and inner not in (None, "atomic"):
        yield invalid_value(path.child(_LIST), inner, detail)
    elif items.get("type") == "object" and items.get(_MAP) != "atomic":
        yield invalid_value(path.child(_MAP), inner, detail)


def _map_list_errors(schema: JsonObject, keys: list[str], path: Path) -> Iterator[FieldError]:
    items = schema.get("items")
    if not keys:
        yield required(path.child(_KEYS), "must not be empty if x-kubernetes-list-type is map")
    if items is None:
        detail = "must have a schema if x-kubernetes-list-type is map"
        yield required(path.child("items"), detail)
        return
    if not isinstance(items, dict):
        detail = "must only have a single schema if x-kubernetes-list-type is map"
        yield invalid_value(path.child("items"), items, detail)
        return
    kind = items.get("type") or ""
    if kind != "object":
        detail = "must be object if parent array's x-kubernetes-list-type is map"
        yield invalid_value(path.child("items", "type"), kind, detail)
        return
    properties = items.get("properties") or {}
    seen: set[str] = set()
    for key in keys:
        if key not in properties:
            yield invalid_value(
                path.child(_KEYS), keys, "entries must all be names of item properties"
            )
        elif properties[key].get("type") in ("array", "object"):
            where = path.child("items", "properties").key(key).child("type")
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            yield invalid_value(where, kind, detail)
        if key in seen:
            yield invalid_value(path.child(_KEYS), keys, "must not contain duplicate entries")
        seen.add(key)


def _item_errors(schema: JsonObject, items: JsonObject, path: Path) -> Iterator[FieldError]:
    """Check that items, and their keys, are always there."""
    list_type = schema[_LIST]
    if items.get("nullable"):
        detail = f"cannot be nullable when x-kubernetes-list-type is {list_type}"
        yield forbidden_field(path.child("items", "nullable"), detail)
    if list_type != "map":
        return
    needed, properties = items.get("required") or (), items.get("properties") or {}
    for key in schema.get(_KEYS) or ():
        member = properties.get(key)
        if member is None:
            continue
        where = path.child("items", "properties").key(key)
        said = "this property is in x-kubernetes-list-map-keys, so it"
        if key not in needed and member.get("default") is None:
            detail = f"{said} must have a default or be a required property"
            yield required(where.child("default"), detail)
        if member.get("nullable"):
            yield forbidden_field(where.child("nullable"), f"{said} cannot be nullable")
