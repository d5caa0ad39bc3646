"""Files that volumes project: keys, downward API fields, tokens, trust bundles, certificates.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import (
    Errors,
    required_members,
    unix_id,
)
from kubegang.api.validation.internal_form import invalid_form
from kubegang.api.validation.labels import validate_selector
from kubegang.api.validation.pods.certificates import (
    trust_bundle_name,
    validate_certificate,
    validate_signer_name,
)
from kubegang.api.validation.pods.env import validate_field_ref, validate_resource_ref
from kubegang.api.validation.pods.paths import relative_file
from kubegang.apimachinery.field import Path, forbidden_field, invalid_value, required
from kubegang.apimachinery.objects import JsonObject

_FILE_MODE = 0o777
_MIN_TOKEN_SECONDS = 600
_MAX_TOKEN_SECONDS = 2**32

_FILE_FIELDS = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)


def validate_mode(path: Path, mode: int | None) -> Errors:
    """Check the permission bits of projected files."""
    if mode is not None and not 0 <= mode <= _FILE_MODE:
        detail = "must be a number between 0 and 0777 (octal), both inclusive"
        yield invalid_value(path, mode, detail)


def validate_key_to_path(item: JsonObject, path: Path) -> Errors:
    """Check which key becomes which file."""
    yield from required_members(path, item, "key", "path")
    yield from relative_file(path.child("path"), item.get("path") or "")
    yield from validate_mode(path.child("mode"), item.get("mode"))
    yield from unix_id(path.child("user"), item.get("user"))


def validate_downward_files(files: Sequence[JsonObject], path: Path) -> Errors:
    """Check downward API files; upstream tells their errors at the source, without an index."""
    for file in files:
        yield from _downward_file(file, path)


def validate_projected(source: JsonObject, path: Path) -> Errors:
    """Check a projected volume: each source is one sort, and no two make the same file."""
    yield from validate_mode(path.child("defaultMode"), source.get("defaultMode"))
    yield from unix_id(path.child("defaultUser"), source.get("defaultUser"))
    files: set[str] = set()
    for position, projection in enumerate(source.get("sources") or ()):
        item = path.child("sources").index(position)
        given = [name for name in _PROJECTIONS if projection.get(name) is not None]
        for name in given:
            yield from _PROJECTIONS[name](projection[name], item.child(name), path)
            for file, shown in _files(name, projection[name]):
                if file in files:
                    yield invalid_value(path, shown, "conflicting duplicate paths")
                files.add(file)
        if len(given) > 1:
            yield forbidden_field(item, "may not specify more than 1 volume type per source")


def _files(name: str, source: JsonObject) -> Sequence[tuple[str, str]]:
    """Return the files a source makes, with what upstream shows when one exists already."""
    if name in ("secret", "configMap"):
        shown = source.get("name") or ""
        paths = [item.get("path") for item in source.get("items") or ()]
        return [(path, shown) for path in paths if path]
    if name == "downwardAPI":
        paths = [item.get("path") for item in source.get("items") or ()]
    elif name == "clusterTrustBundle":
        return [(source.get("path") or "", source.get("path") or "")]
    elif name == "podCertificate":
        members = ("credentialBundlePath", "keyPath", "certificateChainPath")
        paths = [source.get(member) for member in members]
    else:
        return []
    return [(path, path) for path in paths if path]


def _keys(source: JsonObject, path: Path, _volume: Path) -> Errors:
    yield from required_members(path, source, "name")
    for position, item in enumerate(source.get("items") or ()):
        yield from validate_key_to_path(item, path.child("items").index(position))


def _downward(source: JsonObject, path: Path, _volume: Path) -> Errors:
    yield from validate_downward_files(source.get("items") or (), path)


def _downward_file(file: JsonObject, path: Path) -> Errors:
    yield from required_members(path, file, "path")
    yield from relative_file(path.child("path"), file.get("path") or "")
    field, resource = file.get("fieldRef"), file.get("resourceFieldRef")
    if field is not None:
        yield from validate_field_ref(field, path.child("fieldRef"), _FILE_FIELDS)
        if resource is not None:
            detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
            yield invalid_value(path, "resource", detail)
    elif resource is not None:
        yield from validate_resource_ref(resource, path.child("resourceFieldRef"), in_volume=True)
    else:
        yield required(path, "one of fieldRef and resourceFieldRef is required")
    yield from validate_mode(path.child("mode"), file.get("mode"))
    yield from unix_id(path.child("user"), file.get("user"))


def _token(source: JsonObject, path: Path, volume: Path) -> Errors:
    seconds = source.get("expirationSeconds")
    where = path.child("expirationSeconds")
    if seconds is None:
        yield required(where)
    elif seconds < _MIN_TOKEN_SECONDS:
        yield invalid_value(where, seconds, "may not specify a duration less than 10 minutes")
    elif seconds > _MAX_TOKEN_SECONDS:
        detail = "may not specify a duration larger than 2^32 seconds"
        yield invalid_value(where, seconds, detail)
    # Upstream tells the path's errors at the volume.
    if file := source.get("path"):
        yield from relative_file(volume.child("path"), file)
    else:
        yield required(volume.child("path"))
    yield from unix_id(path.child("user"), source.get("user"))


def _trust_bundle(source: JsonObject, path: Path, _volume: Path) -> Errors:
    name, signer = source.get("name"), source.get("signerName")
    selector = source.get("labelSelector")
    if name is not None and signer is not None:
        detail = "only one of name and signerName may be used"
        yield invalid_form(path, "ClusterTrustBundleProjection", source, detail)
    elif name is not None:
        if not name:
            yield required(path.child("name"), "must be a valid object name")
        for detail in trust_bundle_name(name):
            text = f"not a valid clustertrustbundlename: {detail}"
            yield invalid_value(path.child("name"), name, text)
        if selector is not None:
            detail = "labelSelector must be unset if name is specified"
            yield invalid_form(path.child("labelSelector"), "selector", selector, detail)
    elif signer is not None:
        if not signer:
            yield required(path.child("signerName"), "must be a valid signer name")
        yield from validate_signer_name(path.child("signerName"), signer)
        yield from validate_selector(selector, path.child("labelSelector"))
    else:
        yield required(path, "either name or signerName must be specified")
    yield from required_members(path, source, "path")
    yield from unix_id(path.child("user"), source.get("user"))
    yield from relative_file(path.child("path"), source.get("path") or "")


def _certificate(source: JsonObject, path: Path, _volume: Path) -> Errors:
    yield from validate_certificate(source, path)


_PROJECTIONS = {
    "secret": _keys,
    "configMap": _keys,
    "downwardAPI": _downward,
    "serviceAccountToken": _token,
    "clusterTrustBundle": _trust_bundle,
    "podCertificate": _certificate,
}
