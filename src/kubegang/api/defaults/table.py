"""Which function fills in which kind.

Step one of a write, after decoding and before admission: upstream's defaults of the
release, on the decoded wire object, in place. Kinds without a row have no defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kubegang.api.defaults import batch, core, pods, scheduling
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

Fill = Callable[[JsonObject, FeatureGates], None]

_SCHEDULING = "scheduling.k8s.io"

_FILL: Mapping[GroupVersionKind, Fill] = {
    GroupVersionKind("", "v1", "Namespace"): core.default_namespace,
    GroupVersionKind("", "v1", "Node"): core.default_node,
    GroupVersionKind("", "v1", "Pod"): pods.default_pod,
    GroupVersionKind("", "v1", "Secret"): core.default_secret,
    GroupVersionKind("batch", "v1", "Job"): batch.default_job,
    GroupVersionKind(_SCHEDULING, "v1", "PriorityClass"): scheduling.default_priority_class,
    GroupVersionKind(_SCHEDULING, "v1beta1", "PodGroup"): scheduling.default_group,
    GroupVersionKind(_SCHEDULING, "v1alpha3", "PodGroup"): scheduling.default_group,
    GroupVersionKind(_SCHEDULING, "v1alpha3", "CompositePodGroup"): scheduling.default_group,
    GroupVersionKind(_SCHEDULING, "v1alpha2", "PodGroup"): scheduling.default_v1alpha2_group,
}


def apply_defaults(obj: JsonObject, gvk: GroupVersionKind, gates: FeatureGates) -> None:
    """Fill in what ``obj`` leaves open, in place."""
    fill = _FILL.get(gvk)
    if fill is not None:
        fill(obj, gates)
