"""Persistent volumes.

Pure.
"""

from __future__ import annotations

import posixpath

from kubegang.api.validation.checks import Errors, matching, one_of, unchanged
from kubegang.api.validation.core.volume_sources import VOLUME_SOURCES, validate_volume_source
from kubegang.api.validation.internal_form import invalid_form
from kubegang.api.validation.metadata import METADATA
from kubegang.api.validation.pods.affinity import validate_node_selector
from kubegang.api.validation.pods.claim_templates import VOLUME_MODES, validate_access_modes
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_RECLAIM_POLICIES = ("Delete", "Recycle", "Retain")
_MOUNT_OPTIONS = "volume.beta.kubernetes.io/mount-options"
_WITH_MOUNT_OPTIONS = frozenset(
    {
        "awsElasticBlockStore",
        "azureDisk",
        "azureFile",
        "cephfs",
        "cinder",
        "gcePersistentDisk",
        "glusterfs",
        "iscsi",
        "nfs",
        "photonPersistentDisk",
        "quobyte",
        "rbd",
        "vsphereVolume",
    }
)
_AFFINITY_GATE = "MutablePVNodeAffinity"


def validate_persistent_volume(volume: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a persistent volume, new or changed."""
    metadata, spec = volume.get("metadata") or {}, volume.get("spec") or {}
    if not spec.get("accessModes"):
        yield required(_SPEC.child("accessModes"))
    yield from validate_access_modes(spec, _SPEC)
    yield from _capacity(spec.get("capacity") or {})
    policy = spec.get("persistentVolumeReclaimPolicy") or None
    yield from one_of(_SPEC.child("persistentVolumeReclaimPolicy"), policy, _RECLAIM_POLICIES)
    yield from _node_affinity(spec.get("nodeAffinity"))
    yield from validate_volume_source(spec, _SPEC, name=metadata.get("name") or "")
    yield from _root_is_not_recycled(spec)
    yield from _classes(spec)
    yield from _mount_options(metadata, spec)


def validate_persistent_volume_update(
    new: JsonObject, old: JsonObject, gates: FeatureGates
) -> Errors:
    """Check a changed volume: its source and mode are frozen, its nodes once they are set."""
    yield from validate_persistent_volume(new, gates)
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    if _source(spec, old_spec) != _source(old_spec, old_spec):
        detail = "spec.persistentvolumesource is immutable after creation"
        yield forbidden_field(_SPEC.child("persistentvolumesource"), detail)
    # Upstream names this field, and the next, without the spec in front.
    yield from unchanged(Path("volumeMode"), spec.get("volumeMode"), old_spec.get("volumeMode"))
    affinity, old_affinity = spec.get("nodeAffinity"), old_spec.get("nodeAffinity")
    movable = gates.enabled_if_known(_AFFINITY_GATE)
    if not movable and old_affinity is not None and affinity != old_affinity:
        detail = "field is immutable, except for updating from beta label to GA"
        yield invalid_form(Path("nodeAffinity"), "*VolumeNodeAffinity", affinity, detail)
    name = "volumeAttributesClassName"
    if old_spec.get(name) is not None and spec.get(name) is None:
        yield forbidden_field(_SPEC.child(name), "update from non-nil value to nil is forbidden")


def validate_inline_volume(spec: JsonObject, path: Path) -> Errors:
    """Check a volume that stands inside an attachment instead of being named there."""
    where = "in the context of inline volumes"
    for name in ("claimRef", "capacity"):
        if spec.get(name):
            yield forbidden_field(path.child(name), f"may not be specified {where}")
    if spec.get("csi") is None:
        yield required(path.child("csi"), f"has to be specified {where}")
    if not spec.get("accessModes"):
        yield required(path.child("accessModes"))
    yield from validate_access_modes(spec, path)
    if spec.get("persistentVolumeReclaimPolicy") not in (None, "", "Retain"):
        detail = f"may only be Retain {where}"
        yield forbidden_field(path.child("persistentVolumeReclaimPolicy"), detail)
    if spec.get("nodeAffinity") is not None:
        yield forbidden_field(path.child("nodeAffinity"), f"may not be specified {where}")
    yield from validate_volume_source(spec, path, name="")
    if spec.get("storageClassName"):
        yield forbidden_field(path.child("storageClassName"), f"may not be specified {where}")
    if spec.get("volumeMode") not in (None, "Filesystem"):
        detail = f"may not specify volumeMode other than Filesystem {where}"
        yield forbidden_field(path.child("volumeMode"), detail)


def _capacity(capacity: JsonObject) -> Errors:
    path = _SPEC.child("capacity")
    if not capacity:
        yield required(path)
    if list(capacity) != ["storage"]:
        shown = dict(sorted(capacity.items())) or None
        yield not_supported(path, shown, ["storage"])
    for name, text in capacity.items():
        amount = Quantity.parse(text)
        if amount.value() < 0:
            detail = "must be a valid resource quantity"
            yield invalid_value(path.key(name), amount.value(), detail)
        if amount <= Quantity.parse("0"):
            yield invalid_value(path.key(name), amount.canonical(), "must be greater than zero")


def _node_affinity(affinity: JsonObject | None) -> Errors:
    if affinity is None:
        return
    path = _SPEC.child("nodeAffinity", "required")
    if affinity.get("required") is None:
        yield required(path, "must specify required node constraints")
    else:
        yield from validate_node_selector(affinity["required"], path)


def _root_is_not_recycled(spec: JsonObject) -> Errors:
    host_path = (spec.get("hostPath") or {}).get("path")
    recycled = spec.get("persistentVolumeReclaimPolicy") == "Recycle"
    if host_path and posixpath.normpath(host_path) in ("/", "//") and recycled:
        detail = "may not be 'recycle' for a hostPath mount of '/'"
        yield forbidden_field(_SPEC.child("persistentVolumeReclaimPolicy"), detail)


def _classes(spec: JsonObject) -> Errors:
    if name := spec.get("storageClassName"):
        yield from matching(_SPEC.child("storageClassName"), name, is_dns1123_subdomain)
    yield from one_of(_SPEC.child("volumeMode"), spec.get("volumeMode"), VOLUME_MODES)
    if (name := spec.get("volumeAttributesClassName")) is None:
        return
    path = _SPEC.child("volumeAttributesClassName")
    if name:
        yield from matching(path, name, is_dns1123_subdomain)
    else:
        yield required(path, "an empty string is disallowed")
    if spec.get("csi") is None:
        detail = "has to be specified when using volumeAttributesClassName"
        yield required(_SPEC.child("csi"), detail)


def _mount_options(metadata: JsonObject, spec: JsonObject) -> Errors:
    if _MOUNT_OPTIONS not in (metadata.get("annotations") or {}):
        return
    if not any(spec.get(name) is not None for name in _WITH_MOUNT_OPTIONS):
        path = METADATA.child("annotations", _MOUNT_OPTIONS)
        yield forbidden_field(path, "may not specify mount options for this volume type")


def _source(spec: JsonObject, old_spec: JsonObject) -> JsonObject:
    """Return the source of a volume; a secret for growing it may be added later."""
    source = {one.name: spec[one.name] for one in VOLUME_SOURCES if spec.get(one.name) is not None}
    csi, old_csi = source.get("csi"), old_spec.get("csi")
    if csi and old_csi and old_csi.get("controllerExpandSecretRef") is None:
        source["csi"] = {k: v for k, v in csi.items() if k != "controllerExpandSecretRef"}
    return source
