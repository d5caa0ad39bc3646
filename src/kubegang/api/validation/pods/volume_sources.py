"""What each source of a volume must state.

Most sources are old in-tree drivers whose few required members are rows of a table; the
others have a function each.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from kubegang.api.validation.checks import (
    Errors,
    one_of,
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
from kubegang.api.validation.pods.volume_drivers import (
    azure_disk,
    cinder,
    csi,
    disk,
    fibre_channel,
    flex_volume,
    flocker,
    iscsi,
    quobyte,
    storage_os,
)
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    required,
)
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
_EMPTY_DIR_MODE = 0o1777


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


def _downward_api(source: JsonObject, path: Path) -> Errors:
    yield from validate_mode(path.child("defaultMode"), source.get("defaultMode"))
    yield from unix_id(path.child("defaultUser"), source.get("defaultUser"))
    yield from validate_downward_files(source.get("items") or (), path)


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
    VolumeSource("gcePersistentDisk", partial(disk, name="pdName"), "persistentDisk"),
    VolumeSource("awsElasticBlockStore", partial(disk, name="volumeID")),
    VolumeSource("secret", _secret),
    VolumeSource("nfs", _nfs),
    VolumeSource("iscsi", iscsi),
    VolumeSource("glusterfs", _members("endpoints", "path")),
    VolumeSource("flocker", flocker),
    VolumeSource("persistentVolumeClaim", _members("claimName")),
    VolumeSource("rbd", _members("monitors", "image")),
    VolumeSource("cinder", cinder),
    VolumeSource("cephfs", _members("monitors"), "cephfs", "cephFS"),
    VolumeSource("quobyte", quobyte),
    VolumeSource("downwardAPI", _downward_api, "downwardAPI", "downwarAPI"),
    VolumeSource("fc", fibre_channel),
    VolumeSource("flexVolume", flex_volume),
    VolumeSource("configMap", _config_map),
    VolumeSource("azureFile", _members("secretName", "shareName")),
    VolumeSource("vsphereVolume", _members("volumePath")),
    VolumeSource("photonPersistentDisk", _members("pdID")),
    VolumeSource("portworxVolume", _members("volumeID")),
    VolumeSource("azureDisk", azure_disk),
    VolumeSource("storageos", storage_os),
    VolumeSource("projected", validate_projected),
    VolumeSource("scaleIO", _members("gateway", "system", "volumeName")),
    VolumeSource("csi", csi),
    VolumeSource("ephemeral", _ephemeral),
    VolumeSource("image", _image),
)
"""All sorts, in the order in which upstream looks for a volume's source."""
