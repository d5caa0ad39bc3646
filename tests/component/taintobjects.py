"""Devices with taints, rules about them and claims that have them, for tests of evictions."""

from __future__ import annotations

from collections.abc import Sequence

from tests.component.claimobjects import Json, claim

NS = "default"
DRIVER = "gpu.example.com"


def taint(key: str, effect: str = "NoExecute") -> Json:
    return {"key": key, "effect": effect}


def slice_of(**devices: Sequence[Json]) -> Json:
    """Return a slice of devices, each with its taints."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {
            "driver": DRIVER,
            "nodeName": "n1",
            "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
            "devices": [
                {"name": name, **({"taints": list(taints)} if taints else {})}
                for name, taints in devices.items()
            ],
        },
    }


def taint_rule(name: str, effect: str = "NoExecute", key: str = "admin") -> Json:
    """Return a rule about all devices of the driver."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceTaintRule",
        "metadata": {"name": name},
        "spec": {
            "deviceSelector": {"driver": DRIVER},
            "taint": {"key": key, "effect": effect},
        },
    }


def allocated_claim(name: str, device: str, *, tolerations: Sequence[Json]) -> tuple[Json, Json]:
    """Return a claim, and the status in which it has a device."""
    result: Json = {"request": "one", "driver": DRIVER, "pool": "n1", "device": device}
    if tolerations:
        result["tolerations"] = list(tolerations)
    return claim(name), {"allocation": {"devices": {"results": [result]}}}
