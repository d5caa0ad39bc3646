"""Small clusters with devices, for asking DynamicResources."""

from __future__ import annotations

from typing import Any

import msgspec

from kubegang.api.core.types import PodResourceClaim
from kubegang.api.meta import decode
from kubegang.api.resource.types import DeviceClass, ResourceClaim, ResourceSlice
from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.framework.devices import DeviceObject
from kubegang.testing.builders import PodBuilder, make_pod
from kubegang.testing.deciding import DecidingCore

DRIVER = "gpu.example.com"


def gpu_class(name: str = "gpu", expression: str = "true") -> DeviceClass:
    selectors = [{"cel": {"expression": expression}}]
    return decode({"metadata": {"name": name}, "spec": {"selectors": selectors}}, DeviceClass)


def devices_on(node: str, *names: str) -> ResourceSlice:
    spec = {
        "driver": DRIVER,
        "nodeName": node,
        "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": name} for name in names],
    }
    return decode({"metadata": {"name": f"of-{node}"}, "spec": spec}, ResourceSlice)


def wants(**more: Any) -> JsonObject:
    exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1, **more}
    return {"name": "r", "exactly": exactly}


def claim(name: str, *requests: JsonObject, status: JsonObject | None = None) -> ResourceClaim:
    meta = {"namespace": "default", "name": name, "uid": f"uid-{name}", "resourceVersion": "1"}
    spec = {"devices": {"requests": list(requests or [wants()])}}
    return decode({"metadata": meta, "spec": spec, "status": status or {}}, ResourceClaim)


def allocated(node: str, device: str, **more: Any) -> JsonObject:
    """Return the status of a claim that has a device of a node."""
    result = {"request": "r", "driver": DRIVER, "pool": node, "device": device, **more}
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    selector = {"nodeSelectorTerms": [term]}
    return {"allocation": {"devices": {"results": [result]}, "nodeSelector": selector}}


def claiming(name: str, *claims: str) -> PodBuilder:
    """Return a pod with claims."""
    entries = tuple(PodResourceClaim(name=c, resource_claim_name=c) for c in claims)
    return make_pod(name).req(cpu="1").with_spec(resource_claims=entries)


def add_devices(core: DecidingCore, *objects: DeviceObject) -> None:
    for obj in objects:
        core.builder.set_device_object(obj)


def with_status(one: ResourceClaim, status: JsonObject, *, version: str) -> ResourceClaim:
    """Return a later form of a claim."""
    plain = msgspec.to_builtins(one) | {"status": status}
    plain["metadata"]["resourceVersion"] = version
    return decode(plain, ResourceClaim)
