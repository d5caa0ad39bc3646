"""Metadata inside custom objects: at the root, and of the resources embedded in them.

Metadata is decoded by its type, not by the schema of the custom resource: wrong types are
refused, unknown members dropped, times and empty members brought to their one form.

Pure, but that objects are changed in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from kubegang.api.canonical import canonicalize_as
from kubegang.api.customresources.nodes import SchemaNode
from kubegang.api.facts import NEWEST, load_facts
from kubegang.api.validation.checks import Errors
from kubegang.api.validation.metadata import MetadataRules, validate_metadata
from kubegang.apimachinery.field import FieldError, Path, go_value, invalid_value, required
from kubegang.apimachinery.names import is_dns1035_label, is_path_segment_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.typecheck import fits, json_type_problem
from kubegang.apimachinery.unknownfields import prune, unknown_fields

_DEFINITION = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


class CoercionError(ValueError):
    """A value of the wrong type in kind, version or metadata; the message is upstream's."""


@cache
def object_meta() -> Schema:
    """Return the structure of metadata, which is the same in all releases served here."""
    return load_facts(NEWEST).definition(_DEFINITION)


def coerce_metadata(obj: JsonObject, path: str = "") -> list[str]:
    """Bring the metadata of an object to its form, and return the paths of unknown members.

    Raises:
        CoercionError: a value has the wrong type.
    """
    metadata = obj.get("metadata")
    if metadata is None:
        return []
    if not isinstance(metadata, dict):
        words = {str: "string", bool: "bool", list: "array"}
        found = words.get(type(metadata), "number")
        raise CoercionError(f"json: cannot unmarshal {found} into Go value of type v1.ObjectMeta")
    schema = object_meta()
    if not fits(metadata, schema) and (problem := json_type_problem(metadata, schema)):
        raise CoercionError(problem)
    unknown = unknown_fields(metadata, schema)
    obj["metadata"] = metadata = prune(dict(metadata), schema)
    canonicalize_as(metadata, schema)
    prefix = f"{path}.metadata" if path else "metadata"
    return [f"{prefix}.{name}" for name in unknown]


def coerce_embedded(value: Any, node: SchemaNode | None, path: str = "") -> list[str]:
    """Bring embedded resources below a value to their form; return unknown members' paths.

    Raises:
        CoercionError: a value has the wrong type; the message names its place.
    """
    found: list[str] = []
    _coerce(value, node, path, found)
    return sorted(found)


def _coerce(value: Any, node: SchemaNode | None, path: str, found: list[str]) -> None:
    if node is None:
        return
    if isinstance(value, dict):
        if node.embedded:
            _coerce_resource(value, path, found)
        for name, member in value.items():
            _coerce(member, node.member(name), f"{path}.{name}" if path else name, found)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            _coerce(item, node.items, f"{path}[{position}]", found)


def _coerce_resource(value: JsonObject, path: str, found: list[str]) -> None:
    for name in ("apiVersion", "kind"):
        if name in value and not isinstance(value[name], str):
            shown = go_value(value[name])
            raise CoercionError(f"{path}.{name}: Invalid value: {shown}: must be a string")
    try:
        found += coerce_metadata(value, path)
    except CoercionError as error:
        shown = go_value(value["metadata"])
        raise CoercionError(f"{path}.metadata: Invalid value: {shown}: {error}") from error


def validate_embedded(value: Any, node: SchemaNode | None, path: Path | None = None) -> Errors:
    """Check kind, version and metadata of the resources embedded in a value."""
    if node is None:
        return
    if isinstance(value, dict):
        if node.embedded:
            yield from _resource_errors(value, path or Path())
        for name, member in value.items():
            below = node.properties.get(name)
            here = path or Path()
            if below is not None:
                yield from validate_embedded(member, below, here.child(name))
            elif node.values is not None:
                yield from validate_embedded(member, node.values, here.key(name))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from validate_embedded(item, node.items, (path or Path()).index(position))


def _resource_errors(value: JsonObject, path: Path) -> Iterator[FieldError]:
    for name in ("apiVersion", "kind"):
        if name not in value:
            yield required(path.child(name))
    if "apiVersion" in value:
        yield from _version_errors(value["apiVersion"], path.child("apiVersion"))
    if "kind" in value:
        yield from _kind_errors(value["kind"], path.child("kind"))
    metadata = value.get("metadata")
    if isinstance(metadata, dict):
        named = {**metadata, "name": metadata.get("name") or "fakename"}
        rules = MetadataRules(
            is_path_segment_name,
            namespaced=bool(metadata.get("namespace")),
            known_finalizers=False,
        )
        for error in validate_metadata(named, rules):
            field = str(path.child(error.field))
            yield FieldError(error.reason, field, error.message)


def _version_errors(version: Any, path: Path) -> Iterator[FieldError]:
    if not isinstance(version, str):
        yield invalid_value(path, version, "must be a string")
    elif not version:
        yield invalid_value(path, version, "must not be empty")
    elif version.count("/") > 1:
        yield invalid_value(path, version, f"unexpected GroupVersion string: {version}")


def _kind_errors(kind: Any, path: Path) -> Iterator[FieldError]:
    if not isinstance(kind, str):
        yield invalid_value(path, kind, "must be a string")
    elif not kind:
        yield invalid_value(path, kind, "must not be empty")
    elif problems := is_dns1035_label(kind.lower()):
        detail = "may have mixed case, but should otherwise match: " + ",".join(problems)
        yield invalid_value(path, kind, detail)
