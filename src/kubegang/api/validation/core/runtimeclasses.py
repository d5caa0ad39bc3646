"""Runtime classes.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import IMMUTABLE, Errors, required_matching
from kubegang.api.validation.declarative import short_name
from kubegang.api.validation.internal_form import internal_form
from kubegang.api.validation.labels import validate_labels
from kubegang.api.validation.pods.resources import container_resource, validate_requirements
from kubegang.api.validation.pods.tolerations import validate_tolerations
from kubegang.apimachinery.field import Path, duplicate, invalid_value
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SCHEDULING = Path("scheduling")


def validate_runtime_class(runtime_class: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new runtime class."""
    yield from required_matching(Path("handler"), runtime_class.get("handler"), short_name)
    overhead = runtime_class.get("overhead") or {}
    limits = {"limits": overhead.get("podFixed") or {}}
    yield from validate_requirements(limits, Path("overhead"), container_resource)
    scheduling = runtime_class.get("scheduling") or {}
    yield from validate_labels(scheduling.get("nodeSelector"), _SCHEDULING.child("nodeSelector"))
    tolerations, path = scheduling.get("tolerations") or (), _SCHEDULING.child("tolerations")
    yield from validate_tolerations(tolerations, path, comparing=False)
    seen = []
    for position, toleration in enumerate(tolerations):
        key = [toleration.get(name) for name in ("key", "operator", "value", "effect")]
        if key in seen:
            yield duplicate(path.index(position), internal_form("Toleration", toleration))
        seen.append(key)


def validate_runtime_class_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed runtime class: its handler stays."""
    if new.get("handler") != old.get("handler"):
        yield invalid_value(Path("handler"), None, IMMUTABLE)
