"""Defaults of pod volumes: one small function per source that has any.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kubegang.api.defaults.containers import default_field_ref
from kubegang.api.defaults.images import default_pull_policy
from kubegang.api.defaults.members import member
from kubegang.api.defaults.quantities import round_requirements
from kubegang.apimachinery.objects import JsonObject

_FILE_MODE = 0o644
_TOKEN_SECONDS = 3600


def default_volume(volume: JsonObject) -> None:
    """Fill in a volume; one without any source is an emptyDir."""
    sources = [name for name, value in volume.items() if name != "name" and value is not None]
    if not sources:
        volume["emptyDir"] = {}
    for source in sources:
        default_volume_source(source, volume[source])


def default_volume_source(name: str, source: JsonObject) -> None:
    """Fill in one source of a volume, also of a persistent one; others are left alone."""
    if (fill := _SOURCES.get(name)) is not None:
        fill(source)


def _fill(source: JsonObject, **texts: str) -> None:
    """Set members that are missing or empty."""
    for name, text in texts.items():
        if not source.get(name):
            source[name] = text


def _default_mode(source: JsonObject) -> None:
    if source.get("defaultMode") is None:
        source["defaultMode"] = _FILE_MODE


def _host_path(source: JsonObject) -> None:
    if source.get("type") is None:
        source["type"] = ""


def _iscsi(source: JsonObject) -> None:
    _fill(source, iscsiInterface="default")


def _rbd(source: JsonObject) -> None:
    _fill(source, pool="rbd", user="admin", keyring="/etc/ceph/keyring")


def _azure_disk(source: JsonObject) -> None:
    for name, value in (
        ("cachingMode", "ReadWrite"),
        ("fsType", "ext4"),
        ("readOnly", False),
        ("kind", "Shared"),
    ):
        if source.get(name) is None:
            source[name] = value


def _scale_io(source: JsonObject) -> None:
    _fill(source, storageMode="ThinProvisioned", fsType="xfs")


def _image(source: JsonObject) -> None:
    if not source.get("pullPolicy"):
        source["pullPolicy"] = default_pull_policy(source.get("reference") or "")


def _downward_api(source: JsonObject) -> None:
    _default_mode(source)
    for file in source.get("items") or ():
        default_field_ref(file)


def _projected(source: JsonObject) -> None:
    _default_mode(source)
    for projection in source.get("sources") or ():
        token = projection.get("serviceAccountToken")
        if token is not None and token.get("expirationSeconds") is None:
            token["expirationSeconds"] = _TOKEN_SECONDS
        for file in (projection.get("downwardAPI") or {}).get("items") or ():
            default_field_ref(file)


def _ephemeral(source: JsonObject) -> None:
    template = source.get("volumeClaimTemplate")
    if template is None:
        return
    spec = member(template, "spec")
    if spec.get("volumeMode") is None:
        spec["volumeMode"] = "Filesystem"
    round_requirements(spec.get("resources"))


_SOURCES: Mapping[str, Callable[[JsonObject], None]] = {
    "azureDisk": _azure_disk,
    "configMap": _default_mode,
    "downwardAPI": _downward_api,
    "ephemeral": _ephemeral,
    "hostPath": _host_path,
    "image": _image,
    "iscsi": _iscsi,
    "projected": _projected,
    "rbd": _rbd,
    "scaleIO": _scale_io,
    "secret": _default_mode,
}
