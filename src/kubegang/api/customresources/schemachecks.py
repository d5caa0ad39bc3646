"""Validation of the schemas in a CustomResourceDefinition.

First whether a schema is structural and its defaults are right, then keyword by keyword what
is allowed where, last its validation rules, whose findings come after all others. Texts and
order are upstream's (compared with kube-apiserver 1.37.2); where upstream iterates over a map
in random order, this goes by the order of the document.

Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from kubegang.api.customresources.celchecks import RuleChecks
from kubegang.api.customresources.defaultchecks import default_errors
from kubegang.api.customresources.definitions import walk
from kubegang.api.customresources.fieldpaths import FieldPathError, find_field
from kubegang.api.customresources.listchecks import list_errors
from kubegang.api.customresources.nodes import SchemaNode
from kubegang.api.customresources.structuralchecks import structural_errors, unsupported_problem
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.objects import JsonObject

_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_META: Final = ("metadata", "kind", "apiVersion")
_REASONS: Final = (
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
)
_LINE_BREAK: Final = re.compile(r"[\n\r]")
_AT_ROOT: Final = {
    "description": "Description",
    "type": "Type",
    "format": "Format",
    "title": "Title",
    "maximum": "Maximum",
    "exclusiveMaximum": "ExclusiveMaximum",
    "minimum": "Minimum",
    "exclusiveMinimum": "ExclusiveMinimum",
    "maxLength": "MaxLength",
    "minLength": "MinLength",
    "pattern": "Pattern",
    "maxItems": "MaxItems",
    "minItems": "MinItems",
    "uniqueItems": "UniqueItems",
    "multipleOf": "MultipleOf",
    "required": "Required",
    "items": "Items",
    "properties": "Properties",
    "externalDocs": "ExternalDocs",
    "example": "Example",
    "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
    "x-kubernetes-validations": "XValidations",
}
_NOT_SUPPORTED: Final = (
    "id",
    "additionalItems",
    "patternProperties",
    "definitions",
    "dependencies",
    "$ref",
)


@dataclass(frozen=True, slots=True)
class _Place:
    """What holds at one place of a schema because of what is above it.

    Attributes:
        no_defaults: why no default may stand here; ``None`` if one may.
        in_meta: inside kind, version or metadata of a resource.
        uncorrelated: the place from which on old values are not known to be the same things'.
    """

    no_defaults: str | None = None
    in_meta: bool = False
    uncorrelated: Path | None = None


@dataclass(slots=True)
class _Findings:
    schema: list[FieldError] = field(default_factory=list)
    rules: list[FieldError] = field(default_factory=list)


class SchemaChecks:
    """The checks of one version's schema."""

    def __init__(self, *, has_status: bool, suppress_costs: bool) -> None:
        self._has_status = has_status
        self._suppress_costs = suppress_costs
        self._rules: RuleChecks | None = None

    def errors(self, schema: JsonObject, path: Path) -> list[FieldError]:
        """Return what is wrong with a schema."""
        errors = self._root_errors(schema, path)
        node = SchemaNode(schema)
        unsupported = unsupported_problem(node)
        if not unsupported:
            found = structural_errors(node, path) or default_errors(node, path)
            errors += found
            if not found:
                self._rules = RuleChecks(node, suppress_costs=self._suppress_costs)
        findings = self._check(schema, path, _Place(), root=True)
        errors += findings.schema + findings.rules
        if not errors and unsupported:
            errors.append(invalid_value(path, "", unsupported))
        if self._rules is not None:
            errors += self._rules.total_errors(path)
        return errors

    @staticmethod
    def set_warnings(schema: JsonObject) -> set[str]:
        """Return warnings about sets whose items are no scalars."""
        found = set()
        for one in walk(schema):
            items = one.get("items")
            if one.get("x-kubernetes-list-type") == "set" and isinstance(items, dict):
                kind = items.get("type")
                if kind in ("object", "array"):
                    found.add(
                        f'x-kubernetes-list-type: set for items of type "{kind}" is not supported '
                        "by server-side apply or CEL validation rules"
                    )
        return found

    def _root_errors(self, schema: JsonObject, path: Path) -> list[FieldError]:
        errors: list[FieldError] = []
        if self._has_status:
            # Only what keeps its meaning when status is looked at alone.
            if (schema.get("type") or "object") != "object":
                detail = (
                    'only "object" is allowed as the type at the root of the schema if the status '
                    "subresource is enabled"
                )
                errors.append(invalid_value(path.child("type"), schema["type"], detail))
            elif any(name not in _AT_ROOT and value for name, value in schema.items()):
                allowed = " ".join(_AT_ROOT.values())
                detail = (
                    f"only [{allowed}] fields are allowed at the root of the schema if the status "
                    "subresource is enabled"
                )
                errors.append(invalid_value(path, schema, detail))
        if schema.get("nullable"):
            detail = "nullable cannot be true at the root"
            errors.append(forbidden_field(path.child("nullable"), detail))
        return errors

    def _check(
        self,
        schema: JsonObject,
        path: Path,
        place: _Place,
        *,
        root: bool = False,
        rules: bool = True,
    ) -> _Findings:
        """Check a schema and all below it; ``rules`` says whether rules can be compiled here."""
        findings = _Findings(_keyword_errors(schema, path, place))
        for inner, where, below, correlated in self._inner(schema, path, place, root=root):
            found = self._check(inner, where, below, rules=rules and correlated)
            findings.schema += found.schema
            findings.rules += found.rules
        findings.schema += list_errors(schema, path)
        said = schema.get("x-kubernetes-validations") or ()
        for position, rule in enumerate(said):
            where = path.child("x-kubernetes-validations").index(position)
            findings.schema += _rule_errors(schema, rule, where)
        if said and not findings.schema and self._rules is not None and rules:
            findings.rules += self._rules.errors(schema, path, uncorrelated=place.uncorrelated)
        return findings

    def _inner(
        self, schema: JsonObject, path: Path, place: _Place, *, root: bool
    ) -> list[tuple[JsonObject, Path, _Place, bool]]:
        """Return the schemas below, each with its place, and whether it describes a part."""
        found: list[tuple[JsonObject, Path, _Place, bool]] = []
        additional = schema.get("additionalProperties")
        if isinstance(additional, dict):
            below = place
            if place.in_meta:
                reason = "inside additionalProperties applying to object metadata"
                below = replace(place, no_defaults=place.no_defaults or reason)
            found.append((additional, path.child("additionalProperties"), below, True))
        for name, member in (schema.get("properties") or {}).items():
            below = place
            if (root or schema.get("x-kubernetes-embedded-resource")) and name in _META:
                below = replace(below, in_meta=True)
                if root:
                    below = replace(below, no_defaults=f"in top-level {name}")
            found.append((member, path.child("properties").key(name), below, True))
        if isinstance(schema.get("not"), dict):
            found.append((schema["not"], path.child("not"), place, False))
        for junctor in ("allOf", "oneOf", "anyOf"):
            for position, one in enumerate(schema.get(junctor) or ()):
                found.append((one, path.child(junctor).index(position), place, False))
        items = schema.get("items")
        below = place
        if schema.get("x-kubernetes-list-type") != "map" and place.uncorrelated is None:
            below = replace(place, uncorrelated=path)
        if isinstance(items, dict):
            found.append((items, path.child("items"), below, True))
        elif isinstance(items, list):
            where = path.child("items")
            found += [(one, where.index(i), below, True) for i, one in enumerate(items)]
        return found


