"""Validation of CustomResourceDefinitions: names, versions, subresources, columns, conversion.

Texts and order are upstream's (compared with kube-apiserver 1.37.2), with one difference:
conversion by webhook is refused, since no webhooks are called here.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from kubegang.api.customresources.approval import ANNOTATION, approval_of, is_protected
from kubegang.api.customresources.definitions import schemas_of, walk
from kubegang.api.customresources.naming import condition_status
from kubegang.api.customresources.versionchecks import version_errors
from kubegang.api.validation.checks import IMMUTABLE, Errors
from kubegang.api.validation.kinds import KindRules
from kubegang.api.validation.metadata import MetadataRules
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import is_dns1035_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC: Final = Path("spec")


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
    unchanged = _unchanged_schemas(spec, old)
    versions = spec.get("versions") or []
    yield from _each_version_errors(versions, unchanged)
    yield from _versions_errors(spec.get("versions"))
    names = spec.get("names") or {}
    for name in ("plural", "singular", "kind", "listKind"):
        if not names.get(name):
            yield required(_SPEC.child("names", name))
    yield from _names_errors(names, _SPEC.child("names"))
    if versions:
        yield from _together_errors(versions, unchanged)
    yield from _conversion_errors(spec.get("conversion") or {})
    if spec.get("preserveUnknownFields"):
        yield from _preserving_errors(spec)


def _each_version_errors(versions: list[JsonObject], unchanged: set[str]) -> Errors:
    together = _said_alike(versions)
    if "schema" not in together or (versions and not versions[0].get("schema")):
        for position, version in enumerate(versions):
            if (version.get("schema") or {}).get("openAPIV3Schema") is None:
                place = _SPEC.child("versions").index(position)
                yield required(place.child("schema", "openAPIV3Schema"))
    for position, version in enumerate(versions):
        where = _SPEC.child("versions").index(position)
        name = version.get("name") or ""
        if problems := is_dns1035_label(name):
            yield invalid_value(where.child("name"), name, ",".join(problems))
        own = {key: value for key, value in version.items() if key not in together}
        status = "status" in (version.get("subresources") or {})
        yield from version_errors(own, where, has_status=status, lenient=name in unchanged)


def _together_errors(versions: list[JsonObject], unchanged: set[str]) -> Errors:
    """Check what all versions say alike."""
    together = _said_alike(versions)
    shared = {key: value for key, value in versions[0].items() if key in together}
    status = any("status" in (one.get("subresources") or {}) for one in versions)
    lenient = (versions[0].get("name") or "") in unchanged
    yield from version_errors(
        shared, _SPEC, has_status=status, lenient=lenient, schema_field="validation"
    )


def _preserving_errors(spec: JsonObject) -> Errors:
    where = _SPEC.child("preserveUnknownFields")
    schemas = [schema for _, schema in schemas_of({"spec": spec})]
    defaults = (one.get("default") for schema in schemas for one in walk(schema))
    if any(default is not None for default in defaults):
        detail = "must be false in order to use defaults in the schema"
        yield invalid_value(where, value=True, detail=detail)
    detail = (
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
        "spec.versions[*].schema instead"
    )
    yield invalid_value(where, value=True, detail=detail)


_SHARED: Final = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")


def _said_alike(versions: list[JsonObject]) -> frozenset[str]:
    """Return what all versions say alike: errors about that are told once, at the spec itself.

    So does upstream's internal form, which takes up what versions have in common.
    """
    if not versions:
        return frozenset()
    first = versions[0]
    return frozenset(
        name
        for name in _SHARED
        if all((one.get(name) or None) == (first.get(name) or None) for one in versions)
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


def _versions_errors(given: list[JsonObject] | None) -> Errors:
    where, versions = _SPEC.child("versions"), given or []
    names = [version.get("name") or "" for version in versions]
    if len(set(names)) != len(names):
        yield _versions_error(where, "must contain unique version names", given)
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield _versions_error(
            where, "must have exactly one version marked as storage version", given
        )
    if versions and (problems := is_dns1035_label(names[0])):
        yield invalid_value(_SPEC.child("version"), names[0], ",".join(problems))


def _versions_error(path: Path, detail: str, versions: list[JsonObject] | None) -> FieldError:
    if versions is None:
        return invalid_value(path, None, detail)
    together = _said_alike(versions)
    shown = [_internal_form(version, together) for version in versions]
    return invalid_value(path, shown, detail)


def _internal_form(version: JsonObject, together: frozenset[str]) -> JsonObject:
    """Return a version as upstream's internal form shows it."""
    own = {key: value for key, value in version.items() if key not in together}
    return {
        "Name": version.get("name") or "",
        "Served": bool(version.get("served")),
        "Storage": bool(version.get("storage")),
        "Deprecated": bool(version.get("deprecated")),
        "DeprecationWarning": version.get("deprecationWarning"),
        "Schema": own.get("schema"),
        "Subresources": own.get("subresources"),
        "AdditionalPrinterColumns": own.get("additionalPrinterColumns"),
        "SelectableFields": own.get("selectableFields"),
    }


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
