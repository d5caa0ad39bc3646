"""The structure of a kind as data: what unknown-field checks, merging and ownership walk over.

One table feeds strict decoding, strategic merge, server-side apply, OpenAPI and ``explain``.
The tables themselves are generated, see ``api/facts.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

ValueType = Literal[
    "object",  # known fields, see ``fields``
    "map",  # any keys, values of type ``items``
    "array",  # values of type ``items``
    "string",
    "integer",
    "number",
    "boolean",
    "int-or-string",
    "any",  # free-form JSON, for instance FieldsV1 and RawExtension
]


class Schema:
    """One node of a kind's structure.

    Nodes refer to each other directly and may form cycles, so they are filled in after they
    are made; nobody changes them later.

    Attributes:
        name: the definition's name as OpenAPI has it (``io.k8s.api.core.v1.Pod``), or empty.
        type: what kind of value stands here.
        format: OpenAPI's format, such as ``int32``, ``int64``, ``date-time``, ``byte``,
            ``quantity`` or ``micro-time``; empty if there is none.
        fields: the members of an object, in the order of the wire names.
        required: the members that OpenAPI calls required.
        items: the value type of a map or an array.
        enum: the values allowed, if OpenAPI lists them.
        list_type: ``atomic`` (also when unsaid), ``set`` or ``map``.
        list_map_keys: the members that identify an item of a list of type map.
        map_type: ``granular`` or ``atomic``.
        merge_key: the member by which a strategic merge patch joins list items.
        patch_strategies: of ``merge``, ``replace``, ``retainKeys``.
        always_written: members written even when empty, as the zero of their type.
        keeps_zero: members whose 0, false or "" is a value of its own and not "unset".
        written_as_null: members written as null when there is nothing. What is in none of
            the three is left out when empty.
        keeps_unknown: an object that may have members beside ``fields``, as custom resources
            can say of theirs.
        custom: the structure of a custom kind, whose name says nothing about its rules.
        plain_status: of a custom kind whose status is written like everything else.
        key_defaults: of a list of type map, what a key that an item leaves out counts as.
    """

    __slots__ = (
        "always_written",
        "custom",
        "enum",
        "fields",
        "format",
        "items",
        "keeps_unknown",
        "keeps_zero",
        "key_defaults",
        "list_map_keys",
        "list_type",
        "map_type",
        "merge_key",
        "name",
        "patch_strategies",
        "plain_status",
        "required",
        "type",
        "written_as_null",
    )

    def __init__(self, value_type: ValueType, *, name: str = "", value_format: str = "") -> None:
        self.name = name
        self.type: ValueType = value_type
        self.format = value_format
        self.fields: dict[str, Schema] = {}
        self.required: frozenset[str] = frozenset()
        self.items: Schema | None = None
        self.enum: tuple[str, ...] = ()
        self.list_type: Literal["atomic", "set", "map"] = "atomic"
        self.list_map_keys: tuple[str, ...] = ()
        self.map_type: Literal["granular", "atomic"] = "granular"
        self.merge_key = ""
        self.patch_strategies: frozenset[str] = frozenset()
        self.always_written: frozenset[str] = frozenset()
        self.keeps_zero: frozenset[str] = frozenset()
        self.written_as_null: frozenset[str] = frozenset()
        self.keeps_unknown = False
        self.custom = False
        self.plain_status = False
        self.key_defaults: Mapping[str, Any] = {}

    def __repr__(self) -> str:
        return f"<Schema {self.name or self.type}>"


ANY = Schema("any")
"""Free-form JSON: merged as a whole by nobody, owned key by key."""
