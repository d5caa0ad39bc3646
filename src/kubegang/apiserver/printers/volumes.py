"""Persistent volumes and the claims on them."""

from __future__ import annotations

from kubegang.api.core.volumeannotations import STORAGE_CLASS
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity
from kubegang.apiserver.printers.cells import (
    UNSET,
    age,
    member,
    name,
    terminating,
    text,
)
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer

_ACCESS_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
"""Short forms, in the order in which they are shown."""


def _volume_cells(volume: JsonObject, now: float) -> list[Cell]:
    claim = member(volume, "spec", "claimRef")
    return [
        name(volume),
        _storage(member(volume, "spec", "capacity")),
        _access_modes(member(volume, "spec", "accessModes")),
        text(volume, "spec", "persistentVolumeReclaimPolicy"),
        _phase(volume),
        f"{text(claim, 'namespace')}/{text(claim, 'name')}" if claim else "",
        _storage_class(volume),
        _optional(volume, "volumeAttributesClassName"),
        text(volume, "status", "reason"),
        age(volume, now),
        _optional(volume, "volumeMode"),
    ]


def _claim_cells(claim: JsonObject, now: float) -> list[Cell]:
    bound = bool(text(claim, "spec", "volumeName"))
    return [
        name(claim),
        _phase(claim),
        text(claim, "spec", "volumeName"),
        _storage(member(claim, "status", "capacity")) if bound else "",
        _access_modes(member(claim, "status", "accessModes")) if bound else "",
        _storage_class(claim),
        _optional(claim, "volumeAttributesClassName"),
        age(claim, now),
        _optional(claim, "volumeMode"),
    ]


def _storage(amounts: JsonObject | None) -> str:
    amount = (amounts or {}).get("storage")
    return Quantity.parse(amount).canonical() if amount is not None else "0"


def _access_modes(modes: list[str] | None) -> str:
    return ",".join(short for mode, short in _ACCESS_MODES.items() if mode in (modes or []))


def _phase(obj: JsonObject) -> str:
    return "Terminating" if terminating(obj) else text(obj, "status", "phase")


def _storage_class(obj: JsonObject) -> str:
    annotations = member(obj, "metadata", "annotations") or {}
    if STORAGE_CLASS in annotations:
        return str(annotations[STORAGE_CLASS])
    return text(obj, "spec", "storageClassName")


def _optional(obj: JsonObject, field: str) -> str:
    value = member(obj, "spec", field)
    return UNSET if value is None else str(value)


_MODE = Column("VolumeMode", "Filesystem or Block.", wide=True)
_CLASS = Column("StorageClass", "The storage class.")
_ATTRIBUTES_CLASS = Column("VolumeAttributesClass", "The volume attributes class.")
_MODES = Column("Access Modes", "How nodes may mount it.")

PERSISTENT_VOLUME = Printer(
    (
        NAME,
        Column("Capacity", "Its size."),
        _MODES,
        Column("Reclaim Policy", "What happens to it after its claim."),
        Column("Status", "Its phase."),
        Column("Claim", "The claim that it is bound to."),
        _CLASS,
        _ATTRIBUTES_CLASS,
        Column("Reason", "Why it is in its phase."),
        AGE,
        _MODE,
    ),
    _volume_cells,
)

PERSISTENT_VOLUME_CLAIM = Printer(
    (
        NAME,
        Column("Status", "Its phase."),
        Column("Volume", "The volume that it is bound to."),
        Column("Capacity", "The size that it got."),
        _MODES,
        _CLASS,
        _ATTRIBUTES_CLASS,
        AGE,
        _MODE,
    ),
    _claim_cells,
)
