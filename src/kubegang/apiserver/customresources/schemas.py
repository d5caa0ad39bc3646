"""The schemas of custom kinds as OpenAPI publishes them, for ``kubectl explain`` and apply.

What a definition says is published as it is, apart from what version 3 cannot spell: an
integer or text has two alternatives. Kind, version and metadata are those of every resource.
Version 2 is poorer: below what it cannot express anything may stand (measured on 1.37.2).

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kubegang.api.customresources.kind import CustomKind
from kubegang.api.customresources.rows import custom_of
from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apiserver.openapi_schemas import reference

_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"
OBJECT_META: Final = f"{_META}.ObjectMeta"
LIST_META: Final = f"{_META}.ListMeta"

_TYPE_META: Final = {
    "apiVersion": {"description": "The group and version of the object.", "type": "string"},
    "kind": {"description": "What kind of object this is.", "type": "string"},
}


def custom_schemas(rows: Sequence[ResourceInfo], *, older: bool = False) -> dict[str, JsonObject]:
    """Return the schemas of the custom kinds among some rows, and of their lists, by name.

    ``older`` leaves out what version 2 of OpenAPI does not know.
    """
    found: dict[str, JsonObject] = {}
    for row in rows:
        if custom := custom_of(row):
            found[row.definition] = _kind_schema(custom, older=older)
            found[f"{row.definition}List"] = _list_schema(row)
    return found


def _kind_schema(kind: CustomKind, *, older: bool) -> JsonObject:
    schema: JsonObject = {"type": "object"}
    if not kind.preserves:
        schema = _published(kind.node.raw, older=older)
    properties = {**_TYPE_META, "metadata": _reference(OBJECT_META, "Names, labels and the like.")}
    schema["properties"] = dict(sorted({**schema.get("properties", {}), **properties}.items()))
    schema["x-kubernetes-group-version-kind"] = [_named(kind.gvk)]
    return schema | _selectable(kind)


def _list_schema(row: ResourceInfo) -> JsonObject:
    gvk = GroupVersionKind(row.group, row.version, row.list_kind)
    return {
        "description": f"{row.list_kind} is a list of {row.kind}",
        "type": "object",
        "required": ["items"],
        "properties": {
            **_TYPE_META,
            "items": {
                "description": f"The {row.plural}.",
                "type": "array",
                "items": reference(row.definition),
            },
            "metadata": _reference(LIST_META, "Of the list as a whole."),
        },
        "x-kubernetes-group-version-kind": [_named(gvk)],
    } | (_selectable(custom) if (custom := custom_of(row)) else {})


def _reference(definition: str, description: str) -> JsonObject:
    return {"description": description, "allOf": [reference(definition)]}


def _selectable(kind: CustomKind) -> JsonObject:
    if not kind.selectable:
        return {}
    fields = [{"fieldPath": name} for name in kind.selectable]
    return {"x-kubernetes-selectable-fields": fields}


def _named(gvk: GroupVersionKind) -> JsonObject:
    return gvk._asdict()


def _published(raw: JsonObject, *, older: bool) -> JsonObject:
    """Return a schema, and all below it, as it is published."""
    schema = {
        name: _below(name, value, older=older)
        for name, value in raw.items()
        if not older or _is_known_to_older(name, value)
    }
    if raw.get("x-kubernetes-int-or-string"):
        if not older and "anyOf" not in schema:
            schema["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    elif older and (raw.get("x-kubernetes-preserve-unknown-fields") or raw.get("nullable")):
        # Clients of version 2 would refuse the members, or the null, that may stand here.
        schema = {key: value for key, value in schema.items() if key not in _SHAPE}
    if raw.get("x-kubernetes-embedded-resource") and "properties" in schema:
        meta = {**_TYPE_META, "metadata": _reference(OBJECT_META, "Names, labels and the like.")}
        schema["properties"] = {**schema["properties"], **meta}
    return schema


_OLDER_KEYS: Final = ("description", "type", "format", "properties", "items", "required", "enum")


def _is_known_to_older(name: str, value: Any) -> bool:
    if name == "additionalProperties":
        return isinstance(value, dict)
    return name in _OLDER_KEYS or name.startswith("x-kubernetes-")


_SHAPE: Final = ("type", "properties", "items", "required", "additionalProperties")


def _below(name: str, value: Any, *, older: bool) -> Any:
    if name == "properties":
        return {key: _published(member, older=older) for key, member in value.items()}
    if name in ("items", "additionalProperties", "not") and isinstance(value, dict):
        return _published(value, older=older)
    return value
