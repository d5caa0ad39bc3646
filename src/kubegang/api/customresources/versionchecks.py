"""Validation of one version in a CustomResourceDefinition: schema, subresources, columns. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from kubegang.api.customresources.fieldpaths import FieldPathError, find_field
from kubegang.api.customresources.nodes import SchemaNode
from kubegang.api.customresources.schemachecks import SchemaChecks
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    duplicate,
    invalid_value,
    required,
    too_many,
)
from kubegang.apimachinery.objects import JsonObject

Errors = Iterator[FieldError]

_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_MOST_SELECTABLE: Final = 8
_SELECTABLE_TYPES: Final = ("string", "boolean", "integer")

_WITHOUT_SCHEMA: Final = {
    "schema": "may only be set when `version.schema.openAPIV3Schema` is not included",
    "validation": "may only be set when validations.schema is included",
}
"""Said too if all versions have the same schema, which then counts as none of their own."""


def version_errors(
    version: JsonObject,
    path: Path,
    *,
    has_status: bool,
    lenient: bool,
    schema_field: str = "schema",
) -> Errors:
    """Check one version, or what all have in common.

    Args:
        version: what is checked, as in the definition.
        path: where it stands.
        has_status: the version has a status of its own.
        lenient: the schema is the stored one, whose rules may cost what they do.
        schema_field: what errors call the schema.
    """
    yield from _deprecation_errors(version, path.child("deprecationWarning"))
    subresources = version.get("subresources") or {}
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if schema is not None:
        checks = SchemaChecks(has_status=has_status, suppress_costs=lenient)
        yield from checks.errors(schema, path.child(schema_field, "openAPIV3Schema"))
    yield from _scale_errors(subresources.get("scale"), path.child("subresources"))
    for position, column in enumerate(version.get("additionalPrinterColumns") or ()):
        yield from _column_errors(column, path.child("additionalPrinterColumns").index(position))
    fields = version.get("selectableFields") or ()
    if fields and schema is not None:
        yield from _selectable_errors(fields, SchemaNode(schema), path.child("selectableFields"))
    elif fields:
        yield invalid_value(path.child("selectableFields"), "", _WITHOUT_SCHEMA[schema_field])


def _deprecation_errors(version: JsonObject, path: Path) -> Errors:
    warning = version.get("deprecationWarning")
    if warning is None:
        return
    details = []
    if not version.get("deprecated"):
        details.append("can only be set for deprecated versions")
    else:
        if len(warning.encode()) > 256:
            details.append("must be <= 256 characters long")
        if not warning:
            details.append("must not be an empty string")
        details += _unprintable(warning)
    for detail in details:
        yield invalid_value(path, warning, detail)


def _unprintable(text: str) -> list[str]:
    must = "must only contain printable UTF-8 characters"
    position = 0
    for char in text:
        if not char.isprintable() or (unicodedata.category(char).startswith("Z") and char != " "):
            return [f"{must}; non-printable character found at index {position}"]
        position += len(char.encode("utf-8", "surrogatepass"))
    return []


def _scale_errors(scale: JsonObject | None, path: Path) -> Errors:
    if scale is None:
        return
    for name, parent in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        where, text = path.child(f"scale.{name}"), scale.get(name) or ""
        if not text:
            yield required(where)
        elif not text.startswith("."):
            yield invalid_value(where, text, "must be a simple json path starting with .")
        elif not text.startswith(parent):
            detail = f"should be a json path under {parent.removesuffix('.')}"
            yield invalid_value(where, text, detail)
    selector = scale.get("labelSelectorPath")
    if selector:
        where = path.child("scale.labelSelectorPath")
        if not selector.startswith("."):
            yield invalid_value(where, selector, "must be a simple json path starting with .")
        elif not selector.startswith((".spec.", ".status.")):
            yield invalid_value(
                where, selector, "should be a json path under either .spec or .status"
            )


def _column_errors(column: JsonObject, path: Path) -> Errors:
    if not column.get("name"):
        yield required(path.child("name"))
    kind = column.get("type") or ""
    if not kind:
        yield required(path.child("type"), f"must be one of {','.join(_TYPES)}")
    elif kind not in _TYPES:
        yield invalid_value(path.child("type"), kind, f"must be one of {','.join(_TYPES)}")
    form = column.get("format")
    if form and form not in _FORMATS:
        yield invalid_value(path.child("format"), form, f"must be one of {','.join(_FORMATS)}")
    text = column.get("jsonPath") or ""
    if not text:
        yield required(path.child("JSONPath"))
    elif not text.startswith("."):
        detail = "must be a simple json path starting with ."
        yield invalid_value(path.child("JSONPath"), text, detail)


def _selectable_errors(fields: list[JsonObject], node: SchemaNode, path: Path) -> Errors:
    seen: set[str] = set()
    for position, field in enumerate(fields):
        where, text = path.index(position).child("jsonPath"), field.get("jsonPath") or ""
        if not text:
            yield required(where)
            continue
        try:
            found = find_field(text, node, brackets=False)
        except FieldPathError as error:
            yield invalid_value(where, text, f"is an invalid path: {error}")
            continue
        if found.names[:1] == ("metadata",):
            yield invalid_value(where, text, "must not point to fields in metadata")
        if found.node is None or found.node.type not in _SELECTABLE_TYPES:
            yield invalid_value(
                where,
                text,
                "must point to a field of type string, boolean or integer. Enum string fields "
                "and strings with formats are allowed.",
            )
        if str(found.path) in seen:
            yield duplicate(where, text)
        seen.add(str(found.path))
    if len(seen) > _MOST_SELECTABLE:
        yield too_many(path, len(seen), _MOST_SELECTABLE)
