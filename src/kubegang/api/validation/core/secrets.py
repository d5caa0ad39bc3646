"""Secrets, and what each known type must contain.

Pure.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

from kubegang.api.validation.checks import IMMUTABLE, Errors, matching, unchanged
from kubegang.api.validation.metadata import METADATA
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    required,
    too_long,
)
from kubegang.apimachinery.names import is_config_map_key
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_DATA = Path("data")
_MAX_BYTES = 1024 * 1024
_ACCOUNT_NAME = "kubernetes.io/service-account.name"
_FROZEN = f"{IMMUTABLE} when `immutable` is set"

# What must be there, whatever it says.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
_JSON_TYPES = ("kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson")


def validate_secret(secret: JsonObject, _gates: FeatureGates) -> Errors:
    """Check keys, size, and what the type asks for."""
    data = secret.get("data") or {}
    for key in data:
        yield from matching(_DATA.key(key), key, is_config_map_key)
    if sum(len(value) * 3 // 4 - value.count("=", -2) for value in data.values()) > _MAX_BYTES:
        yield too_long(_DATA, _MAX_BYTES)
    yield from _type(secret, data)


def validate_secret_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed secret: its type stays; one that is immutable stays so for good."""
    yield from unchanged(Path("type"), new.get("type"), old.get("type"))
    if old.get("immutable"):
        if not new.get("immutable"):
            yield forbidden_field(Path("immutable"), _FROZEN)
        if (new.get("data") or {}) != (old.get("data") or {}):
            yield forbidden_field(_DATA, _FROZEN)
    yield from validate_secret(new, gates)


def _type(secret: JsonObject, data: Mapping[str, str]) -> Errors:
    kind = secret.get("type") or ""
    for key in _KEYS.get(kind, ()):
        if key not in data:
            yield required(_DATA.key(key))
        elif kind in _JSON_TYPES:
            yield from _json(data[key], _DATA.key(key))
    if kind == "kubernetes.io/service-account-token":
        annotations = (secret.get("metadata") or {}).get("annotations") or {}
        if not annotations.get(_ACCOUNT_NAME):
            yield required(METADATA.child("annotations").key(_ACCOUNT_NAME))
    if kind == "kubernetes.io/basic-auth" and "username" not in data and "password" not in data:
        yield required(_DATA.key("username"))
        yield required(_DATA.key("password"))
    if kind == "kubernetes.io/ssh-auth" and not data.get("ssh-privatekey"):
        yield required(_DATA.key("ssh-privatekey"))


def _json(value: str, path: Path) -> Errors:
    try:
        content = json.loads(base64.b64decode(value))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        # The exact complaint of Go's decoder depends on where it stopped reading.
        detail = "invalid character" if value else "unexpected end of JSON input"
        yield invalid_value(path, "<secret contents redacted>", detail)
