"""Objects as events name them."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo


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
    """Return the reference to a pod group."""
    return {
        "apiVersion": api_version,
        "kind": "PodGroup",
        "namespace": group.key.namespace,
        "name": group.key.name,
        "uid": group.uid,
        "resourceVersion": group.resource_version,
    }
