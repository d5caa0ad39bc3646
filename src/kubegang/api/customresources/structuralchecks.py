"""Whether a schema is structural: every place in it has one type, said outside of junctors.

The rules are those of KEP "vanilla OpenAPI subset"; texts and their order are upstream's.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from kubegang.api.customresources.nodes import ABSENT, SchemaNode
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    forbidden_field,
    invalid_value,
    required,
)
from kubegang.apimachinery.goregex import regex_problem

Level = Literal["root", "item", "field"]

_PLACES: Final = {"root": "at the root", "item": "for specified array items"}
_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]
_OBJECT_NEEDED: Final = "must be object if x-kubernetes-embedded-resource is true"


def structural_errors(node: SchemaNode, path: Path) -> list[FieldError]:
    """Return why a schema is not structural, sorted by their texts."""
    errors = [*_invariants(node, "root", path), *_completeness(node, path)]
    return sorted(errors, key=lambda error: f"{error.field}: {error.message}")


def unsupported_problem(node: SchemaNode) -> str:
    """Return the keyword of a schema that structural schemas do not have, as upstream says it."""
    raw = node.raw
    for name, key in (
        ("id", "id"),
        ("schema", "$schema"),
        ("$ref", "$ref"),
        ("patternProperties", "patternProperties"),
        ("dependencies", "dependencies"),
        ("additionalItems", "additionalItems"),
        ("definitions", "definitions"),
    ):
        if raw.get(key):
            return f"OpenAPIV3Schema '{name}' is not supported"
    if isinstance(raw.get("items"), list) and raw["items"]:
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    if raw.get("x-kubernetes-preserve-unknown-fields") is False:
        return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    below = [one for _, one in node.children()]
    for junctor in node.junctors.values():
        below += junctor
    if node.negated is not None:
        below.append(node.negated)
    return next(filter(None, map(unsupported_problem, below)), "")


def _invariants(node: SchemaNode, level: Level, path: Path) -> Iterator[FieldError]:
    if node.type == "array" and node.items is None:
        yield required(path.child("items"), "must be specified")
    if node.items is not None:
        yield from _invariants(node.items, "item", path.child("items"))
    for name, member in node.properties.items():
        yield from _invariants(member, "field", path.child("properties").key(name))
    if node.additional is not None:
        if level == "root":
            yield forbidden_field(
                path.child("additionalProperties"), "must not be used at the root"
            )
        if node.values is not None:
            yield from _invariants(node.values, "field", path.child("additionalProperties"))
    yield from _extension_errors(node, path)
    yield from _validation_errors(
        node,
        path,
        skip_any=node.raw.get("anyOf") == _INT_OR_STRING,
        skip_all=_first_all_of_is_int_or_string(node),
    )
    yield from _type_errors(node, level, path)
    yield from _meta_errors(node, level, path)


def _first_all_of_is_int_or_string(node: SchemaNode) -> bool:
    all_of = node.junctors["allOf"]
    return bool(all_of) and all_of[0].raw.get("anyOf") == _INT_OR_STRING


def _extension_errors(node: SchemaNode, path: Path) -> Iterator[FieldError]:
    if node.int_or_string:
        detail = "must be false if x-kubernetes-int-or-string is true"
        if node.preserves:
            where = path.child("x-kubernetes-preserve-unknown-fields")
            yield invalid_value(where, value=True, detail=detail)
        if node.embedded:
            where = path.child("x-kubernetes-embedded-resource")
            yield invalid_value(where, value=True, detail=detail)


def _type_errors(node: SchemaNode, level: Level, path: Path) -> Iterator[FieldError]:
    if node.embedded and node.type != "object":
        if node.type:
            yield invalid_value(path.child("type"), node.type, _OBJECT_NEEDED)
        else:
            yield required(path.child("type"), _OBJECT_NEEDED)
    elif not node.type and not node.int_or_string and not node.preserves:
        place = _PLACES.get(level, "for specified object fields")
        yield required(path.child("type"), f"must not be empty {place}")
    if node.embedded and node.additional is not None:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        yield forbidden_field(path.child("additionalProperties"), detail)
    if level == "root" and node.type and node.type != "object":
        yield invalid_value(path.child("type"), node.type, "must be object at the root")


def _meta_errors(node: SchemaNode, level: Level, path: Path) -> Iterator[FieldError]:
    checked = level == "root" or node.embedded
    properties = path.child("properties")
    for name in ("kind", "apiVersion"):
        member = node.properties.get(name)
        if checked and member is not None and member.type != "string":
            yield invalid_value(properties.key(name).child("type"), member.type, "must be string")
    metadata = node.properties.get("metadata")
    if metadata is not None:
        where = properties.key("metadata")
        if checked and metadata.type != "object":
            yield invalid_value(where.child("type"), metadata.type, "must be object")
        if level == "root" and not _restricts_names_only(metadata):
            yield forbidden_field(
                where,
                "must not specify anything other than name and generateName, but metadata is "
                "implicitly specified",
            )
    if node.embedded and not node.preserves and not node.properties:
        yield required(
            properties,
            "must not be empty if x-kubernetes-embedded-resource is true without "
            "x-kubernetes-preserve-unknown-fields",
        )


def _restricts_names_only(metadata: SchemaNode) -> bool:
    said = {key: value for key, value in metadata.raw.items() if key not in ("type", "default")}
    properties = said.get("properties") or {}
    if not properties or set(properties) <= {"name", "generateName"}:
        said.pop("properties", None)
    return not said


def _validation_errors(
    node: SchemaNode, path: Path, *, skip_any: bool, skip_all: bool
) -> Iterator[FieldError]:
    if not skip_any:
        for position, one in enumerate(node.junctors["anyOf"]):
            yield from _nested(one, path.child("anyOf").index(position))
    for position, one in enumerate(node.junctors["allOf"]):
        skip = skip_all and not position
        yield from _nested(one, path.child("allOf").index(position), skip_any=skip)
    for position, one in enumerate(node.junctors["oneOf"]):
        yield from _nested(one, path.child("oneOf").index(position))
    if node.negated is not None:
        yield from _nested(node.negated, path.child("not"))
    pattern = node.raw.get("pattern")
    if pattern and (problem := regex_problem(pattern)):
        detail = f"must be a valid regular expression, but isn't: {problem}"
        yield invalid_value(path.child("pattern"), pattern, detail)


_FORBIDDEN: Final = (
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
)


def _nested(node: SchemaNode, path: Path, *, skip_any: bool = False) -> Iterator[FieldError]:
    """Check a schema inside a junctor, which may only add demands."""
    yield from _validation_errors(node, path, skip_any=skip_any, skip_all=False)
    if node.items is not None:
        yield from _nested(node.items, path.child("items"))
    for name, member in node.properties.items():
        yield from _nested(member, path.child("properties").key(name))
    if node.type:
        yield forbidden_field(path.child("type"), "must be empty to be structural")
    if node.additional:
        detail = "must be undefined to be structural"
        yield forbidden_field(path.child("additionalProperties"), detail)
    if node.default is not ABSENT:
        yield forbidden_field(path.child("default"), "must be undefined to be structural")
    for name, detail in _FORBIDDEN:
        if node.raw.get(name):
            yield forbidden_field(path.child(name), detail)
    if "metadata" in node.properties:
        where = path.child("properties").key("metadata")
        yield forbidden_field(where, "must not be specified in a nested context")


def _completeness(node: SchemaNode, path: Path) -> Iterator[FieldError]:
    """Check that what the root's junctors name is there outside of them, too."""
    for below, where in _nested_in(node, path):
        yield from _complete(below, node, where, skeleton=path)


def _nested_in(node: SchemaNode, path: Path) -> Iterator[tuple[SchemaNode, Path]]:
    for name in ("allOf", "anyOf", "oneOf"):
        for position, one in enumerate(node.junctors[name]):
            yield one, path.child(name).index(position)
    if node.negated is not None:
        yield node.negated, path.child("not")


def _complete(
    nested: SchemaNode, node: SchemaNode | None, path: Path, *, skeleton: Path
) -> Iterator[FieldError]:
    if node is None:
        yield required(skeleton, f"because it is defined in {path}")
        return
    if nested.items is not None:
        where = path.child("items")
        yield from _complete(nested.items, node.items, where, skeleton=skeleton.child("items"))
    for name, member in nested.properties.items():
        where, beside = path.child("properties").key(name), skeleton.child("properties").key(name)
        yield from _complete(member, node.properties.get(name), where, skeleton=beside)
    for below, where in _nested_in(nested, path):
        yield from _complete(below, node, where, skeleton=skeleton)
