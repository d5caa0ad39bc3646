"""Devices, classes and claims drawn by chance, in the wire form of resource.k8s.io/v1.

One generator for the property tests and for the comparison with real programs, so what it
makes must pass a real API server's validation.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

Wire = dict[str, Any]

A, B = "a.example.com", "b.example.com"
NODE, OTHER = "n0", "n1"
GIB = 2**30


class Scene(NamedTuple):
    """All objects that matter to one attempt."""

    classes: list[Wire]
    slices: list[Wire]
    claims: list[Wire]


def _size(device: Wire) -> int:
    return int(device["capacity"]["memory"]["value"].removesuffix("Gi")) * GIB


SELECTORS: dict[str, Callable[[str, Wire], bool]] = {
    'device.driver == "a.example.com"': lambda driver, _: driver == A,
    'device.attributes["a.example.com"].?model.orValue("") == "x"': lambda driver, device: (
        driver == A and device["attributes"]["model"]["string"] == "x"
    ),
    'device.capacity["a.example.com"].?memory.orValue(quantity("0"))'
    '.compareTo(quantity("20Gi")) >= 0': lambda driver, device: (
        driver == A and _size(device) >= 20 * GIB
    ),
    'has(device.attributes["b.example.com"].index)'
    ' && device.attributes["b.example.com"].index > 0': lambda driver, device: (
        driver == B and device["attributes"]["index"]["int"] > 0
    ),
    'device.attributes["example.com"].release.isLessThan(semver("2.0.0"))': lambda _, device: (
        device["attributes"]["example.com/release"]["version"] != "2.0.0"
    ),
}
"""Expressions, and what they say in Python."""

POLICIES: tuple[Wire, ...] = (
    {},
    {"requestPolicy": {"default": "5Gi", "validRange": {"min": "5Gi", "step": "5Gi"}}},
    {"requestPolicy": {"default": "4Gi", "validValues": ["4Gi", "8Gi"]}},
)
"""How much of a shared device one claim can take."""

_TEXTS = tuple(SELECTORS)
CLASS_SELECTORS = {"any": (), "of-a": (_TEXTS[0],), "big": (_TEXTS[2],)}


def device_scene(rng: Random) -> Scene:
    """Draw a scene that is small enough to try everything."""
    slices = [s for driver in (A, B) for s in _pools(rng, driver)]
    rng.shuffle(slices)
    return Scene(_classes(), slices, [_claim(rng, f"c{n}") for n in range(rng.randint(1, 2))])


def _classes() -> list[Wire]:
    config = [{"opaque": {"driver": A, "parameters": {"of": "class"}}}]
    return [
        {
            "metadata": {"name": name},
            "spec": {
                "selectors": [{"cel": {"expression": text}} for text in texts],
                **({"config": config} if name == "big" else {}),
            },
        }
        for name, texts in CLASS_SELECTORS.items()
    ]


def _pools(rng: Random, driver: str) -> list[Wire]:
    made: list[Wire] = []
    for number in range(rng.choice((0, 1, 1, 2))):
        made += _pool(rng, driver, f"p{number}")
    return made


def _pool(rng: Random, driver: str, pool: str) -> list[Wire]:
    counted = rng.random() < 0.3
    parts = rng.choice((1, 1, 2))
    places = [_place(rng) for _ in range(parts)]
    missing = rng.random() < 0.1
    total = parts + counted + missing
    made = [
        _slice(driver, pool, f"s{part}", total, {**place, "devices": _devices(rng, part, counted)})
        for part, place in enumerate(places)
    ]
    if counted:
        shared = [{"name": "set", "counters": {"mem": {"value": str(rng.choice((10, 20)))}}}]
        made.append(
            _slice(driver, pool, "shared", total, {"allNodes": True, "sharedCounters": shared})
        )
    if rng.random() < 0.2:
        old = _slice(driver, pool, "old", 1, {"allNodes": True, "devices": _devices(rng, 9, False)})
        old["spec"]["pool"]["generation"] = 1
        made.append(old)
    return made


def _slice(driver: str, pool: str, name: str, total: int, spec: Wire) -> Wire:
    described = {"name": pool, "generation": 2, "resourceSliceCount": total}
    return {
        "metadata": {"name": f"{driver}-{pool}-{name}"},
        "spec": {"driver": driver, "pool": described, **spec},
    }


def _place(rng: Random) -> Wire:
    selector = {
        "nodeSelectorTerms": [
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
        ]
    }
    return rng.choice(
        (
            {"nodeName": NODE},
            {"nodeName": NODE},
            {"nodeName": OTHER},
            {"allNodes": True},
            {"nodeSelector": selector},
        )
    )


def _devices(rng: Random, part: int, counted: bool) -> list[Wire]:
    return [_device(rng, f"d{part}{n}", counted) for n in range(rng.randint(1, 3))]


def _device(rng: Random, name: str, counted: bool) -> Wire:
    device: Wire = {
        "name": name,
        "attributes": {
            "model": {"string": rng.choice("xy")},
            "index": {"int": rng.randint(0, 2)},
            "example.com/release": {"version": rng.choice(("1.2.3", "2.0.0", "2.0.0-rc.1"))},
        },
        "capacity": {"memory": {"value": f"{rng.choice((10, 20))}Gi"}},
    }
    if rng.random() < 0.15:
        effect = rng.choice(("NoSchedule", "NoExecute", "None"))
        device["taints"] = [{"key": "k", "value": "v", "effect": effect}]
    if rng.random() < 0.3:
        device["allowMultipleAllocations"] = True
        device["capacity"]["memory"] |= rng.choice(POLICIES)
    if counted:
        takes = {"mem": {"value": str(rng.choice((5, 10)))}}
        device["consumesCounters"] = [{"counterSet": "set", "counters": takes}]
    return device


def _claim(rng: Random, name: str) -> Wire:
    requests = [_request(rng, f"r{n}") for n in range(rng.choice((1, 1, 2)))]
    devices: Wire = {"requests": requests}
    if rng.random() < 0.35:
        kind = rng.choice(("matchAttribute", "distinctAttribute"))
        devices["constraints"] = [{kind: rng.choice((f"{A}/model", "example.com/release"))}]
        if rng.random() < 0.5:
            devices["constraints"][0]["requests"] = ["r0"]
    if rng.random() < 0.3:
        devices["config"] = [{"opaque": {"driver": A, "parameters": {"of": name}}}]
        if rng.random() < 0.7:
            devices["config"][0]["requests"] = ["r0"]
    return {"metadata": {"namespace": "default", "name": name}, "spec": {"devices": devices}}


def _request(rng: Random, name: str) -> Wire:
    if rng.random() < 0.25:
        subs = [{"name": f"s{n}", **_what(rng)} for n in range(2)]
        return {"name": name, "firstAvailable": subs}
    exactly = _what(rng)
    if rng.random() < 0.1:
        exactly["adminAccess"] = True
    return {"name": name, "exactly": exactly}


def _what(rng: Random) -> Wire:
    what: Wire = {"deviceClassName": rng.choice(list(CLASS_SELECTORS))}
    if rng.random() < 0.15:
        what["allocationMode"] = "All"
    else:
        what |= {"allocationMode": "ExactCount", "count": rng.choice((1, 1, 2))}
    if rng.random() < 0.3:
        what["selectors"] = [{"cel": {"expression": rng.choice(list(SELECTORS))}}]
    if rng.random() < 0.25:
        what["capacity"] = {"requests": {"memory": rng.choice(("3Gi", "7Gi", "15Gi"))}}
    if rng.random() < 0.2:
        what["tolerations"] = [{"key": "k", "operator": "Exists"}]
    return what
