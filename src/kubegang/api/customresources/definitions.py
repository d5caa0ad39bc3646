"""CustomResourceDefinitions as wire objects: their form, their defaults, what they allow.

A schema contains schemas where the facts table only knows "any JSON" (items, additional
properties), so decoding goes on below them here, in silence about unknown fields, as Go's
decoder does.

Pure, but that objects are changed in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from kubegang.api.canonical import canonicalize_as
from kubegang.api.facts import NEWEST, load_facts
from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.typecheck import fits, json_type_problem
from kubegang.apimachinery.unknownfields import prune

CLEANUP_FINALIZER: Final = "customresourcecleanup.apiextensions.k8s.io"

_PROPS: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
_MAPS: Final = ("properties", "patternProperties", "definitions")
_LISTS: Final = ("allOf", "anyOf", "oneOf")


@cache
def _props() -> Schema:
    return load_facts(NEWEST).definition(_PROPS)


def normalize_definition(definition: JsonObject) -> None:
    """Decode the schemas inside schemas of a definition.

    Raises:
        BadRequestError: one has a value of the wrong type.
    """
    for version in (definition.get("spec") or {}).get("versions") or ():
        schema = ((version or {}).get("schema") or {}).get("openAPIV3Schema")
        if schema is not None:
            _normalize(schema)


def default_definition(definition: JsonObject) -> None:
    """Fill in names, conversion, and the first stored version."""
    spec = definition.get("spec") or {}
    names = spec.setdefault("names", {})
    kind = names.get("kind") or ""
    if not names.get("singular") and kind:
        names["singular"] = kind.lower()
    if not names.get("listKind") and kind:
        names["listKind"] = f"{kind}List"
    if spec.get("conversion") is None:
        spec["conversion"] = {"strategy": "None"}
    service = ((spec["conversion"].get("webhook") or {}).get("clientConfig") or {}).get("service")
    if service is not None:
        service.setdefault("port", 443)
    status = definition.setdefault("status", {})
    storage = storage_version(spec)
    if not status.get("storedVersions") and storage:
        status["storedVersions"] = [storage]


def storage_version(spec: JsonObject) -> str:
    """Return the first version that is marked as the stored one, or nothing."""
    versions = spec.get("versions") or ()
    return next((one.get("name") or "" for one in versions if one.get("storage")), "")


def schemas_of(definition: JsonObject) -> Iterator[tuple[int, JsonObject]]:
    """Yield the schema of each version that has one, with the version's position."""
    for position, version in enumerate((definition.get("spec") or {}).get("versions") or ()):
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if schema is not None:
            yield position, schema


def walk(schema: JsonObject) -> Iterator[JsonObject]:
    """Yield a schema and every schema inside it."""
    yield schema
    for inner in _inner(schema):
        yield from walk(inner)


def _inner(schema: JsonObject) -> Iterator[JsonObject]:
    for name in _MAPS:
        yield from (schema.get(name) or {}).values()
    for name in _LISTS:
        yield from schema.get(name) or ()
    for name in ("items", "additionalProperties", "additionalItems", "not"):
        inner = schema.get(name)
        if isinstance(inner, dict):
            yield inner
        elif isinstance(inner, list):
            yield from (one for one in inner if isinstance(one, dict))


def _normalize(schema: JsonObject) -> None:
    for name in ("items", "additionalProperties", "additionalItems"):
        if name in schema:
            kept = _decoded(name, schema[name])
            if kept is None:
                del schema[name]
            else:
                schema[name] = kept
    for inner in _inner(schema):
        if isinstance(inner, dict):
            _normalize(inner)


def _decoded(name: str, value: Any) -> Any:
    """Return what Go keeps of a schema in a place where something else could be, too."""
    if isinstance(value, dict):
        return _schema(value)
    if name == "items":
        # An array is refused later by its own rule; anything else is overlooked.
        return (
            [_schema(one) for one in value if isinstance(one, dict)]
            if isinstance(value, list)
            else None
        )
    if isinstance(value, bool) or value is None:
        return value
    raise BadRequestError(
        'CustomResourceDefinition in version "v1" cannot be handled as a '
        "CustomResourceDefinition: json: cannot unmarshal: boolean or JSON schema expected"
    )


def _schema(value: JsonObject) -> JsonObject:
    schema = _props()
    if not fits(value, schema) and (problem := json_type_problem(value, schema)):
        raise BadRequestError(
            'CustomResourceDefinition in version "v1" cannot be handled as a '
            f"CustomResourceDefinition: {problem}"
        )
    value = dict(prune(value, schema))
    canonicalize_as(value, schema)
    return value
