"""Volumes of storage drivers: what each must state.

Old in-tree drivers, and CSI.

Pure.
"""

from __future__ import annotations

import re

from kubegang.api.validation.checks import (
    Errors,
    between,
    matching,
    one_of,
    required_matching,
    required_members,
)
from kubegang.apimachinery.field import (
    Path,
    invalid_value,
    not_supported,
    required,
    too_long,
)
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject

_IQN = re.compile(r"iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$")
_EUI = re.compile(r"eui.[a-zA-Z0-9]{16}")
_NAA = re.compile(r"naa.[a-zA-Z0-9]{32}")
_HOST_PORT = re.compile(r"(?:\[[^\[\]]*\]|[^:\[\]]*):[^:\[\]]*")
_MAX_LUN = 255
_MAX_DRIVER_NAME = 63
_MAX_TENANT = 64


def disk(source: JsonObject, path: Path, *, name: str) -> Errors:
    """Check a disk of a cloud; ``name`` is the member that identifies it."""
    yield from required_members(path, source, name)
    partition = source.get("partition") or 0
    if not 0 <= partition <= _MAX_LUN:
        detail = "must be between 1 and 255, inclusive"
        yield invalid_value(path.child("partition"), partition, detail)


def iscsi(source: JsonObject, path: Path) -> Errors:
    """Check an iSCSI target."""
    yield from required_members(path, source, "targetPortal", "iqn")
    if name := source.get("iqn"):
        yield from _iscsi_name(name, path.child("iqn"))
    yield from between(path.child("lun"), source.get("lun") or 0, low=0, high=_MAX_LUN)
    chap = source.get("chapAuthDiscovery") or source.get("chapAuthSession")
    if chap and source.get("secretRef") is None:
        yield required(path.child("secretRef"))
    if (name := source.get("initiatorName")) is not None:
        yield from _iscsi_name(name, path.child("initiatorname"))


def flocker(source: JsonObject, path: Path) -> Errors:
    """Check a Flocker dataset."""
    name, uuid = source.get("datasetName") or "", source.get("datasetUUID")
    if not name and not uuid:
        yield required(path, "one of datasetName and datasetUUID is required")
    if name and uuid:
        detail = "datasetName and datasetUUID can not be specified simultaneously"
        yield invalid_value(path, "resource", detail)
    if "/" in name:
        yield invalid_value(path.child("datasetName"), name, "must not contain '/'")


def cinder(source: JsonObject, path: Path) -> Errors:
    """Check a Cinder volume."""
    yield from required_members(path, source, "volumeID")
    yield from _secret_name(source, path)


def quobyte(source: JsonObject, path: Path) -> Errors:
    """Check a Quobyte volume."""
    registry, pairs = source.get("registry") or "", "must be a host:port pair or multiple pairs"
    detail = f"{pairs} separated by commas"
    if not registry:
        yield required(path.child("registry"), detail)
    elif len(source.get("tenant") or "") > _MAX_TENANT:
        tenant = "must be a UUID and may not exceed a length of 64 characters"
        yield required(path.child("tenant"), tenant)
    else:
        for pair in registry.split(","):
            if not _HOST_PORT.fullmatch(pair):
                yield invalid_value(path.child("registry"), registry, detail)
    yield from required_members(path, source, "volume")


def fibre_channel(source: JsonObject, path: Path) -> Errors:
    """Check a Fibre Channel target."""
    targets, wwids = source.get("targetWWNs"), source.get("wwids")
    where = path.child("targetWWNs")
    if not targets and not wwids:
        yield required(where, "must specify either targetWWNs or wwids, but not both")
    if targets and wwids:
        detail = "targetWWNs and wwids can not be specified simultaneously"
        yield invalid_value(where, targets, detail)
    if targets:
        if source.get("lun") is None:
            yield required(path.child("lun"), "lun is required if targetWWNs is specified")
        yield from between(path.child("lun"), source.get("lun"), low=0, high=_MAX_LUN)


def flex_volume(source: JsonObject, path: Path) -> Errors:
    """Check a FlexVolume."""
    yield from required_members(path, source, "driver")
    for option in source.get("options") or ():
        domain = "." + option.partition("/")[0].lower()
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            detail = "kubernetes.io and k8s.io namespaces are reserved"
            yield invalid_value(path.child("options").key(option), option, detail)


def azure_disk(source: JsonObject, path: Path) -> Errors:
    """Check an Azure disk."""
    yield from required_members(path, source, "diskName", "diskURI")
    modes = ("None", "ReadOnly", "ReadWrite")
    yield from one_of(path.child("cachingMode"), source.get("cachingMode"), modes)
    kind, uri = source.get("kind"), source.get("diskURI") or ""
    yield from one_of(path.child("kind"), kind, ("Dedicated", "Managed", "Shared"))
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        form = (
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/"
            "disks/{disk-id}"
        )
        yield not_supported(path.child("diskURI"), uri, [form])
    if kind not in (None, "Managed") and not uri.startswith("https://"):
        form = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
        yield not_supported(path.child("diskURI"), uri, [form])


def storage_os(source: JsonObject, path: Path) -> Errors:
    """Check a StorageOS volume."""
    name = source.get("volumeName")
    yield from required_matching(path.child("volumeName"), name, is_dns1123_label)
    if namespace := source.get("volumeNamespace"):
        yield from matching(path.child("volumeNamespace"), namespace, is_dns1123_label)
    yield from _secret_name(source, path)


def csi(source: JsonObject, path: Path) -> Errors:
    """Check an inline CSI volume."""
    yield from csi_driver_name(source.get("driver") or "", path.child("driver"))
    reference = source.get("nodePublishSecretRef")
    if reference is None:
        return
    if name := reference.get("name"):
        # Upstream tells this one at the volume source's own name.
        yield from matching(path.child("name"), name, is_dns1123_subdomain)
    else:
        yield required(path.child("nodePublishSecretRef", "name"))


def csi_driver_name(driver: str, path: Path) -> Errors:
    """Check the name of a CSI driver, wherever one is named."""
    if not driver:
        yield required(path)
        return
    if len(driver) > _MAX_DRIVER_NAME:
        yield too_long(path, _MAX_DRIVER_NAME)
    for detail in is_dns1123_subdomain(driver.lower()):
        yield invalid_value(path, driver, detail)


def _secret_name(source: JsonObject, path: Path) -> Errors:
    reference = source.get("secretRef")
    if reference is not None and not reference.get("name"):
        yield required(path.child("secretRef", "name"))


def _iscsi_name(name: str, path: Path) -> Errors:
    for prefix, form in (("iqn", _IQN.search), ("eui", _EUI.fullmatch), ("naa", _NAA.fullmatch)):
        if name.startswith(prefix):
            if not form(name):
                yield invalid_value(path, name, "must be valid format")
            return
    yield invalid_value(path, name, "must be valid format starting with iqn, eui, or naa")
