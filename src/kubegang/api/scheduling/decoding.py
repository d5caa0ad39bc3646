"""Objects of any version of ``scheduling.k8s.io`` into the one form that code reads."""

from __future__ import annotations

from kubegang.api.meta import decode
from kubegang.api.scheduling import types, v1alpha1, v1alpha2
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject


def decode_workload(obj: JsonObject) -> types.Workload:
    """Decode a Workload of whatever version its apiVersion names."""
    match GroupVersionKind.of(obj).version:
        case "v1alpha1":
            return decode(obj, v1alpha1.Workload).to_internal()
        case "v1alpha2":
            return decode(obj, v1alpha2.Workload).to_internal()
        case _:
            return decode(obj, types.Workload)


def decode_pod_group(obj: JsonObject) -> types.PodGroup:
    """Decode a PodGroup of whatever version its apiVersion names."""
    if GroupVersionKind.of(obj).version == "v1alpha2":
        return decode(obj, v1alpha2.PodGroup).to_internal()
    return decode(obj, types.PodGroup)


def decode_composite_pod_group(obj: JsonObject) -> types.CompositePodGroup:
    """Decode a CompositePodGroup; only one version has them."""
    return decode(obj, types.CompositePodGroup)
