"""Volume attachments.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import IMMUTABLE, Errors, matching
from kubegang.api.validation.core.persistentvolumes import validate_inline_volume
from kubegang.api.validation.declarative import same
from kubegang.api.validation.pods.volume_drivers import csi_driver_name
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    required,
    too_long,
)
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_STATUS = Path("status")
_SOURCE = _SPEC.child("source")
_MAX_METADATA_BYTES = 256 * 1024
_MAX_MESSAGE = 1024
_ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"


def validate_attachment(attachment: JsonObject, _gates: FeatureGates) -> Errors:
    """Check an attachment, new or changed."""
    spec = attachment.get("spec") or {}
    yield from csi_driver_name(spec.get("attacher") or "", _SPEC.child("attacher"))
    yield from _source(spec.get("source") or {})
    yield from matching(_SPEC.child("nodeName"), spec.get("nodeName") or "", is_dns1123_subdomain)
    yield from _status(attachment.get("status") or {})


def validate_attachment_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed attachment: its spec is frozen."""
    yield from validate_attachment(new, gates)
    if not same(new.get("spec") or {}, old.get("spec") or {}):
        yield invalid_value(_SPEC, None, IMMUTABLE)


def _source(source: JsonObject) -> Errors:
    inline, name = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and name is None:
        yield required(_SOURCE, _ONE_SOURCE)
    elif inline is not None and name is not None:
        yield forbidden_field(_SOURCE, _ONE_SOURCE)
    elif name == "":
        detail = "must specify non empty persistentVolumeName"
        yield required(_SOURCE.child("persistentVolumeName"), detail)
    elif inline is not None:
        yield from validate_inline_volume(inline, _SOURCE.child("inlineVolumeSpec"))
    if name is not None:
        yield from matching(_SOURCE.child("persistentVolumeName"), name, is_dns1123_subdomain)


def _status(status: JsonObject) -> Errors:
    metadata = status.get("attachmentMetadata") or {}
    size = sum(len(key.encode()) + len(value.encode()) for key, value in metadata.items())
    if size > _MAX_METADATA_BYTES:
        yield too_long(_STATUS.child("attachmentMetadata"), _MAX_METADATA_BYTES)
    for name in ("attachError", "detachError"):
        yield from _problem(status.get(name) or {}, _STATUS.child(name))


def _problem(error: JsonObject, path: Path) -> Errors:
    if len((error.get("message") or "").encode()) > _MAX_MESSAGE:
        yield too_long(path.child("message"), _MAX_MESSAGE)
    if (code := error.get("errorCode")) is not None and code < 0:
        detail = "must be between 0 and 2147483647, inclusive"
        yield invalid_value(path.child("errorCode"), code, detail)
