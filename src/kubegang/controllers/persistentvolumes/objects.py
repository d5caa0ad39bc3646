"""What claims, volumes and classes say, read from plain objects. Pure."""

from __future__ import annotations

from typing import Final

from kubegang.api.core.volumeannotations import STORAGE_CLASS
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

_NOTHING: Final = Quantity.parse("0")


def name_of(obj: JsonObject) -> str:
    """Return an object's name."""
    return str(obj["metadata"]["name"])


def claim_key(claim: JsonObject) -> tuple[str, str]:
    """Return a claim's namespace and name."""
    return (claim["metadata"]["namespace"], claim["metadata"]["name"])


def has_annotation(obj: JsonObject, key: str) -> bool:
    """Return whether an annotation is there; what it says does not matter."""
    return key in (obj["metadata"].get("annotations") or {})


def class_of(obj: JsonObject) -> str:
    """Return the storage class of a claim or a volume; the old annotation counts first."""
    annotations = obj["metadata"].get("annotations") or {}
    return str(annotations.get(STORAGE_CLASS, obj["spec"].get("storageClassName") or ""))


def phase_of(obj: JsonObject) -> str:
    """Return ``status.phase``."""
    return str((obj.get("status") or {}).get("phase") or "")


def volume_name_of(claim: JsonObject) -> str:
    """Return the volume that a claim names."""
    return str(claim["spec"].get("volumeName") or "")


def reference_of(volume: JsonObject) -> JsonObject | None:
    """Return the claim that a volume names, or ``None``."""
    reference: JsonObject | None = volume["spec"].get("claimRef")
    return reference


def referenced_key(volume: JsonObject) -> tuple[str, str] | None:
    """Return namespace and name of the claim that a volume names, or ``None``."""
    reference = reference_of(volume)
    if reference is None:
        return None
    return (reference.get("namespace") or "", reference.get("name") or "")


def is_promised_to(volume: JsonObject, claim: JsonObject) -> bool:
    """Return whether a volume names a claim; without a uid whoever has the name is meant."""
    if referenced_key(volume) != claim_key(claim):
        return False
    uid = (reference_of(volume) or {}).get("uid")
    return not uid or uid == claim["metadata"]["uid"]


def capacity_of(volume: JsonObject) -> Quantity:
    """Return how much a volume holds."""
    return _storage(volume["spec"].get("capacity"))


def wanted_by(claim: JsonObject) -> Quantity:
    """Return how much a claim asks for."""
    return _storage((claim["spec"].get("resources") or {}).get("requests"))


def mode_of(obj: JsonObject) -> str:
    """Return the volume mode of a claim or a volume."""
    return str(obj["spec"].get("volumeMode") or "Filesystem")


def attributes_class_of(obj: JsonObject) -> str:
    """Return the volume attributes class of a claim or a volume."""
    return str(obj["spec"].get("volumeAttributesClassName") or "")


def waits_for_pod(storage_class: JsonObject | None) -> bool:
    """Return whether volumes of a class are bound when a pod needs them."""
    return (storage_class or {}).get("volumeBindingMode") == "WaitForFirstConsumer"


def _storage(amounts: JsonObject | None) -> Quantity:
    amount = (amounts or {}).get("storage")
    return _NOTHING if amount is None else Quantity.parse(amount)
