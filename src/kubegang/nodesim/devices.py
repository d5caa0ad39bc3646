"""Devices of simulated nodes, and the ResourceSlices by which they are offered. Pure.

A node says in an annotation which devices it has; the node file writes it, and so may whoever
makes a node by hand. Slices look as those of a driver that runs on the node: one pool per
driver, named as the node, and owned by the Node, so that they go with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import RESOURCESLICES
from kubegang.nodesim.annotations import AnnotationError

DEVICES: Final = "kubegang.dev/devices"
"""On a node: a JSON list of what ``Devices`` describes."""

PUBLISHED: Final = "kubegang.dev/published"
"""On a slice: it was made from the annotation of its node, and follows it."""

MOST_IN_A_SLICE: Final = 128
"""The API takes no more (ResourceSliceSpec.devices)."""

Attribute = bool | int | str | Mapping[str, str]


class Devices(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Equal devices of one driver on each node.

    Attributes:
        name: what the devices are called, with a number each.
        attributes: by name; a version is written ``{version: 1.2.3}``.
        capacity: amounts by name.
    """

    driver: str
    count: int
    name: str = "device"
    attributes: Mapping[str, Attribute] = {}
    capacity: Mapping[str, str | int] = {}


def devices_of(annotations: Mapping[str, str]) -> tuple[Devices, ...]:
    """Return the devices that a node has.

    Raises:
        AnnotationError: the annotation cannot be read.
    """
    text = annotations.get(DEVICES)
    if text is None:
        return ()
    try:
        found = msgspec.json.decode(text, type=tuple[Devices, ...])
    except msgspec.MsgspecError as error:
        raise AnnotationError(f"annotation {DEVICES}: {error}") from None
    for number, devices in enumerate(found):
        problem = problem_of(devices)
        if problem:
            raise AnnotationError(f"annotation {DEVICES}: [{number}].{problem}")
    return found


def annotation_of(devices: Sequence[Devices]) -> str:
    """Return the annotation of a node with these devices."""
    return msgspec.json.encode(devices).decode()


def problem_of(devices: Devices) -> str:
    """Return the field that breaks a rule and how, or an empty text."""
    if devices.count < 0:
        return f"count: need 0 or more, found {devices.count}"
    for name, value in devices.attributes.items():
        if isinstance(value, Mapping) and set(value) != {"version"}:
            return f"attributes[{name}]: need a value or {{version: …}}, found {dict(value)}"
    return ""


def slices_of(node: JsonObject, devices: Iterable[Devices], *, generation: int) -> list[JsonObject]:
    """Return the slices by which a node offers its devices.

    Args:
        node: name and uid of a Node.
        devices: what it has.
        generation: of the pools.
    """
    by_driver: dict[str, list[JsonObject]] = {}
    for entry in devices:
        offered = by_driver.setdefault(entry.driver, [])
        taken = sum(1 for device in offered if device["name"].rpartition("-")[0] == entry.name)
        offered += [_device(entry, taken + number) for number in range(entry.count)]
    return [
        made
        for driver, offered in by_driver.items()
        for made in _pool(node, driver, offered, generation=generation)
    ]


def _pool(
    node: JsonObject, driver: str, devices: list[JsonObject], *, generation: int
) -> list[JsonObject]:
    parts = [
        devices[start : start + MOST_IN_A_SLICE]
        for start in range(0, len(devices), MOST_IN_A_SLICE)
    ]
    pool = {"name": node["name"], "generation": generation, "resourceSliceCount": len(parts)}
    return [
        {
            "apiVersion": RESOURCESLICES.api_version,
            "kind": RESOURCESLICES.kind,
            "metadata": {
                "name": f"{node['name']}-{driver}-{number}",
                "annotations": {PUBLISHED: "true"},
                "ownerReferences": [
                    {"apiVersion": "v1", "kind": "Node", "controller": True, **node}
                ],
            },
            "spec": {"driver": driver, "nodeName": node["name"], "pool": pool, "devices": part},
        }
        for number, part in enumerate(parts)
    ]


def _device(devices: Devices, number: int) -> JsonObject:
    device: JsonObject = {"name": f"{devices.name}-{number}"}
    if devices.attributes:
        device["attributes"] = {
            name: _attribute(value) for name, value in devices.attributes.items()
        }
    if devices.capacity:
        device["capacity"] = {
            name: {"value": str(amount)} for name, amount in devices.capacity.items()
        }
    return device


def _attribute(value: Attribute) -> JsonObject:
    # bool before int, as it is one.
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": value}
    return {"string": value} if isinstance(value, str) else dict(value)
