"""Volume mounts and block devices of a container.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubegang.api.validation.checks import Errors, one_of
from kubegang.api.validation.pods.context import PodContext
from kubegang.api.validation.pods.paths import relative_below
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    not_found_field,
    not_supported,
    required,
)
from kubegang.apimachinery.objects import JsonObject

_PROPAGATION = ("Bidirectional", "HostToContainer", "None")
_READ_ONLY = ("Disabled", "Enabled", "IfPossible")
_BIND_OPTIONS = ("nodev", "noexec", "nosuid")


def validate_mounts(container: JsonObject, path: Path, context: PodContext) -> Errors:
    """Check the volumes that a container mounts or opens as devices."""
    mounts = container.get("volumeMounts") or ()
    devices = container.get("volumeDevices") or ()
    if mounts:
        device_paths = _by_name(devices, "devicePath")
        seen: set[str] = set()
        for position, mount in enumerate(mounts):
            item = path.child("volumeMounts").index(position)
            yield from _mount(mount, item, context, seen)
            yield from _mount_and_device(mount, item, device_paths)
            # Upstream tells most of these at the list, not at the item.
            yield from _sub_paths(mount, item, path.child("volumeMounts"))
            yield from _mount_options(mount, path.child("volumeMounts"), container)
            yield from _bind_options(mount, item.child("bindMountOptions"), context)
    if devices:
        yield from _devices(
            devices, path.child("volumeDevices"), context, _by_name(mounts, "mountPath")
        )


def _by_name(items: Sequence[JsonObject], member: str) -> Mapping[str, str]:
    return {item.get("name") or "": item.get(member) or "" for item in items}


def _mount(mount: JsonObject, path: Path, context: PodContext, seen: set[str]) -> Errors:
    name, mount_path = mount.get("name") or "", mount.get("mountPath") or ""
    if not name:
        yield required(path.child("name"))
    if name not in context.volumes:
        yield not_found_field(path.child("name"), name)
    if not mount_path:
        yield required(path.child("mountPath"))
    if mount_path in seen:
        yield invalid_value(path.child("mountPath"), mount_path, "must be unique")
    seen.add(mount_path)


def _mount_and_device(mount: JsonObject, path: Path, devices: Mapping[str, str]) -> Errors:
    name, mount_path = mount.get("name") or "", mount.get("mountPath") or ""
    if name in devices:
        detail = "must not already exist in volumeDevices"
        yield invalid_value(path.child("name"), name, detail)
    if mount_path in devices.values():
        detail = "must not already exist as a path in volumeDevices"
        yield invalid_value(path.child("mountPath"), mount_path, detail)


def _sub_paths(mount: JsonObject, item: Path, path: Path) -> Errors:
    sub_path, expression = mount.get("subPath"), mount.get("subPathExpr")
    if sub_path:
        yield from relative_below(path.child("subPath"), sub_path)
    if sub_path and expression:
        detail = "subPathExpr and subPath are mutually exclusive"
        yield invalid_value(item.child("subPathExpr"), expression, detail)
    if expression:
        yield from relative_below(path.child("subPathExpr"), expression)


def _mount_options(mount: JsonObject, path: Path, container: JsonObject) -> Errors:
    propagation = mount.get("mountPropagation")
    yield from one_of(path.child("mountPropagation"), propagation, _PROPAGATION)
    privileged = (container.get("securityContext") or {}).get("privileged")
    if propagation == "Bidirectional" and not privileged:
        detail = "Bidirectional mount propagation is available only to privileged containers"
        yield forbidden_field(path.child("mountPropagation"), detail)
    if (recursive := mount.get("recursiveReadOnly")) is not None:
        where = path.child("recursiveReadOnly")
        yield from one_of(where, recursive, _READ_ONLY)
        if recursive in ("Enabled", "IfPossible"):
            yield from _recursive_read_only(mount, where)


def _recursive_read_only(mount: JsonObject, path: Path) -> Errors:
    if not mount.get("readOnly"):
        yield forbidden_field(path, "may only be specified when readOnly is true")
    if mount.get("mountPropagation") not in (None, "None"):
        detail = "may only be specified when mountPropagation is None or not specified"
        yield forbidden_field(path, detail)


def _bind_options(mount: JsonObject, path: Path, context: PodContext) -> Errors:
    options = mount.get("bindMountOptions") or []
    seen = set()
    for position, option in enumerate(options):
        if option not in _BIND_OPTIONS:
            yield not_supported(path.index(position), option, _BIND_OPTIONS)
        if option in seen:
            yield duplicate(path.index(position), option)
        seen.add(option)
    volume = context.volumes.get(mount.get("name") or "") or {}
    if options and volume.get("image") is not None:
        detail = "bindMountOptions may not be used with image volumes"
        yield invalid_value(path, options, detail)


def _devices(
    devices: Sequence[JsonObject], path: Path, context: PodContext, mounts: Mapping[str, str]
) -> Errors:
    names: set[str] = set()
    paths: set[str] = set()
    for position, device in enumerate(devices):
        item = path.index(position)
        name, device_path = device.get("name") or "", device.get("devicePath") or ""
        yield from _device_name(name, item.child("name"), context, names)
        yield from _device_path(device_path, item.child("devicePath"), paths)
        if name in mounts:
            detail = "must not already exist in volumeMounts"
            yield invalid_value(item.child("name"), name, detail)
        if device_path in mounts.values():
            detail = "must not already exist as a path in volumeMounts"
            yield invalid_value(item.child("devicePath"), device_path, detail)


def _device_name(name: str, path: Path, context: PodContext, seen: set[str]) -> Errors:
    if not name:
        yield required(path)
    if name in seen:
        yield invalid_value(path, name, "must be unique")
    volume: dict[str, Any] | None = context.volumes.get(name)
    if volume is None:
        yield not_found_field(path, name)
    elif volume.get("persistentVolumeClaim") is None and volume.get("ephemeral") is None:
        detail = (
            "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        )
        yield invalid_value(path, name, detail)
    if name:
        seen.add(name)


def _device_path(device_path: str, path: Path, seen: set[str]) -> Errors:
    if not device_path:
        yield required(path)
    if device_path in seen:
        yield invalid_value(path, device_path, "must be unique")
    if ".." in device_path.split("/"):
        yield invalid_value(path, device_path, "can not contain backsteps ('..')")
    else:
        seen.add(device_path)
