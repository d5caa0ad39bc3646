"""The types and values that expressions see of a schema's objects.

Fields are known by escaped names; what has no type (unknown members, arrays of anything) is
not there for expressions. Sizes are what the schema allows, or what fits into a request.
Rules and figures are upstream's (KEP-2876). Pure.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable
from typing import Any, Final

from kubegang.api.customresources.nodes import ABSENT, SchemaNode
from kubegang.apimachinery.cel import types
from kubegang.apimachinery.cel.moments import MomentError, parse_timestamp
from kubegang.apimachinery.cel.runtime import (
    Duration,
    EvalError,
    KeyedList,
    SetList,
    StructValue,
    Timestamp,
)
from kubegang.apimachinery.cel.types import CelType
from kubegang.apimachinery.godurations import DurationError, parse_go_duration

REQUEST_BYTES: Final = 3 * 1024 * 1024
_RESERVED: Final = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
_EXPANDED: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_TEXT_SIZES: Final = {"duration": 32, "date": 12, "date-time": 32}
_TYPE_META: Final = SchemaNode({"type": "string"})
_OBJECT_META: Final = SchemaNode(
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "generateName": {"type": "string"}},
    }
)


def escaped(name: str) -> str:
    """Return the name by which expressions know a property, empty if it has none."""
    if not name or name[0].isdigit() or re.search(r"[^a-zA-Z0-9_./-]", name):
        return ""
    if name in _RESERVED:
        return f"__{name}__"
    return re.sub(r"__|[-./]", lambda found: _EXPANDED[found[0]], name)


def with_meta(node: SchemaNode) -> dict[str, SchemaNode]:
    """Return the properties of a resource's root: kind, version and names are always there."""
    return {
        **node.properties,
        "kind": _TYPE_META,
        "apiVersion": _TYPE_META,
        "metadata": _OBJECT_META,
    }


def type_of(node: SchemaNode, *, root: bool = False) -> CelType | None:
    """Return the type of a schema's values, ``None`` if expressions do not see them."""
    if node.int_or_string:
        return CelType("dyn", size=_text_size(node), smallest=1)
    match node.type:
        case "array":
            return _list_type(node)
        case "object":
            return _map_type(node) if node.values is not None else _object_type(node, root=root)
        case "string":
            return _text_type(node)
        case "boolean":
            return CelType("bool", smallest=4)
        case "number":
            return CelType("double", smallest=1)
        case "integer":
            return CelType("int", smallest=1)
    return _object_type(node, root=True) if root else None


def _list_type(node: SchemaNode) -> CelType | None:
    items = type_of(node.items, root=node.items.embedded) if node.items is not None else None
    if items is None:
        return None
    most = node.raw.get("maxItems")
    size = max(most, 0) if most is not None else (REQUEST_BYTES - 2) // (items.smallest + 1)
    return types.list_of(items, size=size, smallest=2)


def _map_type(node: SchemaNode) -> CelType | None:
    values = type_of(node.values, root=node.values.embedded) if node.values is not None else None
    if values is None:
        return None
    most = node.raw.get("maxProperties")
    size = max(most, 0) if most is not None else (REQUEST_BYTES - 2) // (values.smallest + 6)
    key = CelType("string", size=0, smallest=2)
    return types.map_of(key, values, size=size, smallest=2)


def _object_type(node: SchemaNode, *, root: bool) -> CelType:
    fields: dict[str, CelType] = {}
    smallest = 2
    for name, member in (with_meta(node) if root else node.properties).items():
        kind = type_of(member, root=member.embedded)
        if kind is None:
            continue
        known_as = escaped(name)
        if known_as:
            fields[known_as] = kind
        if name in node.required and member.default is ABSENT:
            smallest += len(name) + kind.smallest + 4
    # No two objects are of one type, whatever their fields are called.
    return CelType(f"object{id(node)}", fields=fields, smallest=smallest)


def _text_type(node: SchemaNode) -> CelType:
    longest = node.raw.get("maxLength")
    match node.format:
        case "byte":
            size = max(longest, 0) if longest is not None else _text_size(node)
            return CelType("bytes", size=size, smallest=2)
        case "duration":
            return CelType("duration", size=32, smallest=3)
        case "date":
            return CelType("timestamp", size=12, smallest=12)
        case "date-time":
            return CelType("timestamp", size=32, smallest=21)
    size = _text_size(node)
    if longest is None and node.enum:
        size = max((len(one.encode()) for one in node.enum if isinstance(one, str)), default=0)
    return CelType("string", size=size, smallest=2)


def _text_size(node: SchemaNode) -> int:
    longest = node.raw.get("maxLength")
    if longest is not None:
        return int(max(longest, 0)) * 4
    return _TEXT_SIZES.get(node.format if not node.int_or_string else "", REQUEST_BYTES - 2)


def value_of(value: Any, node: SchemaNode, *, root: bool = False) -> Any:
    """Return a value as expressions see it.

    Raises:
        EvalError: a text has not the format that it should have.
    """
    if value is None:
        return None
    if node.int_or_string:
        return value
    if isinstance(value, dict):
        return (
            _map_value(value, node) if node.values is not None else _struct(value, node, root=root)
        )
    if isinstance(value, list):
        return _list_value(value, node)
    if isinstance(value, str):
        return _text_value(value, node.format) if node.type == "string" else value
    if node.type == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if node.type == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _map_value(value: dict[str, Any], node: SchemaNode) -> dict[str, Any]:
    values = node.values
    if values is None:
        return value
    return {name: value_of(one, values, root=values.embedded) for name, one in value.items()}


def _struct(value: dict[str, Any], node: SchemaNode, *, root: bool) -> StructValue:
    properties = with_meta(node) if root else node.properties
    by_name = {escaped(name): (name, member) for name, member in properties.items()}

    def convert(known_as: str) -> tuple[bool, Any]:
        found = by_name.get(known_as)
        if found is None or found[0] not in value:
            return False, None
        name, member = found
        return True, value_of(value[name], member, root=member.embedded)

    return StructValue(value, convert)


def _list_value(value: list[Any], node: SchemaNode) -> list[Any]:
    items = node.items
    converted = (
        value if items is None else [value_of(one, items, root=items.embedded) for one in value]
    )
    if node.list_type == "set":
        return SetList(converted)
    if node.list_type == "map":
        return KeyedList(iter(converted), _key_of(node.list_map_keys))
    return list(converted)


def _key_of(names: tuple[str, ...]) -> Callable[[Any], Any]:
    return lambda item: tuple(
        str(item.raw.get(name)) if isinstance(item, StructValue) else "" for name in names
    )


def _text_value(value: str, form: str) -> Any:
    try:
        match form:
            case "byte":
                return b64decode(value, validate=True)
            case "duration":
                return Duration(parse_go_duration(value))
            case "date":
                return Timestamp(parse_timestamp(f"{value}T00:00:00Z"))
            case "date-time":
                return Timestamp(parse_timestamp(value))
    except (ValueError, MomentError, DurationError) as error:
        raise EvalError(f"Invalid {form} format {value!r}") from error
    return value
