"""The schema of a custom resource: one ``SchemaNode`` per place, parsed once from the CRD.

Everything that walks over custom objects (pruning, defaulting, validation, field ownership)
walks over these nodes. Parsing takes any JSON that passed the CRD's own decoding: what is no
schema counts as absent, and validation of the CRD names it.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from kubegang.apimachinery.objects import JsonObject


class _Absent:
    """The type of ``ABSENT``."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Stands for a default that is not there; ``null`` cannot be one (as in Go)."""

JUNCTORS = ("allOf", "anyOf", "oneOf")


class SchemaNode:
    """One place in a schema; nobody changes it later.

    Attributes:
        raw: the JSON it was parsed from.
        additional: the node for values of a map, ``True`` or ``False`` if only that is said,
            ``None`` if nothing is.
        allows_additional: whether ``additionalProperties: false`` was not said.
        junctors: the nodes below ``allOf``, ``anyOf`` and ``oneOf``.
        negated: the node below ``not``.
    """

    __slots__ = (
        "additional",
        "default",
        "embedded",
        "enum",
        "format",
        "int_or_string",
        "items",
        "junctors",
        "list_map_keys",
        "list_type",
        "map_type",
        "negated",
        "nullable",
        "preserves",
        "properties",
        "raw",
        "required",
        "rules",
        "type",
    )

    def __init__(self, raw: JsonObject) -> None:
        self.raw = raw
        self.type: str = raw.get("type") or ""
        self.format: str = raw.get("format") or ""
        self.nullable: bool = bool(raw.get("nullable"))
        default = raw.get("default")
        self.default: Any = ABSENT if default is None else default
        self.enum: tuple[Any, ...] = tuple(raw.get("enum") or ())
        self.required: tuple[str, ...] = tuple(raw.get("required") or ())
        self.preserves: bool = bool(raw.get("x-kubernetes-preserve-unknown-fields"))
        self.embedded: bool = bool(raw.get("x-kubernetes-embedded-resource"))
        self.int_or_string: bool = bool(raw.get("x-kubernetes-int-or-string"))
        self.list_type: str = raw.get("x-kubernetes-list-type") or ""
        self.list_map_keys: tuple[str, ...] = tuple(raw.get("x-kubernetes-list-map-keys") or ())
        self.map_type: str = raw.get("x-kubernetes-map-type") or ""
        self.rules: tuple[JsonObject, ...] = tuple(raw.get("x-kubernetes-validations") or ())
        self.properties: dict[str, SchemaNode] = {
            name: SchemaNode(member) for name, member in (raw.get("properties") or {}).items()
        }
        self.items = _node(raw.get("items"))
        additional = raw.get("additionalProperties")
        self.additional: SchemaNode | bool | None = (
            SchemaNode(additional) if isinstance(additional, dict) else additional
        )
        self.junctors: dict[str, tuple[SchemaNode, ...]] = {
            name: tuple(SchemaNode(one) for one in raw.get(name) or ()) for name in JUNCTORS
        }
        self.negated = _node(raw.get("not"))

    @property
    def values(self) -> SchemaNode | None:
        """The node for the values of a map that has a schema for them."""
        return self.additional if isinstance(self.additional, SchemaNode) else None

    @property
    def is_map(self) -> bool:
        """Whether ``additionalProperties`` was said, even if only as false (as upstream prunes)."""
        return self.additional is not None

    def member(self, name: str) -> SchemaNode | None:
        """Return the node of a member, declared or of a map."""
        found = self.properties.get(name)
        return self.values if found is None else found

    def children(self) -> Iterator[tuple[str, SchemaNode]]:
        """Yield the nodes below that describe parts of a value, with their path steps."""
        for name, member in self.properties.items():
            yield f".properties[{name}]", member
        if self.items is not None:
            yield ".items", self.items
        if self.values is not None:
            yield ".additionalProperties", self.values

    def __repr__(self) -> str:
        return f"<SchemaNode {self.type or 'any'}>"


def _node(value: Any) -> SchemaNode | None:
    return SchemaNode(value) if isinstance(value, dict) else None


def rooted(node: SchemaNode) -> SchemaNode:
    """Return a node as the root of a resource: kind, version and metadata belong to it."""
    if node.embedded:
        return node
    root = SchemaNode.__new__(SchemaNode)
    for name in SchemaNode.__slots__:
        setattr(root, name, getattr(node, name))
    root.embedded = True
    return root
