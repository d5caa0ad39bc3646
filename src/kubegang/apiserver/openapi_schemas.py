"""The schemas of an OpenAPI v3 document, made from the facts table.

``kubectl explain`` prints them, and strategic merging clients read their extensions. The
facts have no descriptions; those of the gang-scheduling kinds are this project's own.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kubegang.api.facts import Facts
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.apimachinery.schema import Schema

Descriptions = Mapping[str, Mapping[str, str]]
"""Per definition, its name without the version: texts by field; the empty field is itself."""

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
OPTIONS = f"{_META}.DeleteOptions"
PATCH = f"{_META}.Patch"
STATUS = f"{_META}.Status"
RESOURCE_LIST = f"{_META}.APIResourceList"
WATCH_EVENT = f"{_META}.WatchEvent"

_OF_EVERY_GROUP = (OPTIONS, WATCH_EVENT)
"""Kinds that are sent under the group version of the resource they are about."""

# Values that are no object, yet have a name of their own.
_NAMED_LEAVES: dict[str, JsonObject] = {
    "any": {"type": "object"},
    "int-or-string": {
        "format": "int-or-string",
        "oneOf": [{"type": "integer"}, {"type": "string"}],
    },
    "quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "micro-time": {"type": "string", "format": "date-time"},
}


REFERENCE_PREFIX = "#/components/schemas/"


def reference(definition: str) -> JsonObject:
    """Return a reference to a schema of the same document."""
    return {"$ref": f"{REFERENCE_PREFIX}{definition}"}


class SchemaCollector:
    """Collects the schemas that a document needs: those asked for, and all they refer to."""

    def __init__(
        self, facts: Facts, descriptions: Descriptions, group_version: GroupVersion
    ) -> None:
        self._facts = facts
        self._descriptions = descriptions
        self._group_version = group_version
        self._known = frozenset(facts.names())
        self._schemas: dict[str, JsonObject] = {}

    def collect(self, definitions: Iterable[str]) -> dict[str, JsonObject]:
        """Return the schemas by name, sorted; names that the facts lack are passed over."""
        waiting = [name for name in definitions if name in self._known]
        while waiting:
            name = waiting.pop()
            if name not in self._schemas:
                references: list[str] = []
                self._schemas[name] = self._definition(name, references)
                waiting += references
        return dict(sorted(self._schemas.items()))

    def _definition(self, name: str, references: list[str]) -> JsonObject:
        schema = self._facts.definition(name)
        texts = self._descriptions.get(_without_version(name), {})
        document: JsonObject = {"description": texts[""]} if "" in texts else {}
        if schema.type == "object":
            document["type"] = "object"
            if schema.required:
                document["required"] = sorted(schema.required)
            if schema.fields:
                document["properties"] = {
                    field: _property(value, texts.get(field, ""), references)
                    for field, value in schema.fields.items()
                }
            if schema.map_type == "atomic":
                document["x-kubernetes-map-type"] = "atomic"
        else:
            document |= _named_leaf(schema)
        if kinds := self._kinds(name):
            document["x-kubernetes-group-version-kind"] = kinds
        return document

    def _kinds(self, name: str) -> list[JsonObject]:
        kinds = [kind._asdict() for kind in self._facts.kinds_of(name)]
        if name in _OF_EVERY_GROUP and self._group_version.group:
            kinds.append({**self._group_version._asdict(), "kind": name.rpartition(".")[2]})
        return kinds


def _without_version(name: str) -> str:
    """Return a definition's name without its version: texts are the same in all of them."""
    parts = name.split(".")
    return ".".join([*parts[:-2], parts[-1]])


def _named_leaf(schema: Schema) -> JsonObject:
    known = _NAMED_LEAVES.get(schema.format) or _NAMED_LEAVES.get(schema.type)
    return dict(known or _leaf(schema))


def _leaf(schema: Schema) -> JsonObject:
    if schema.type in _NAMED_LEAVES:
        return dict(_NAMED_LEAVES[schema.type])
    document: JsonObject = {"type": schema.type}
    if schema.format:
        document["format"] = schema.format
    if schema.enum:
        document["enum"] = list(schema.enum)
    return document


def _property(schema: Schema, description: str, references: list[str]) -> JsonObject:
    """Return the schema of a field."""
    document: JsonObject = {"description": description} if description else {}
    if schema.name:
        references.append(schema.name)
        # A reference may have nothing beside it, so a description needs the longer form.
        document["allOf"] = [reference(schema.name)]
    else:
        document |= _anonymous(schema, references)
    return document | _extensions(schema)


def _anonymous(schema: Schema, references: list[str]) -> JsonObject:
    if schema.items is None:
        return _leaf(schema)
    inner = schema.items
    if inner.name:
        references.append(inner.name)
        values = reference(inner.name)
    else:
        values = _anonymous(inner, references)
    if schema.type == "array":
        return {"type": "array", "items": values}
    return {"type": "object", "additionalProperties": values}


def _extensions(schema: Schema) -> JsonObject:
    """Return what decides how patches and applies merge the field."""
    document: JsonObject = {}
    if schema.list_map_keys:
        document["x-kubernetes-list-map-keys"] = list(schema.list_map_keys)
    if schema.type == "array":
        document["x-kubernetes-list-type"] = schema.list_type
    elif schema.map_type == "atomic" and not schema.name:
        document["x-kubernetes-map-type"] = "atomic"
    if schema.merge_key:
        document["x-kubernetes-patch-merge-key"] = schema.merge_key
    if schema.patch_strategies:
        document["x-kubernetes-patch-strategy"] = ",".join(sorted(schema.patch_strategies))
    return document
