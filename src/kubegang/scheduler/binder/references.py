"""Objects as events name them."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import COMPOSITEPODGROUPS
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.workloadgroups import group_name

WORKLOADS_OF_GROUPS = "scheduling.k8s.io/v1alpha1"
"""The one API version in which Workloads have groups as their entries."""


def pod_reference(pod: PodInfo) -> JsonObject:
    """Return the reference to a pod in the form in which it was last seen."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": pod.namespace,
        "name": pod.name,
        "uid": pod.uid,
        "resourceVersion": pod.resource_version,
    }


def pod_group_reference(group: PodGroupInfo, *, api_version: str) -> JsonObject:
    """Return the reference to a group, or to the Workload of which it is an entry.

    Args:
        group: a pod group, or a composite one.
        api_version: of PodGroup in this release; composites are served in one version only.
    """
    name = group_name(group.key)
    if name is not None:
        return {
            "apiVersion": WORKLOADS_OF_GROUPS,
            "kind": "Workload",
            "namespace": group.key.namespace,
            "name": name.workload,
            "uid": group.uid,
            "resourceVersion": group.resource_version,
        }
    return {
        "apiVersion": COMPOSITEPODGROUPS.api_version if group.is_composite else api_version,
        "kind": group.key.kind,
        "namespace": group.key.namespace,
        "name": group.key.name,
        "uid": group.uid,
        "resourceVersion": group.resource_version,
    }
