"""Device classes, slices and claims for component tests."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import (
    DEVICECLASSES,
    RESOURCECLAIMS,
    RESOURCESLICES,
)
from tests.component.schedulerharness import NS, Cluster

DRIVER = "gpu.example.com"
RESOURCE = "resource.k8s.io/v1"


def device_class(name: str, expression: str = f'device.driver == "{DRIVER}"') -> JsonObject:
    selectors = [{"cel": {"expression": expression}}]
    return _object("DeviceClass", name, spec={"selectors": selectors})


def published(node: str, *devices: str | JsonObject, pool: str = "") -> JsonObject:
    """Return a slice of devices that one node has."""
    name = pool or f"pool-{node}"
    return _object(
        "ResourceSlice",
        name,
        spec={
            "driver": DRIVER,
            "nodeName": node,
            "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": d} if isinstance(d, str) else d for d in devices],
        },
    )


def claim(name: str, *requests: JsonObject) -> JsonObject:
    """Return a claim, of one device of class ``gpu`` unless told otherwise."""
    return _object(
        "ResourceClaim", name, spec={"devices": {"requests": list(requests or [wants()])}}
    )


def wants(name: str = "r", device_class: str = "gpu", **more: Any) -> JsonObject:
    return {"name": name, "exactly": {"deviceClassName": device_class, **more}}


def claims(**entries: str) -> list[JsonObject]:
    """Return ``spec.resourceClaims``: entries and the claims that they name."""
    return [{"name": name, "resourceClaimName": claim} for name, claim in entries.items()]


async def add_devices(cluster: Cluster, *objects: JsonObject) -> None:
    resources = {r.kind: r for r in (DEVICECLASSES, RESOURCESLICES, RESOURCECLAIMS)}
    for obj in objects:
        resource = resources[obj["kind"]]
        await cluster.user.create(resource, obj, NS if resource.namespaced else "")


async def claim_status(cluster: Cluster, name: str) -> JsonObject:
    found = await cluster.user.get(RESOURCECLAIMS, name, NS)
    status: JsonObject = found.get("status", {})
    return status


async def devices_of(cluster: Cluster, name: str) -> list[str]:
    """Return the devices that a claim was given."""
    allocation = (await claim_status(cluster, name)).get("allocation", {})
    return [result["device"] for result in allocation.get("devices", {}).get("results", ())]


async def users_of(cluster: Cluster, name: str) -> list[str]:
    """Return for whom a claim is reserved."""
    status = await claim_status(cluster, name)
    return [f"{user['resource']}/{user['name']}" for user in status.get("reservedFor", ())]


def _object(kind: str, name: str, **parts: Any) -> JsonObject:
    return {"apiVersion": RESOURCE, "kind": kind, "metadata": {"name": name}, **parts}
