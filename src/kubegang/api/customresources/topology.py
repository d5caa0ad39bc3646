"""The schema of a custom resource as server-side apply and field ownership see it. Pure."""

from __future__ import annotations

from kubegang.api.customresources.metadata import object_meta
from kubegang.api.customresources.nodes import ABSENT, SchemaNode
from kubegang.apimachinery.schema import ANY, Schema


def topology_of(node: SchemaNode, *, name: str, has_status: bool) -> Schema:
    """Return the structure of a custom kind; ``name`` is its definition's in OpenAPI."""
    schema = _object(node)
    schema.name = name
    schema.custom = True
    schema.plain_status = not has_status
    # Metadata is always there, so a new object's does not count as written by anybody.
    schema.always_written = frozenset({"metadata"})
    schema.fields |= _meta_fields()
    return schema


def _meta_fields() -> dict[str, Schema]:
    return {
        "apiVersion": Schema("string"),
        "kind": Schema("string"),
        "metadata": object_meta(),
    }


def _schema(node: SchemaNode | None) -> Schema:
    if node is None:
        return ANY
    if node.int_or_string:
        return ANY
    match node.type:
        case "object":
            return _object_or_map(node)
        case "array":
            return _list(node)
        case "string" if node.raw.get("format") == "date-time":
            return ANY
        case "string" | "boolean":
            return Schema(node.type)
        case "integer" | "number":
            # Whether it is whole is for validation to say, not for whoever merges.
            return Schema("number")
    return ANY


def _object_or_map(node: SchemaNode) -> Schema:
    if node.values is not None or (node.is_map and not node.properties):
        schema = Schema("map")
        schema.items = _schema(node.values)
    else:
        schema = _object(node)
        if node.embedded:
            schema.fields |= _meta_fields()
    return _atomic_if_said(schema, node)


def _object(node: SchemaNode) -> Schema:
    schema = Schema("object")
    schema.fields = {name: _schema(member) for name, member in node.properties.items()}
    schema.keeps_unknown = node.preserves
    return schema


def _list(node: SchemaNode) -> Schema:
    schema = Schema("array")
    schema.items = _schema(node.items)
    if node.list_type == "set":
        schema.list_type = "set"
    elif node.list_type == "map":
        schema.list_type = "map"
        schema.list_map_keys = node.list_map_keys
        items = node.items.properties if node.items is not None else {}
        schema.key_defaults = {
            key: items[key].default
            for key in node.list_map_keys
            if key in items and items[key].default is not ABSENT
        }
    return schema


def _atomic_if_said(schema: Schema, node: SchemaNode) -> Schema:
    if node.map_type == "atomic":
        schema.map_type = "atomic"
    return schema
