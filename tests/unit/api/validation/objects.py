"""Small valid objects, and the errors of changed ones as lines of text."""

from __future__ import annotations

import copy
from typing import Any

from kubegang.api.defaults.table import apply_defaults
from kubegang.api.validation.table import (
    validate_create,
    validate_status_update,
    validate_update,
)
from kubegang.apimachinery.field import FieldError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

GATES = FeatureGates(
    {
        "CompositePodGroup": True,
        "DRAWorkloadResourceClaims": True,
        "GenericWorkload": True,
        "MutablePodResourcesForSuspendedJobs": True,
        "MutableSchedulingDirectivesForSuspendedJobs": True,
        "PodGroupPreemptionPolicy": True,
        "TaintTolerationComparisonOperators": False,
        "TopologyAwareWorkloadScheduling": True,
        "UserNamespacesHostNetworkSupport": False,
        "WorkloadWithJob": True,
    }
)


def container(**members: Any) -> JsonObject:
    return {"name": "c", "image": "registry.example/app:1", **members}


def pod(*, metadata: JsonObject | None = None, **spec: Any) -> JsonObject:
    """Return a pod of one container."""
    return _named("v1", "Pod", metadata, {"containers": [container()], **spec})


def job(*, metadata: JsonObject | None = None, **spec: Any) -> JsonObject:
    """Return a Job that selects its pods by hand; ``pod`` is their spec."""
    labels = {"app": "train"}
    pod_spec = {"containers": [container()], "restartPolicy": "Never", **spec.pop("pod", {})}
    template = {"metadata": {"labels": labels}, "spec": pod_spec}
    selector = {"manualSelector": True, "selector": {"matchLabels": labels}}
    return _named("batch/v1", "Job", metadata, {"template": template, **selector, **spec})


def pod_group(*, metadata: JsonObject | None = None, **spec: Any) -> JsonObject:
    """Return a PodGroup with a basic policy."""
    policy: JsonObject = {"schedulingPolicy": {"basic": {}}}
    return _named("scheduling.k8s.io/v1beta1", "PodGroup", metadata, {**policy, **spec})


def workload(*, metadata: JsonObject | None = None, **spec: Any) -> JsonObject:
    """Return a Workload."""
    return _named("scheduling.k8s.io/v1beta1", "Workload", metadata, spec)


def lines(errors: list[FieldError]) -> list[str]:
    """Return errors as ``field: message``."""
    return [f"{error.field}: {error.message}" for error in errors]


def create(obj: JsonObject, gates: FeatureGates = GATES) -> list[str]:
    """Return what is wrong with a new object, defaults filled in."""
    return lines(validate_create(filled(obj, gates), GroupVersionKind.of(obj), gates))


def update(old: JsonObject, gates: FeatureGates = GATES, **spec: Any) -> list[str]:
    """Return what is wrong with an object whose spec has other members now."""
    stored = filled(old, gates)
    new = copy.deepcopy(stored)
    new["spec"].update(spec)
    apply_defaults(new, GroupVersionKind.of(old), gates)
    return lines(validate_update(new, stored, GroupVersionKind.of(old), gates))


def update_status(old: JsonObject, gates: FeatureGates = GATES, **status: Any) -> list[str]:
    """Return what is wrong with an object whose status has other members now."""
    stored = filled(old, gates)
    new = copy.deepcopy(stored)
    new["status"] = {**(new.get("status") or {}), **status}
    return lines(validate_status_update(new, stored, GroupVersionKind.of(old), gates))


def filled(obj: JsonObject, gates: FeatureGates = GATES) -> JsonObject:
    """Return a copy with defaults."""
    complete = copy.deepcopy(obj)
    apply_defaults(complete, GroupVersionKind.of(obj), gates)
    return complete


def _named(
    api_version: str, kind: str, metadata: JsonObject | None, spec: JsonObject
) -> JsonObject:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "x", "namespace": "default", **(metadata or {})},
        "spec": spec,
    }
