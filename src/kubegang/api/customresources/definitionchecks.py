"""Validation of CustomResourceDefinitions: names, versions, subresources, columns, conversion.

Texts and order are upstream's (compared with kube-apiserver 1.37.2), with one difference:
conversion by webhook is refused, since no webhooks are called here.

Pure.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any, Final

from kubegang.api.customresources.approval import ANNOTATION, approval_of, is_protected
from kubegang.api.customresources.definitions import schemas_of
from kubegang.api.customresources.fieldpaths import FieldPathError, find_field
from kubegang.api.customresources.nodes import SchemaNode
from kubegang.api.customresources.rows import condition_status
from kubegang.api.customresources.schemachecks import SchemaChecks
from kubegang.api.validation.checks import IMMUTABLE, Errors
from kubegang.api.validation.kinds import KindRules
from kubegang.api.validation.metadata import MetadataRules
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
    too_many,
)
from kubegang.apimachinery.names import is_dns1035_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC: Final = Path("spec")
_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_MOST_SELECTABLE: Final = 8
_SELECTABLE_TYPES: Final = ("string", "boolean", "integer")


def validate_definition(definition: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new definition."""
    spec = definition.get("spec") or {}
    plural = (spec.get("names") or {}).get("plural") or ""
    name = definition["metadata"].get("name") or ""
    if name and name != f"{plural}.{spec.get('group') or ''}":
        detail = 'must be spec.names.plural+"."+spec.group'
        yield invalid_value(Path("metadata.name"), name, detail)
    yield from _spec_errors(spec, None)
    yield from _status_errors(definition)
    yield from _approval_errors(definition, None)


def validate_definition_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed definition; what a stored one does wrong it may go on doing."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from _spec_errors(spec, old)
    names, old_names = spec.get("names") or {}, old_spec.get("names") or {}
    if condition_status(old, "Established") == "True":
        yield from _unchanged(_SPEC.child("scope"), spec.get("scope"), old_spec.get("scope"))
        kind = _SPEC.child("names", "kind")
        yield from _unchanged(kind, names.get("kind"), old_names.get("kind"))
    yield from _unchanged(_SPEC.child("group"), spec.get("group"), old_spec.get("group"))
    plural = _SPEC.child("names", "plural")
    yield from _unchanged(plural, names.get("plural"), old_names.get("plural"))
    yield from _status_errors(new)
    yield from _approval_errors(new, old)


