"""The claim that an ephemeral volume makes.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import (
    Errors,
    matching,
    one_of,
    required_members,
    unset,
)
from kubegang.api.validation.labels import (
    validate_annotations,
    validate_labels,
    validate_selector,
)
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
NOT_IN_TEMPLATES = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
    "finalizers",
    "managedFields",
)


def validate_claim_template(template: JsonObject, path: Path) -> Errors:
    """Check the template: labels and annotations only, and a claim's spec."""
    metadata, where = template.get("metadata") or {}, path.child("metadata")
    yield from validate_annotations(metadata.get("annotations"), where.child("annotations"))
    yield from validate_labels(metadata.get("labels"), where.child("labels"))
    yield from unset(where, metadata, "cannot be set", names=NOT_IN_TEMPLATES)
    yield from validate_claim_spec(template.get("spec") or {}, path.child("spec"))


def validate_claim_spec(spec: JsonObject, path: Path) -> Errors:
    """Check what a claim asks for."""
    if not spec.get("accessModes"):
        yield required(path.child("accessModes"), "at least 1 access mode is required")
    yield from validate_selector(spec.get("selector"), path.child("selector"))
    yield from validate_access_modes(spec, path)
    yield from _storage(spec, path.child("resources").key("storage"))
    yield from _classes(spec, path)
    yield from _data_sources(spec, path)
    if name := spec.get("volumeAttributesClassName"):
        yield from matching(path.child("volumeAttributesClassName"), name, is_dns1123_subdomain)


def validate_access_modes(spec: JsonObject, path: Path) -> Errors:
    """Check that access modes are known, and that one for a single pod stands alone."""
    modes, where = spec.get("accessModes") or (), path.child("accessModes")
    for mode in modes:
        if mode not in _ACCESS_MODES:
            yield not_supported(where, mode, _ACCESS_MODES)
    known = {mode for mode in modes if mode in _ACCESS_MODES}
    if "ReadWriteOncePod" in known and len(known) > 1:
        yield forbidden_field(where, "may not use ReadWriteOncePod with other access modes")


def _storage(spec: JsonObject, path: Path) -> Errors:
    requests = (spec.get("resources") or {}).get("requests") or {}
    if "storage" not in requests:
        yield required(path)
        return
    amount = Quantity.parse(requests["storage"])
    if amount <= Quantity.parse("0"):
        yield invalid_value(path, amount.canonical(), "must be greater than zero")


def _classes(spec: JsonObject, path: Path) -> Errors:
    if name := spec.get("storageClassName"):
        yield from matching(path.child("storageClassName"), name, is_dns1123_subdomain)
    yield from one_of(path.child("volumeMode"), spec.get("volumeMode"), VOLUME_MODES)


def _data_sources(spec: JsonObject, path: Path) -> Errors:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None:
        yield from _data_source(source, path.child("dataSource"))
    if reference is None:
        return
    yield from _data_source(reference, path.child("dataSourceRef"))
    if namespace := reference.get("namespace"):
        where = path.child("dataSourceRef", "namespace")
        yield from matching(where, namespace, is_dns1123_label)
    if source is None:
        return
    if reference.get("namespace"):
        detail = "may not be specified when dataSourceRef.namespace is specified"
        yield invalid_value(path, {}, detail)
    elif any(source.get(name) != reference.get(name) for name in ("apiGroup", "kind", "name")):
        yield invalid_value(path, {}, "must match dataSourceRef")


def _data_source(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "name", "kind")
    group, kind = source.get("apiGroup") or "", source.get("kind") or ""
    if not group and kind != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        yield invalid_value(path, kind, detail)
    if group:
        yield from matching(path.child("apiGroup"), group, is_dns1123_subdomain)
