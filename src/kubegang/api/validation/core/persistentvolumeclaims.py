"""Persistent volume claims.

Pure.
"""

from __future__ import annotations

from typing import Any

from kubegang.api.core.volumeannotations import STORAGE_CLASS
from kubegang.api.validation.checks import IMMUTABLE, Errors, matching, unchanged
from kubegang.api.validation.internal_form import form_difference, internal_form
from kubegang.api.validation.metadata import METADATA
from kubegang.api.validation.pods.claim_templates import validate_claim_spec
from kubegang.api.validation.pods.resources import is_native
from kubegang.apimachinery.field import Path, forbidden_field, invalid_value, not_supported
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_STATUS = Path("status")
_FROZEN = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName "
    "for bound claims"
)
_RESIZE_STATUSES = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)


def validate_claim(claim: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a claim, new or changed."""
    yield from validate_claim_spec(claim.get("spec") or {}, _SPEC)


def validate_claim_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed claim: it may be bound once, and grow while it is bound."""
    yield from validate_claim(new, gates)
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    upgraded = _class_moves_to_spec(new, old)
    if not upgraded:
        yield from _annotation_stays(new, old)
    yield from _spec_stays(new, old, upgraded=upgraded)
    yield from _size(spec, old_spec, old.get("status") or {})
    yield from unchanged(Path("volumeMode"), spec.get("volumeMode"), old_spec.get("volumeMode"))
    yield from _attributes_class(spec, old_spec, old.get("status") or {})


def validate_claim_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a claim's sizes and how far a change of them has come."""
    status = new.get("status") or {}
    for name, text in (status.get("capacity") or {}).items():
        yield from _amount(_STATUS.child("capacity").key(name), text)
    path = _STATUS.child("allocatedResourceStatuses")
    for name, word in (status.get("allocatedResourceStatuses") or {}).items():
        yield from _resource_name(path, name)
        if word not in _RESIZE_STATUSES:
            yield not_supported(path, name, sorted(_RESIZE_STATUSES))
    path = _STATUS.child("allocatedResources")
    for name, text in (status.get("allocatedResources") or {}).items():
        errors = list(_resource_name(path, name)) or list(_amount(path.key(name), text))
        yield from errors


def _spec_stays(new: JsonObject, old: JsonObject, *, upgraded: bool) -> Errors:
    form = internal_form("PersistentVolumeClaimSpec", new.get("spec"))
    old_form = internal_form("PersistentVolumeClaimSpec", old.get("spec"))
    if not old_form["VolumeName"]:
        old_form["VolumeName"] = form["VolumeName"]
    if upgraded:
        form["StorageClassName"] = None
    elif _class_is_set_late(new, old):
        form["StorageClassName"] = old_form["StorageClassName"]
    if (new.get("status") or {}).get("phase") == "Bound":
        _adopt_size(form, old_form)
        form["VolumeAttributesClassName"] = old_form["VolumeAttributesClassName"]
    if form != old_form:
        yield forbidden_field(_SPEC, f"{_FROZEN}\n{form_difference(old_form, form)}")


def _adopt_size(form: dict[str, Any], old_form: dict[str, Any]) -> None:
    requests, old_requests = form["Resources"]["Requests"], old_form["Resources"]["Requests"]
    if requests and old_requests and "storage" in old_requests:
        form["Resources"]["Requests"] = {**requests, "storage": old_requests["storage"]}


def _annotation(claim: JsonObject) -> str | None:
    annotations = (claim.get("metadata") or {}).get("annotations") or {}
    value: str | None = annotations.get(STORAGE_CLASS)
    return value


def _class_name(claim: JsonObject) -> str | None:
    name: str | None = (claim.get("spec") or {}).get("storageClassName")
    return name


def _class_moves_to_spec(new: JsonObject, old: JsonObject) -> bool:
    """Return whether the class that an annotation named is now named by the spec."""
    before = _annotation(old)
    return (
        before is not None
        and _class_name(old) is None
        and _class_name(new) == before
        and _annotation(new) in (None, before)
    )


def _class_is_set_late(new: JsonObject, old: JsonObject) -> bool:
    """Return whether a claim without a class is given one (KEP-3333)."""
    name = _class_name(new)
    return name is not None and _class_name(old) is None and _annotation(old) in (None, name)


def _annotation_stays(new: JsonObject, old: JsonObject) -> Errors:
    value, before = _annotation(new) or "", _annotation(old) or ""
    if value != before:
        yield invalid_value(METADATA.child("annotations", STORAGE_CLASS), value, IMMUTABLE)


def _size(spec: JsonObject, old_spec: JsonObject, old_status: JsonObject) -> Errors:
    size, old_size = _requested(spec), _requested(old_spec)
    capacity = Quantity.parse((old_status.get("capacity") or {}).get("storage") or "0")
    if size < old_size and size <= capacity:
        path = _SPEC.child("resources", "requests", "storage")
        yield forbidden_field(path, "field can not be less than status.capacity")


def _requested(spec: JsonObject) -> Quantity:
    requests = (spec.get("resources") or {}).get("requests") or {}
    return Quantity.parse(requests.get("storage") or "0")


def _attributes_class(spec: JsonObject, old_spec: JsonObject, old_status: JsonObject) -> Errors:
    name = "volumeAttributesClassName"
    changed = spec.get(name) != old_spec.get(name)
    if not changed or old_status.get("currentVolumeAttributesClassName") is None:
        return
    if not spec.get(name):
        what = "nil" if spec.get(name) is None else "empty string"
        detail = (
            f"update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil"
        )
        yield forbidden_field(_SPEC.child(name), detail)


def _amount(path: Path, text: str | float) -> Errors:
    amount = Quantity.parse(text)
    if amount.value() < 0:
        yield invalid_value(path, amount.value(), "must be a valid resource quantity")


def _resource_name(path: Path, name: str) -> Errors:
    errors = list(matching(path, name, is_qualified_name))
    yield from errors
    if not errors and is_native(name) and name != "storage":
        yield not_supported(path, name, ["storage"])