def _keyword_errors(schema: JsonObject, path: Path, place: _Place) -> list[FieldError]:
    errors: list[FieldError] = []
    kind = schema.get("type") or ""
    if kind and kind not in _TYPES:
        errors.append(not_supported(path.child("type"), kind, _TYPES))
    if schema.get("default") is not None and place.no_defaults is not None:
        detail = f"must not be set {place.no_defaults}"
        errors.append(forbidden_field(path.child("default"), detail))
    errors += [
        forbidden_field(path.child(name), f"{name} is not supported")
        for name in _NOT_SUPPORTED
        if schema.get(name)
    ]
    if kind == "null":
        detail = "type cannot be set to null, use nullable as an alternative"
        errors.append(forbidden_field(path.child("type"), detail))
    if isinstance(schema.get("items"), list) and schema["items"]:
        detail = "items must be a schema object and not an array"
        errors.append(forbidden_field(path.child("items"), detail))
    if place.in_meta and schema.get("x-kubernetes-embedded-resource"):
        detail = "must not be used inside of resource meta"
        errors.append(forbidden_field(path.child("x-kubernetes-embedded-resource"), detail))
    if schema.get("uniqueItems"):
        detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        errors.append(forbidden_field(path.child("uniqueItems"), detail))
    additional = schema.get("additionalProperties")
    if schema.get("properties") and additional is not None and additional is not True:
        detail = "additionalProperties and properties are mutual exclusive"
        errors.append(forbidden_field(path.child("additionalProperties"), detail))
    return errors


def _rule_errors(schema: JsonObject, rule: JsonObject, path: Path) -> list[FieldError]:
    text, message = rule.get("rule") or "", rule.get("message") or ""
    expression, where = rule.get("messageExpression") or "", rule.get("fieldPath") or ""
    errors: list[FieldError] = []
    if not text.strip():
        errors.append(required(path.child("rule"), "rule is not specified"))
    elif message and not message.strip():
        errors.append(
            invalid_value(path.child("message"), message, "must be non-empty if specified")
        )
    elif _LINE_BREAK.search(message.strip()):
        errors.append(invalid_value(path.child("message"), message, "must not contain line breaks"))
    elif _LINE_BREAK.search(text.strip()) and not message.strip():
        detail = "message must be specified if rule contains line breaks"
        errors.append(required(path.child("message"), detail))
    if expression and not expression.strip():
        detail = "messageExpression must be non-empty if specified"
        errors.append(required(path.child("messageExpression"), detail))
    reason = rule.get("reason")
    if reason is not None and reason not in _REASONS:
        errors.append(not_supported(path.child("reason"), reason, _REASONS))
    errors += _field_path_errors(schema, where, path.child("fieldPath"))
    return errors


def _field_path_errors(schema: JsonObject, text: str, path: Path) -> list[FieldError]:
    errors: list[FieldError] = []
    if not text:
        return errors
    if not text.strip():
        errors.append(invalid_value(path, text, "must be non-empty if specified"))
    if _LINE_BREAK.search(text):
        errors.append(invalid_value(path, text, "must not contain line breaks"))
    try:
        find_field(text, SchemaNode(schema))
    except FieldPathError:
        errors.append(invalid_value(path, text, "must be a valid path"))
    return errors
