"""What each source of a volume must state.

Most sources are old in-tree drivers whose few required members are rows of a table; the
others have a function each.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from kubegang.api.validation.checks import (
    Errors,
    between,
    matching,
    one_of,
    required_matching,
    required_members,
    required_one_of,
    unix_id,
)
from kubegang.api.validation.pods.claim_templates import validate_claim_template
from kubegang.api.validation.pods.paths import no_steps_back, relative_below
from kubegang.api.validation.pods.projections import (
    validate_downward_files,
    validate_key_to_path,
    validate_mode,
    validate_projected,
)
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
    too_long,
)
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

Check = Callable[[Any, Path], Errors]

_HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_IQN = re.compile(r"iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$")
_EUI = re.compile(r"eui.[a-zA-Z0-9]{16}")
_NAA = re.compile(r"naa.[a-zA-Z0-9]{32}")
_HOST_PORT = re.compile(r"(?:\[[^\[\]]*\]|[^:\[\]]*):[^:\[\]]*")
_EMPTY_DIR_MODE = 0o1777
_MAX_LUN = 255
_MAX_DRIVER_NAME = 63
_MAX_TENANT = 64


class VolumeSource(NamedTuple):
    """One sort of volume.

    Attributes:
        name: the member of the volume.
        check: its rules.
        path_name: how upstream spells the member in errors about it, if differently.
        second_name: how it spells it when the volume has another source already.
    """

    name: str
    check: Check
    path_name: str = ""
    second_name: str = ""


def _members(*names: str) -> Check:
    """Return a check that some members are not empty."""
    return lambda source, path: required_members(path, source, *names)


def _secret_name(source: JsonObject, path: Path) -> Errors:
    reference = source.get("secretRef")
    if reference is not None and not reference.get("name"):
        yield required(path.child("secretRef", "name"))


def _empty_dir(source: JsonObject, path: Path) -> Errors:
    limit = source.get("sizeLimit")
    if limit is not None and Quantity.parse(limit) < Quantity.parse("0"):
        detail = "SizeLimit field must be a valid resource quantity"
        yield forbidden_field(path.child("sizeLimit"), detail)
    mode = source.get("mode")
    if mode is not None and not 0 <= mode <= _EMPTY_DIR_MODE:
        detail = "must be a number between 0 and 01777 (octal), both inclusive"
        yield invalid_value(path.child("mode"), mode, detail)


def _host_path(source: JsonObject, path: Path) -> Errors:
    if not source.get("path"):
        yield required(path.child("path"))
        return
    yield from no_steps_back(path.child("path"), source["path"])
    yield from one_of(path.child("type"), source.get("type"), _HOST_PATH_TYPES)


def _git_repo(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "repository")
    yield from relative_below(path.child("directory"), source.get("directory") or "")


def _disk(source: JsonObject, path: Path, *, name: str) -> Errors:
    yield from required_members(path, source, name)
    partition = source.get("partition") or 0
    if not 0 <= partition <= _MAX_LUN:
        detail = "must be between 1 and 255, inclusive"
        yield invalid_value(path.child("partition"), partition, detail)


def _secret(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "secretName")
    yield from _items(source, path)


def _config_map(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "name")
    yield from _items(source, path)


def _items(source: JsonObject, path: Path) -> Errors:
    yield from validate_mode(path.child("defaultMode"), source.get("defaultMode"))
    yield from unix_id(path.child("defaultUser"), source.get("defaultUser"))
    for position, item in enumerate(source.get("items") or ()):
        yield from validate_key_to_path(item, path.child("items").index(position))


def _nfs(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "server", "path")
    export = source.get("path") or ""
    if not export.startswith("/"):
        yield invalid_value(path.child("path"), export, "must be an absolute path")


def _iscsi(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "targetPortal", "iqn")
    if name := source.get("iqn"):
        yield from _iscsi_name(name, path.child("iqn"))
    yield from between(path.child("lun"), source.get("lun") or 0, low=0, high=_MAX_LUN)
    chap = source.get("chapAuthDiscovery") or source.get("chapAuthSession")
    if chap and source.get("secretRef") is None:
        yield required(path.child("secretRef"))
    if (name := source.get("initiatorName")) is not None:
        yield from _iscsi_name(name, path.child("initiatorname"))


def _iscsi_name(name: str, path: Path) -> Errors:
    for prefix, form in (("iqn", _IQN.search), ("eui", _EUI.fullmatch), ("naa", _NAA.fullmatch)):
        if name.startswith(prefix):
            if not form(name):
                yield invalid_value(path, name, "must be valid format")
            return
    yield invalid_value(path, name, "must be valid format starting with iqn, eui, or naa")


def _flocker(source: JsonObject, path: Path) -> Errors:
    name, uuid = source.get("datasetName") or "", source.get("datasetUUID")
    if not name and not uuid:
        yield required(path, "one of datasetName and datasetUUID is required")
    if name and uuid:
        detail = "datasetName and datasetUUID can not be specified simultaneously"
        yield invalid_value(path, "resource", detail)
    if "/" in name:
        yield invalid_value(path.child("datasetName"), name, "must not contain '/'")


def _cinder(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "volumeID")
    yield from _secret_name(source, path)


def _quobyte(source: JsonObject, path: Path) -> Errors:
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


def _downward_api(source: JsonObject, path: Path) -> Errors:
    yield from validate_mode(path.child("defaultMode"), source.get("defaultMode"))
    yield from unix_id(path.child("defaultUser"), source.get("defaultUser"))
    yield from validate_downward_files(source.get("items") or (), path)


def _fibre_channel(source: JsonObject, path: Path) -> Errors:
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


def _flex_volume(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "driver")
    for option in source.get("options") or ():
        domain = "." + option.partition("/")[0].lower()
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            detail = "kubernetes.io and k8s.io namespaces are reserved"
            yield invalid_value(path.child("options").key(option), option, detail)


def _azure_disk(source: JsonObject, path: Path) -> Errors:
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


def _storage_os(source: JsonObject, path: Path) -> Errors:
    name = source.get("volumeName")
    yield from required_matching(path.child("volumeName"), name, is_dns1123_label)
    if namespace := source.get("volumeNamespace"):
        yield from matching(path.child("volumeNamespace"), namespace, is_dns1123_label)
    yield from _secret_name(source, path)


def _csi(source: JsonObject, path: Path) -> Errors:
    driver = source.get("driver") or ""
    if not driver:
        yield required(path.child("driver"))
    else:
        if len(driver) > _MAX_DRIVER_NAME:
            yield too_long(path.child("driver"), _MAX_DRIVER_NAME)
        for detail in is_dns1123_subdomain(driver.lower()):
            yield invalid_value(path.child("driver"), driver, detail)
    reference = source.get("nodePublishSecretRef")
    if reference is None:
        return
    if name := reference.get("name"):
        # Upstream tells this one at the volume source's own name.
        yield from matching(path.child("name"), name, is_dns1123_subdomain)
    else:
        yield required(path.child("nodePublishSecretRef", "name"))


def _ephemeral(source: JsonObject, path: Path) -> Errors:
    template = source.get("volumeClaimTemplate")
    if template is None:
        yield required(path.child("volumeClaimTemplate"))
    else:
        yield from validate_claim_template(template, path.child("volumeClaimTemplate"))


def _image(source: JsonObject, path: Path) -> Errors:
    yield from required_members(path, source, "reference")
    policy = source.get("pullPolicy")
    yield from required_one_of(path.child("pullPolicy"), policy, _PULL_POLICIES)


SOURCES: Sequence[VolumeSource] = (
    VolumeSource("emptyDir", _empty_dir),
    VolumeSource("hostPath", _host_path),
    VolumeSource("gitRepo", _git_repo),
    VolumeSource("gcePersistentDisk", partial(_disk, name="pdName"), "persistentDisk"),
    VolumeSource("awsElasticBlockStore", partial(_disk, name="volumeID")),
    VolumeSource("secret", _secret),
    VolumeSource("nfs", _nfs),
    VolumeSource("iscsi", _iscsi),
    VolumeSource("glusterfs", _members("endpoints", "path")),
    VolumeSource("flocker", _flocker),
    VolumeSource("persistentVolumeClaim", _members("claimName")),
    VolumeSource("rbd", _members("monitors", "image")),
    VolumeSource("cinder", _cinder),
    VolumeSource("cephfs", _members("monitors"), "cephfs", "cephFS"),
    VolumeSource("quobyte", _quobyte),
    VolumeSource("downwardAPI", _downward_api, "downwardAPI", "downwarAPI"),
    VolumeSource("fc", _fibre_channel),
    VolumeSource("flexVolume", _flex_volume),
    VolumeSource("configMap", _config_map),
    VolumeSource("azureFile", _members("secretName", "shareName")),
    VolumeSource("vsphereVolume", _members("volumePath")),
    VolumeSource("photonPersistentDisk", _members("pdID")),
    VolumeSource("portworxVolume", _members("volumeID")),
    VolumeSource("azureDisk", _azure_disk),
    VolumeSource("storageos", _storage_os),
    VolumeSource("projected", validate_projected),
    VolumeSource("scaleIO", _members("gateway", "system", "volumeName")),
    VolumeSource("csi", _csi),
    VolumeSource("ephemeral", _ephemeral),
    VolumeSource("image", _image),
)
"""All sorts, in the order in which upstream looks for a volume's source."""