def validate_definition_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a definition whose status changed."""
    names = (new.get("status") or {}).get("acceptedNames") or {}
    yield from _names_errors(names, Path("status").child("acceptedNames"))


DEFINITION_RULES: Final = KindRules(
    MetadataRules(is_dns1123_subdomain, known_finalizers=False),
    create=validate_definition,
    update=validate_definition_update,
    status=validate_definition_status,
)


def _unchanged(path: Path, new: Any, old: Any) -> Errors:
    if new != old:
        yield invalid_value(path, new, IMMUTABLE)


def _spec_errors(spec: JsonObject, old: JsonObject | None) -> Errors:
    yield from _group_errors(spec.get("group") or "")
    scope = spec.get("scope") or ""
    if not scope:
        yield required(_SPEC.child("scope"))
    elif scope not in ("Cluster", "Namespaced"):
        yield not_supported(_SPEC.child("scope"), scope, ("Cluster", "Namespaced"))
    versions = spec.get("versions") or []
    for position, version in enumerate(versions):
        if (version.get("schema") or {}).get("openAPIV3Schema") is None:
            where = _SPEC.child("versions").index(position).child("schema", "openAPIV3Schema")
            yield required(where)
    unchanged = _unchanged_schemas(spec, old)
    for position, version in enumerate(versions):
        where = _SPEC.child("versions").index(position)
        name = version.get("name") or ""
        if problems := is_dns1035_label(name):
            yield invalid_value(where.child("name"), name, ",".join(problems))
        yield from _version_errors(version, where, lenient=name in unchanged)
    yield from _versions_errors(versions)
    names = spec.get("names") or {}
    for name in ("plural", "singular", "kind", "listKind"):
        if not names.get(name):
            yield required(_SPEC.child("names", name))
    yield from _names_errors(names, _SPEC.child("names"))
    yield from _conversion_errors(spec.get("conversion") or {})
    if spec.get("preserveUnknownFields"):
        yield invalid_value(
            _SPEC.child("preserveUnknownFields"),
            True,
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
            "spec.versions[*].schema instead",
        )


def _unchanged_schemas(spec: JsonObject, old: JsonObject | None) -> set[str]:
    """Return the versions whose schema is the stored one: their rules may cost what they do."""
    if old is None:
        return set()
    known = {one.get("name"): one.get("schema") for one in old["spec"].get("versions") or ()}
    return {
        one["name"]
        for one in spec.get("versions") or ()
        if one.get("name") in known and known[one["name"]] == one.get("schema")
    }


def _group_errors(group: str) -> Errors:
    where = _SPEC.child("group")
    if not group:
        yield required(where)
    elif problems := is_dns1123_subdomain(group):
        yield invalid_value(where, group, ",".join(problems))
    elif "." not in group:
        yield invalid_value(where, group, "should be a domain with at least one dot")


def _versions_errors(versions: list[JsonObject]) -> Errors:
    where = _SPEC.child("versions")
    names = [version.get("name") or "" for version in versions]
    if len(set(names)) != len(names):
        yield _versions_error(where, "must contain unique version names", versions)
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield _versions_error(
            where, "must have exactly one version marked as storage version", versions
        )


def _versions_error(path: Path, detail: str, versions: list[JsonObject]) -> FieldError:
    return invalid_value(path, versions or None, detail)


def _version_errors(version: JsonObject, path: Path, *, lenient: bool) -> Errors:
    yield from _deprecation_errors(version, path.child("deprecationWarning"))
    subresources = version.get("subresources") or {}
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if schema is not None:
        checks = SchemaChecks(has_status="status" in subresources, suppress_costs=lenient)
        yield from checks.errors(schema, path.child("schema", "openAPIV3Schema"))
    yield from _scale_errors(subresources.get("scale"), path.child("subresources"))
    for position, column in enumerate(version.get("additionalPrinterColumns") or ()):
        yield from _column_errors(column, path.child("additionalPrinterColumns").index(position))
    fields = version.get("selectableFields") or ()
    if fields and schema is not None:
        yield from _selectable_errors(fields, SchemaNode(schema), path.child("selectableFields"))


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


def _names_errors(names: JsonObject, path: Path) -> Iterator[FieldError]:
    for name in ("plural", "singular"):
        yield from _label_errors(names.get(name) or "", path.child(name))
    mixed = "may have mixed case, but should otherwise match: "
    for name in ("kind", "listKind"):
        text = names.get(name) or ""
        if text and (problems := is_dns1035_label(text.lower())):
            yield invalid_value(path.child(name), text, mixed + ",".join(problems))
    for position, short in enumerate(names.get("shortNames") or ()):
        where = path.child("shortNames").index(position)
        if problems := is_dns1035_label(short):
            yield invalid_value(where, short, ",".join(problems))
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        detail = "kind and listKind may not be the same"
        yield invalid_value(path.child("listKind"), names["listKind"], detail)
    for position, category in enumerate(names.get("categories") or ()):
        where = path.child("categories").index(position)
        if problems := is_dns1035_label(category):
            yield invalid_value(where, category, ",".join(problems))


def _label_errors(text: str, path: Path) -> Iterator[FieldError]:
    if text and (problems := is_dns1035_label(text)):
        yield invalid_value(path, text, ",".join(problems))


def _conversion_errors(conversion: JsonObject) -> Errors:
    where, strategy = _SPEC.child("conversion"), conversion.get("strategy") or ""
    if not strategy:
        yield required(where.child("strategy"))
    elif strategy == "Webhook":
        detail = "webhooks are not called by this server; use None and versions with equal fields"
        yield forbidden_field(where.child("strategy"), detail)
    elif strategy != "None":
        yield not_supported(where.child("strategy"), strategy, ("None", "Webhook"))
    if strategy != "Webhook":
        detail = "should not be set when strategy is not set to Webhook"
        webhook = conversion.get("webhook")
        if webhook is not None and webhook.get("clientConfig") is not None:
            yield forbidden_field(where.child("webhookClientConfig"), detail)
        if webhook is not None and webhook.get("conversionReviewVersions"):
            yield forbidden_field(where.child("conversionReviewVersions"), detail)


def _status_errors(definition: JsonObject) -> Errors:
    status = definition.get("status") or {}
    yield from _names_errors(status.get("acceptedNames") or {}, Path("status.acceptedNames"))
    path, stored = Path("status.storedVersions"), status.get("storedVersions") or []
    if not stored:
        yield invalid_value(path, stored or None, "must have at least one stored version")
        return
    versions = (definition.get("spec") or {}).get("versions") or ()
    for version in versions:
        if version.get("storage") and version.get("name") not in stored:
            detail = f"must have the storage version {version.get('name') or ''}"
            yield invalid_value(path, stored, detail)
    known = {version.get("name") for version in versions}
    for position, name in enumerate(stored):
        if name not in known:
            yield invalid_value(
                path.index(position),
                name,
                f"missing from spec.versions; {name} was previously a storage version, and must "
                "remain in spec.versions until a storage migration ensures no data remains "
                f"persisted in {name} and removes {name} from status.storedVersions",
            )


def _approval_errors(definition: JsonObject, old: JsonObject | None) -> Errors:
    if not is_protected((definition.get("spec") or {}).get("group") or ""):
        return
    approval = approval_of(definition)
    if old is not None and approval_of(old).state == approval.state:
        return
    path = Path("metadata.annotations").key(ANNOTATION)
    if approval.state == "missing":
        yield required(path, approval.reason)
    elif approval.state == "invalid":
        annotations = definition["metadata"].get("annotations") or {}
        yield invalid_value(path, annotations.get(ANNOTATION) or "", approval.reason)


def list_type_warnings(definition: JsonObject) -> list[str]:
    """Return what whoever writes a definition is warned of."""
    found: set[str] = set()
    for _, schema in schemas_of(definition):
        found |= SchemaChecks.set_warnings(schema)
    return sorted(found)
