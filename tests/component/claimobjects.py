"""Objects around ResourceClaims, for tests of their controller."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

NAMESPACE = "default"
FINALIZER = "resource.kubernetes.io/delete-protection"
GROUP_VERSION = "scheduling.k8s.io/v1beta1"


def template(name: str = "gpu", **metadata: Any) -> Json:
    """Return a ResourceClaimTemplate of one device."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name},
        "spec": {"metadata": metadata, "spec": claim_spec()},
    }


def claim(name: str) -> Json:
    """Return a ResourceClaim of one device."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name},
        "spec": claim_spec(),
    }


def claim_spec() -> Json:
    """Return the spec of a claim of one device."""
    exactly = {"deviceClassName": "gpu.example.com"}
    return {"devices": {"requests": [{"name": "one", "exactly": exactly}]}}


def by_template(name: str, template_name: str = "gpu") -> Json:
    """Return an entry of ``spec.resourceClaims`` that names a template."""
    return {"name": name, "resourceClaimTemplateName": template_name}


def by_name(name: str, claim_name: str) -> Json:
    """Return an entry of ``spec.resourceClaims`` that names a claim."""
    return {"name": name, "resourceClaimName": claim_name}


def pod_with(name: str, *entries: Json, group: str = "", node: str = "") -> Json:
    """Return a pod with claims, of a group and on a node if these are given."""
    spec: Json = {
        "containers": [{"name": "c", "image": "registry.example/app:1"}],
        "resourceClaims": list(entries),
    }
    if group:
        spec["schedulingGroup"] = {"podGroupName": group}
    if node:
        spec["nodeName"] = node
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def group_with(name: str, *entries: Json, version: str = GROUP_VERSION) -> Json:
    """Return a PodGroup of one pod at least, with claims."""
    return {
        "apiVersion": version,
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 1}}, "resourceClaims": list(entries)},
    }


def allocation() -> Json:
    """Return one device, given to a claim on any node."""
    result = {"request": "one", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}
    return {"devices": {"results": [result]}}


def reservation(obj: Json) -> Json:
    """Return the entry in ``status.reservedFor`` of a pod or a PodGroup."""
    who = {"name": obj["metadata"]["name"], "uid": obj["metadata"]["uid"]}
    if obj["kind"] == "PodGroup":
        return {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", **who}
    return {"resource": "pods", **who}
