"""Config maps.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors, matching
from kubegang.apimachinery.field import Path, forbidden_field, invalid_value, too_long
from kubegang.apimachinery.names import is_config_map_key
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_MAX_BYTES = 1024 * 1024


def validate_config_map(config_map: JsonObject, _gates: FeatureGates) -> Errors:
    """Check the keys of both maps, and the size of all values together."""
    data, binary = config_map.get("data") or {}, config_map.get("binaryData") or {}
    for key in data:
        path = Path("data").key(key)
        yield from matching(path, key, is_config_map_key)
        if key in binary:
            yield invalid_value(path, key, "duplicate of key present in binaryData")
    for key in binary:
        yield from matching(Path("binaryData").key(key), key, is_config_map_key)
    size = sum(len(value.encode()) for value in data.values())
    size += sum(map(_decoded_bytes, binary.values()))
    if size > _MAX_BYTES:
        # About the whole object, which upstream prints as a list index without a list.
        yield too_long(Path("[]"), _MAX_BYTES)


def validate_config_map_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed config map; one that is immutable stays so for good."""
    if old.get("immutable"):
        detail = "field is immutable when `immutable` is set"
        if not new.get("immutable"):
            yield forbidden_field(Path("immutable"), detail)
        for name in ("data", "binaryData"):
            if (new.get(name) or {}) != (old.get(name) or {}):
                yield forbidden_field(Path(name), detail)
    yield from validate_config_map(new, gates)


def _decoded_bytes(text: str) -> int:
    """Return how many bytes a base64 text stands for."""
    return len(text) * 3 // 4 - text.count("=", -2)
