"""What each source of a persistent volume must state.

Most are checked like the source of the same name in a pod; those that keep a secret name
its namespace too.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubegang.api.validation.checks import (
    Errors,
    matching,
    required_matching,
    required_members,
)
from kubegang.api.validation.pods.paths import no_steps_back
from kubegang.api.validation.pods.volume_drivers import (
    cinder,
    csi_driver_name,
    iscsi,
    storage_os,
)
from kubegang.api.validation.pods.volume_sources import SOURCES, Check, VolumeSource
from kubegang.apimachinery.field import Path, forbidden_field, invalid_value, required
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject

_SECRETS = (
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
)
_MAX_ISCSI_NAME = 64


def validate_volume_source(spec: JsonObject, path: Path, *, name: str) -> Errors:
    """Check that a volume has one source, and that one; ``name`` is the volume's."""
    chosen = [source for source in VOLUME_SOURCES if spec.get(source.name) is not None]
    for position, source in enumerate(chosen):
        # Upstream forgets that a FlexVolume is one too many when it comes second.
        if position and source.name != "flexVolume":
            where = path.child(source.second_name or source.name)
            yield forbidden_field(where, "may not specify more than 1 volume type")
            continue
        where = path.child(source.path_name or source.name)
        yield from source.check(spec[source.name], where)
        if source.name == "iscsi":
            yield from _iscsi_name(spec["iscsi"], where, name)
        if source.name == "local" and spec.get("nodeAffinity") is None:
            detail = "Local volume requires node affinity"
            yield required(path.child("nodeAffinity"), detail)
    if not chosen:
        yield required(path, "must specify a volume type")


def _iscsi_name(source: JsonObject, path: Path, name: str) -> Errors:
    portal = source.get("targetPortal") or ""
    if source.get("initiatorName") is not None and len(f"{name}:{portal}") > _MAX_ISCSI_NAME:
        detail = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
            "if iscsi.initiatorName is specified."
        )
        yield invalid_value(path.child("targetportal"), portal, detail)


def _glusterfs(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "endpoints", "path")
    if (namespace := source.get("endpointsNamespace")) is None:
        return
    where = path.child("endpointsNamespace")
    if namespace:
        yield from matching(where, namespace, is_dns1123_label)
    else:
        detail = "if the endpointnamespace is set, it must be a valid namespace name"
        yield invalid_value(where, namespace, detail)


def _rbd(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "monitors", "image")


def _cephfs(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "monitors")


def _iscsi(source: JsonObject, path: Path) -> Errors:
    yield from iscsi(source, path)
    if (secret := source.get("secretRef")) is not None:
        yield from required_members(path.child("secretRef"), secret, "name")


def _cinder(source: JsonObject, path: Path) -> Errors:
    yield from cinder(source, path)
    yield from _secret_namespace(source, path)


def _azure_file(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "secretName", "shareName")
    if source.get("secretNamespace") == "":
        yield required(path.child("secretNamespace"))


def _local(source: JsonObject, path: Path) -> Errors:
    if source.get("path"):
        yield from no_steps_back(path.child("path"), source["path"])
    else:
        yield required(path.child("path"))


def _storage_os(source: JsonObject, path: Path) -> Errors:
    yield from storage_os(source, path)
    yield from _secret_namespace(source, path)


def _csi(source: JsonObject, path: Path) -> Errors:
    yield from csi_driver_name(source.get("driver") or "", path.child("driver"))
    yield from required_members(path, source, "volumeHandle")
    for name in _SECRETS:
        if (secret := source.get(name)) is not None:
            yield from _secret(secret, path.child(name))


def _secret(reference: JsonObject, path: Path) -> Errors:
    name, namespace = reference.get("name"), reference.get("namespace")
    yield from required_matching(path.child("name"), name, is_dns1123_subdomain)
    yield from required_matching(path.child("namespace"), namespace, is_dns1123_label)


def _secret_namespace(source: JsonObject, path: Path) -> Errors:
    if (secret := source.get("secretRef")) is not None:
        yield from required_members(path.child("secretRef"), secret, "namespace")


_OWN: Mapping[str, Check] = {
    "glusterfs": _glusterfs,
    "rbd": _rbd,
    "cephfs": _cephfs,
    "iscsi": _iscsi,
    "cinder": _cinder,
    "azureFile": _azure_file,
    "local": _local,
    "storageos": _storage_os,
    "csi": _csi,
}

# In the order in which upstream looks for a volume's source.
_ORDER = (
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
)


def _sources() -> Sequence[VolumeSource]:
    known = {source.name: source for source in SOURCES}
    known["local"] = VolumeSource("local", _local)
    return tuple(
        known[name]._replace(check=_OWN[name]) if name in _OWN else known[name] for name in _ORDER
    )


VOLUME_SOURCES = _sources()
"""All sorts of persistent volumes."""
