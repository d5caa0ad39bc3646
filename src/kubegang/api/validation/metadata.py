"""Rules of ``metadata`` that all kinds share.

A kind brings the format of its names and whether unqualified finalizers must be ones that
Kubernetes knows; everything else is the same everywhere.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kubegang.api.validation.checks import (
    Errors,
    TextRule,
    matching,
    not_negative,
    one_of,
    unchanged,
)
from kubegang.api.validation.labels import validate_annotations, validate_labels
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    required,
    too_long,
)
from kubegang.apimachinery.names import is_dns1123_label, is_qualified_name, mask_trailing_dash
from kubegang.apimachinery.objects import GroupVersion, JsonObject

METADATA = Path("metadata")

_KNOWN_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")
_MAX_MANAGER = 128
_MAX_SUBRESOURCE = 256

_IMMUTABLE = (
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)


class MetadataRules(NamedTuple):
    """What one kind demands of its metadata.

    Attributes:
        name: the format of ``metadata.name``.
        namespaced: whether objects live in a namespace; the table of rules takes it from
            the resource rows.
        known_finalizers: whether a finalizer without a domain must be one of Kubernetes'
            own (core validation) or may be anything (generic validation).
    """

    name: TextRule
    namespaced: bool = True
    known_finalizers: bool = True


def validate_metadata(metadata: JsonObject, rules: MetadataRules) -> Errors:
    """Check the metadata of a new object, whose name has been generated."""
    if generate_name := metadata.get("generateName"):
        for detail in rules.name(mask_trailing_dash(generate_name)):
            yield invalid_value(METADATA.child("generateName"), generate_name, detail)
    if name := metadata.get("name"):
        yield from matching(METADATA.child("name"), name, rules.name)
    else:
        yield required(METADATA.child("name"), "name or generateName is required")
    yield from _namespace(metadata.get("namespace"), namespaced=rules.namespaced)
    yield from not_negative(METADATA.child("generation"), metadata.get("generation"))
    yield from validate_labels(metadata.get("labels"), METADATA.child("labels"))
    yield from validate_annotations(metadata.get("annotations"), METADATA.child("annotations"))
    yield from _owners(metadata.get("ownerReferences") or (), METADATA.child("ownerReferences"))
    yield from _finalizers(metadata.get("finalizers") or (), METADATA.child("finalizers"))
    yield from _managed_fields(metadata.get("managedFields") or ())
    if rules.known_finalizers:
        yield from _known_finalizers(metadata.get("finalizers") or ())


def validate_metadata_update(new: JsonObject, old: JsonObject, rules: MetadataRules) -> Errors:
    """Check new metadata against the stored one; what did not change is not looked at again.

    The server has already filled in what an update may leave out (UID, times, version).
    """
    yield from _changed(new, old)
    if old.get("deletionTimestamp") is not None:
        yield from _no_new_finalizers(new.get("finalizers") or (), old.get("finalizers") or ())
    generation = new.get("generation") or 0
    yield from not_negative(METADATA.child("generation"), generation)
    if generation < (old.get("generation") or 0):
        detail = "must not be decremented"
        yield invalid_value(METADATA.child("generation"), generation, detail)
    for name in _IMMUTABLE:
        yield from unchanged(METADATA.child(name), new.get(name), old.get(name))
    if rules.known_finalizers and new.get("finalizers") != old.get("finalizers"):
        yield from _known_finalizers(new.get("finalizers") or ())


def validate_finalizer(path: Path, finalizer: str) -> Errors:
    """Check one finalizer, such as those that namespaces have in their spec."""
    yield from matching(path, finalizer, is_qualified_name)
    yield from _known_finalizer(path, finalizer)


def _changed(new: JsonObject, old: JsonObject) -> Errors:
    """Check the members that an update may change, if it did."""
    if new.get("labels") != old.get("labels"):
        yield from validate_labels(new.get("labels"), METADATA.child("labels"))
    if new.get("annotations") != old.get("annotations"):
        path = METADATA.child("annotations")
        yield from validate_annotations(new.get("annotations"), path)
    if new.get("ownerReferences") != old.get("ownerReferences"):
        path = METADATA.child("ownerReferences")
        yield from _owners(new.get("ownerReferences") or (), path)
    if new.get("finalizers") != old.get("finalizers"):
        yield from _finalizers(new.get("finalizers") or (), METADATA.child("finalizers"))
    if new.get("managedFields") != old.get("managedFields"):
        yield from _managed_fields(new.get("managedFields") or ())


def _namespace(namespace: str | None, *, namespaced: bool) -> Errors:
    path = METADATA.child("namespace")
    if not namespaced:
        if namespace:
            yield forbidden_field(path, "not allowed on this type")
    elif not namespace:
        yield required(path)
    else:
        yield from matching(path, namespace, is_dns1123_label)


def _owners(owners: Sequence[JsonObject], path: Path) -> Errors:
    controller = ""
    for position, owner in enumerate(owners):
        yield from _owner(owner, path.index(position))
        if not owner.get("controller"):
            continue
        name = f"{owner.get('kind') or ''}/{owner.get('name') or ''}"
        if controller:
            detail = (
                'Only one reference can have Controller set to true. Found "true" in '
                f"references for {controller} and {name}"
            )
            yield invalid_value(path, [_owner_form(owner) for owner in owners], detail)
        else:
            controller = name


def _owner(owner: JsonObject, path: Path) -> Errors:
    api_version = owner.get("apiVersion") or ""
    group_version = GroupVersion.parse(api_version)
    if not api_version:
        yield required(path.child("apiVersion"), "must not be empty")
    elif api_version.count("/") > 1 or not group_version.version:
        detail = "must be <group>/<version> or <version>"
        yield invalid_value(path.child("apiVersion"), api_version, detail)
    for name in ("kind", "name", "uid"):
        if not owner.get(name):
            yield required(path.child(name), "must not be empty")
    if api_version == "v1" and owner.get("kind") == "Event":
        detail = "/v1, Kind=Event is disallowed from being an owner"
        yield invalid_value(path, _owner_form(owner), detail)


def _owner_form(owner: JsonObject) -> dict[str, Any]:
    """Return an owner reference in the order in which error texts show it."""
    form: dict[str, Any] = {
        name: owner.get(name) or "" for name in ("apiVersion", "kind", "name", "uid")
    }
    for name in ("controller", "blockOwnerDeletion"):
        if owner.get(name) is not None:
            form[name] = owner[name]
    return form


def _finalizers(finalizers: Sequence[str], path: Path) -> Errors:
    for finalizer in finalizers:
        yield from matching(path, finalizer, is_qualified_name)
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        yield invalid_value(path, list(finalizers), detail)


def _known_finalizers(finalizers: Sequence[str]) -> Errors:
    for position, finalizer in enumerate(finalizers):
        yield from _known_finalizer(METADATA.child("finalizers").index(position), finalizer)


def _known_finalizer(path: Path, finalizer: str) -> Errors:
    if "/" not in finalizer and finalizer not in _KNOWN_FINALIZERS:
        detail = "name is neither a standard finalizer name nor is it fully qualified"
        yield invalid_value(path, finalizer, detail)


def _no_new_finalizers(new: Sequence[str], old: Sequence[str]) -> Errors:
    added = sorted(set(new) - set(old))
    if added:
        shown = ", ".join(f'"{name}"' for name in added)
        detail = (
            "no new finalizers can be added if the object is being deleted, "
            f"found new finalizers []string{{{shown}}}"
        )
        yield forbidden_field(METADATA.child("finalizers"), detail)


def _managed_fields(entries: Sequence[JsonObject]) -> Errors:
    for position, entry in enumerate(entries):
        path = METADATA.child("managedFields").index(position)
        operation = entry.get("operation") or ""
        if not operation:
            yield required(path.child("operation"), "must not be empty")
        else:
            yield from one_of(path.child("operation"), operation, ("Apply", "Update"))
        if entry.get("fieldsType") and entry["fieldsType"] != "FieldsV1":
            yield invalid_value(path.child("fieldsType"), entry["fieldsType"], "must be `FieldsV1`")
        if len(entry.get("manager") or "") > _MAX_MANAGER:
            yield too_long(path.child("manager"), _MAX_MANAGER)
        if len(entry.get("subresource") or "") > _MAX_SUBRESOURCE:
            yield too_long(path.child("subresource"), _MAX_SUBRESOURCE)
