"""From the short form of steps about devices to ResourceSlices, ResourceClaims and their class."""

from __future__ import annotations

from typing import Final

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import DEVICECLASSES, RESOURCECLAIMS, RESOURCESLICES

DRIVER: Final = "gpu.example.com"
CLASS: Final = "gpu"


def device_class() -> JsonObject:
    """Return the one class that all claims name."""
    selector = {"cel": {"expression": f"device.driver == '{DRIVER}'"}}
    return {
        "apiVersion": DEVICECLASSES.api_version,
        "kind": "DeviceClass",
        "metadata": {"name": CLASS},
        "spec": {"selectors": [selector]},
    }


def resource_slice(step: JsonObject) -> JsonObject:
    """Return the ResourceSlice of a ``slice`` step: the devices of one node."""
    node = step["slice"]
    return {
        "apiVersion": RESOURCESLICES.api_version,
        "kind": "ResourceSlice",
        "metadata": {"name": node},
        "spec": {
            "driver": DRIVER,
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": [_device(device) for device in step["devices"]],
        },
    }


def _device(short: JsonObject) -> JsonObject:
    device: JsonObject = {
        "name": short["name"],
        "attributes": {"numa": {"int": short["numa"]}},
        "capacity": {"memory": {"value": f"{short['memory']}Gi"}},
    }
    if "taint" in short:
        device["taints"] = [{"key": "sick", "effect": short["taint"]}]
    return device


def claim(step: JsonObject) -> JsonObject:
    """Return the ResourceClaim of a ``claim`` step."""
    request: JsonObject = {"name": "r"}
    if "or" in step:
        second = {"name": "second", **_wanted(step["or"])}
        request["firstAvailable"] = [{"name": "first", **_wanted(step)}, second]
    else:
        request["exactly"] = _wanted(step)
    devices: JsonObject = {"requests": [request]}
    if "same" in step:
        devices["constraints"] = [{"matchAttribute": f"{DRIVER}/{step['same']}"}]
    return {
        "apiVersion": RESOURCECLAIMS.api_version,
        "kind": "ResourceClaim",
        "metadata": {"name": step["claim"]},
        "spec": {"devices": devices},
    }


def _wanted(step: JsonObject) -> JsonObject:
    wanted: JsonObject = {"deviceClassName": CLASS}
    if step.get("all"):
        wanted["allocationMode"] = "All"
    else:
        wanted |= {"allocationMode": "ExactCount", "count": step["count"]}
    if "memory" in step:
        enough = f"quantity('{step['memory']}Gi')"
        text = f"device.capacity['{DRIVER}'].memory.compareTo({enough}) >= 0"
        wanted["selectors"] = [{"cel": {"expression": text}}]
    if step.get("tolerates"):
        wanted["tolerations"] = [{"key": "sick", "operator": "Exists"}]
    return wanted
