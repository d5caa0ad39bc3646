"""Claims, volumes and classes as users send them, and what volume controllers do to them."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.api import ApiClient
from kubegang.client.resources import PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES

NS = "default"


def storage_class(name: str, provisioner: str = "kubernetes.io/no-provisioner") -> JsonObject:
    """Return a class whose volumes are bound when a pod needs them."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def claim(name: str, *, storage_class: str, mode: str = "ReadWriteOnce") -> JsonObject:
    """Return a claim for 1 GiB."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": {
            "accessModes": [mode],
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }


def local_volume(name: str, node: str, *, storage_class: str) -> JsonObject:
    """Return a volume that one node can reach."""
    expression = {"key": "disk", "operator": "In", "values": [node]}
    terms = [{"matchExpressions": [expression]}]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": storage_class,
            "local": {"path": "/disk"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
        },
    }


def using(*claims: str) -> list[JsonObject]:
    """Return a pod's volumes."""
    return [
        {"name": f"v{index}", "persistentVolumeClaim": {"claimName": name}}
        for index, name in enumerate(claims)
    ]


async def make_available(client: ApiClient, *names: str) -> None:
    """Do what the controller does about new volumes."""
    for name in names:
        patch = {"status": {"phase": "Available"}}
        await client.patch(PERSISTENTVOLUMES, name, patch=patch, subresource="status")


async def complete_binding(client: ApiClient, name: str, volume: str) -> None:
    """Do what the controller does when a volume is promised to a claim."""
    annotations = {"pv.kubernetes.io/bind-completed": "yes"}
    patch = {"metadata": {"annotations": annotations}, "spec": {"volumeName": volume}}
    await client.patch(PERSISTENTVOLUMECLAIMS, name, NS, patch=patch)
    bound = {"status": {"phase": "Bound"}}
    await client.patch(PERSISTENTVOLUMECLAIMS, name, NS, patch=bound, subresource="status")
    await client.patch(PERSISTENTVOLUMES, volume, patch=bound, subresource="status")
