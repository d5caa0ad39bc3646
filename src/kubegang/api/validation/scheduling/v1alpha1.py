"""Workload of v1alpha1, and the pods that refer to it (1.35).

Written by hand upstream, with texts of its own. What is frozen is reported without the
``spec.`` in front.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import IMMUTABLE, Errors, matching, positive, required_matching
from kubegang.api.validation.internal_form import internal_form, invalid_json
from kubegang.api.validation.scheduling.blocks import MAX_TEMPLATES
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    invalid_value,
    required,
    too_many,
)
from kubegang.apimachinery.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_path_segment_name,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")


def validate_workload(workload: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a Workload, new or changed."""
    spec = workload.get("spec") or {}
    if (reference := spec.get("controllerRef")) is not None:
        yield from _controller(reference, _SPEC.child("controllerRef"))
    groups, path = spec.get("podGroups") or (), _SPEC.child("podGroups")
    if not groups:
        yield required(path, "must have at least one item")
    elif len(groups) > MAX_TEMPLATES:
        yield too_many(path, len(groups), MAX_TEMPLATES)
    else:
        names: set[str] = set()
        for position, group in enumerate(groups):
            yield from _group(group, path.index(position), names)


def validate_workload_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed Workload: its groups are frozen, its controller once it has one."""
    yield from validate_workload(new, gates)
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    if old_spec.get("controllerRef") is not None:
        yield from _frozen("controllerRef", "*ControllerRefV1alpha1", spec, old_spec)
    yield from _frozen("podGroups", "[WorkloadPodGroupV1alpha1]", spec, old_spec)


def validate_workload_ref(reference: JsonObject, path: Path) -> Errors:
    """Check a pod's reference to a group of a Workload."""
    yield from matching(path.child("name"), reference.get("name") or "", is_dns1123_subdomain)
    yield from matching(path.child("podGroup"), reference.get("podGroup") or "", is_dns1123_label)
    if key := reference.get("podGroupReplicaKey"):
        yield from matching(path.child("podGroupReplicaKey"), key, is_dns1123_label)


def _controller(reference: JsonObject, path: Path) -> Errors:
    if group := reference.get("apiGroup"):
        yield from matching(path.child("apiGroup"), group, is_dns1123_subdomain)
    for name in ("kind", "name"):
        yield from required_matching(path.child(name), reference.get(name), is_path_segment_name)


def _group(group: JsonObject, path: Path, names: set[str]) -> Errors:
    name = group.get("name") or ""
    yield from matching(path.child("name"), name, is_dns1123_label)
    if name in names:
        yield duplicate(path.child("name"), name)
    names.add(name)
    yield from _policy(group.get("policy") or {}, path.child("policy"))


def _policy(policy: JsonObject, path: Path) -> Errors:
    detail = "exactly one of `basic`, `gang` is required"
    chosen = [name for name in ("basic", "gang") if policy.get(name) is not None]
    if not chosen:
        yield required(path, detail)
    elif len(chosen) > 1:
        shown = ", ".join(f"`{name}`" for name in chosen)
        yield invalid_value(path, f"{{{shown}}}", f"{detail}, but multiple fields are set")
    elif chosen == ["gang"]:
        yield from positive(path.child("gang", "minCount"), policy["gang"].get("minCount"))


def _frozen(name: str, kind: str, spec: JsonObject, old_spec: JsonObject) -> Errors:
    form = internal_form(kind, spec.get(name))
    if form != internal_form(kind, old_spec.get(name)):
        yield invalid_json(Path(name), form, IMMUTABLE)
