"""Pods and pod templates as they are created.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors, not_negative
from kubegang.api.validation.labels import validate_annotations, validate_labels
from kubegang.api.validation.metadata import METADATA
from kubegang.api.validation.pods.annotations import (
    validate_pod_annotations,
    validate_profiles_agree,
)
from kubegang.api.validation.pods.containers import trimmed_image
from kubegang.api.validation.pods.spec import validate_pod_spec
from kubegang.apimachinery.field import Path, forbidden_field
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

SPEC = Path("spec")


def validate_pod(pod: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new pod."""
    spec = pod.get("spec") or {}
    yield from validate_pod_parts(pod, gates)
    if spec.get("ephemeralContainers"):
        yield forbidden_field(SPEC.child("ephemeralContainers"), "cannot be set on create")
    if spec.get("nodeName") and spec.get("schedulingGates"):
        detail = "cannot be set until all schedulingGates have been cleared"
        yield forbidden_field(SPEC.child("nodeName"), detail)
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    yield from validate_profiles_agree(annotations, spec, SPEC)


def validate_pod_parts(
    pod: JsonObject, gates: FeatureGates, *, old_spec: JsonObject | None = None
) -> Errors:
    """Check annotations and spec of a pod, new or changed."""
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    if annotations := metadata.get("annotations"):
        yield from validate_pod_annotations(annotations, spec, METADATA.child("annotations"))
    yield from validate_pod_spec(spec, SPEC, gates, metadata=metadata, old_spec=old_spec)
    yield from _tokens_need_account(spec)
    grace = spec.get("terminationGracePeriodSeconds")
    yield from not_negative(SPEC.child("terminationGracePeriodSeconds"), grace)
    for name in ("containers", "initContainers"):
        for position, container in enumerate(spec.get(name) or ()):
            yield from trimmed_image(container, SPEC.child(name).index(position))


def validate_pod_template(
    template: JsonObject,
    path: Path,
    gates: FeatureGates,
    *,
    old_spec: JsonObject | None = None,
) -> Errors:
    """Check a pod template; it has labels and annotations, but no name."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    annotations = metadata.get("annotations") or {}
    yield from validate_labels(metadata.get("labels"), path.child("labels"))
    yield from validate_annotations(annotations, path.child("annotations"))
    yield from validate_pod_annotations(annotations, spec, path.child("annotations"))
    yield from validate_pod_spec(spec, path.child("spec"), gates, old_spec=old_spec)
    yield from validate_profiles_agree(annotations, spec, path.child("spec"))
    if spec.get("ephemeralContainers"):
        detail = "ephemeral containers not allowed in pod template"
        yield forbidden_field(path.child("spec", "ephemeralContainers"), detail)


def _tokens_need_account(spec: JsonObject) -> Errors:
    if spec.get("serviceAccountName"):
        return
    for position, volume in enumerate(spec.get("volumes") or ()):
        for number, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
            if source.get("serviceAccountToken") is not None:
                where = SPEC.child("volumes").index(position).child("projected", "sources")
                detail = "must not be specified when serviceAccountName is not set"
                yield forbidden_field(where.index(number).child("serviceAccountToken"), detail)
