"""Certificates and trust bundles that a projected volume asks for.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable

from kubegang.api.validation.checks import Errors, unix_id
from kubegang.api.validation.pods.paths import relative_file
from kubegang.apimachinery.field import (
    Path,
    invalid_value,
    not_supported,
    required,
    too_long,
)
from kubegang.apimachinery.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_qualified_name,
)
from kubegang.apimachinery.objects import JsonObject

_KEY_TYPES = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_MIN_SECONDS = 3600
_MAX_SECONDS = 91 * 24 * 3600
_MAX_KUBERNETES_SECONDS = 24 * 3600
_MAX_DOMAIN = 253
_MAX_SIGNER = _MAX_DOMAIN + 1 + _MAX_DOMAIN + 63 + 1
_ANNOTATIONS_BYTES = 256 * 1024
_PATHS = ("credentialBundlePath", "keyPath", "certificateChainPath")


def validate_signer_name(path: Path, name: str) -> Errors:
    """Check a signer's name: a domain of at least two parts, a slash, a path."""
    if not name:
        yield required(path)
        return
    if name.count("/") != 1:
        detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        yield invalid_value(path, name, detail)
        return
    domain, _, rest = name.partition("/")
    if len(domain) > _MAX_DOMAIN:
        yield too_long(path, _MAX_DOMAIN)
    yield from _first_bad_label(path, domain, is_dns1123_label)
    if "." not in domain:
        detail = "should be a domain with at least two segments separated by dots"
        yield invalid_value(path, domain, detail)
    yield from _first_bad_label(path, rest, is_dns1123_subdomain)
    if len(name) > _MAX_SIGNER:
        yield too_long(path, _MAX_SIGNER)


def trust_bundle_name(name: str) -> list[str]:
    """Check the name of a ClusterTrustBundle, which starts with its signer's, if it has one."""
    return is_dns1123_subdomain(name.rpartition(":")[2])


def validate_certificate(source: JsonObject, path: Path) -> Errors:
    """Check a pod certificate projection."""
    signer = source.get("signerName") or ""
    yield from validate_signer_name(path.child("signerName"), signer)
    if (annotations := source.get("userAnnotations")) is not None:
        yield from _user_annotations(annotations, path.child("userAnnotations"))
    yield from unix_id(path.child("user"), source.get("user"))
    key_type = source.get("keyType") or ""
    if key_type not in _KEY_TYPES:
        yield not_supported(path.child("keyType"), key_type, _KEY_TYPES)
    yield from _lifetime(source.get("maxExpirationSeconds"), path, signer)
    given = [name for name in _PATHS if source.get(name)]
    for name in given:
        yield from relative_file(path.child(name), source[name])
    if not given:
        detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
        yield required(path, detail)


def _first_bad_label(path: Path, text: str, rule: Callable[[str], list[str]]) -> Errors:
    for label in text.split("."):
        if errors := rule(label):
            for error in errors:
                yield invalid_value(path, text, f'validating label "{label}": {error}')
            return


def _user_annotations(annotations: dict[str, str], path: Path) -> Errors:
    size = 0
    for key, value in annotations.items():
        size += len(key.encode()) + len(value.encode())
        name = key.lower()
        errors = is_qualified_name(name)
        for error in errors:
            yield invalid_value(path, name, error)
        if not errors and "/" not in name:
            detail = 'must be a domain-prefixed key (such as "acme.io/foo")'
            yield invalid_value(path, name, detail)
    if size > _ANNOTATIONS_BYTES:
        yield too_long(path, _ANNOTATIONS_BYTES)


def _lifetime(seconds: int | None, path: Path, signer: str) -> Errors:
    if seconds is None:
        return
    where = path.child("maxExpirationSeconds")
    if seconds < _MIN_SECONDS:
        detail = f"if provided, maxExpirationSeconds must be >= {_MIN_SECONDS}"
        yield invalid_value(where, seconds, detail)
    domain = signer.partition("/")[0]
    own = domain == "kubernetes.io" or domain.endswith(".kubernetes.io")
    limit = _MAX_KUBERNETES_SECONDS if own else _MAX_SECONDS
    if seconds > limit:
        detail = f"if provided, maxExpirationSeconds must be <= {limit}"
        yield invalid_value(where, seconds, detail)
