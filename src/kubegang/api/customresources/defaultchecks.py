"""Validation of the defaults in a schema: each must be a value that the schema accepts.

Defaults inside kind, version and metadata of a resource are tried as part of one. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from kubegang.api.customresources.metadata import (
    CoercionError,
    coerce_embedded,
    validate_embedded,
)
from kubegang.api.customresources.nodes import ABSENT, SchemaNode, rooted
from kubegang.api.customresources.results import field_errors
from kubegang.api.customresources.rules import RuleSet
from kubegang.api.customresources.schemavalidation import validate_value
from kubegang.api.customresources.shaping import META_FIELDS, prune
from kubegang.apimachinery.field import FieldError, Path, invalid_value
from kubegang.apimachinery.objects import JsonObject

_Around = Callable[[Any], JsonObject]
"""Returns a resource with a value in the place of a default."""


def default_errors(node: SchemaNode, path: Path) -> list[FieldError]:
    """Return what is wrong with the defaults below the root of a schema."""
    return list(_errors(rooted(node), path, around=_resource, in_meta=False, root=None))


def _resource(value: Any) -> JsonObject:
    return {"apiVersion": "validation/v1", "kind": "Validation", **value}


def _errors(
    node: SchemaNode, path: Path, *, around: _Around, in_meta: bool, root: SchemaNode | None
) -> Iterator[FieldError]:
    if node.embedded:
        in_meta, around, root = False, _resource, node
    if node.default is not ABSENT:
        where = path.child("default")
        if in_meta and root is not None:
            yield from _meta_errors(node, where, around, root)
        else:
            yield from _plain_errors(node, where)
    if node.items is not None:
        inside = _in_list(around)
        yield from _errors(
            node.items, path.child("items"), around=inside, in_meta=in_meta, root=root
        )
    for name, member in node.properties.items():
        yield from _errors(
            member,
            path.child("properties").key(name),
            around=_in_member(around, name),
            in_meta=in_meta or (node.embedded and name in META_FIELDS),
            root=root,
        )


def _in_list(around: _Around) -> _Around:
    return lambda value: around([value])


def _in_member(around: _Around, name: str) -> _Around:
    return lambda value: around({name: value})


def _plain_errors(node: SchemaNode, path: Path) -> Iterator[FieldError]:
    value = deepcopy(node.default)
    if prune(value, node):
        yield invalid_value(path, node.default, "must not have unknown fields")
    value = deepcopy(node.default)
    try:
        coerce_embedded(value, node, str(path))
    except CoercionError as error:
        field, _, message = str(error).partition(": ")
        yield FieldError("FieldValueInvalid", field, message)
        return
    found = list(validate_embedded(value, node, path))
    found = found or field_errors(validate_value(value, node), path)
    yield from found or RuleSet(node).default_errors(value, path)


def _meta_errors(
    node: SchemaNode, path: Path, around: _Around, root: SchemaNode
) -> Iterator[FieldError]:
    whole = around(deepcopy(node.default))
    try:
        coerce_embedded(whole, root)
    except CoercionError as error:
        yield invalid_value(path, node.default, f"must result in valid metadata: {error}")
        return
    problems = [f"{one.field}: {one.message}" for one in validate_embedded(whole, root)]
    if problems:
        text = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
        yield invalid_value(path, node.default, f"must result in valid metadata: {text}")
        return
    yield from field_errors(validate_value(node.default, node), path)
