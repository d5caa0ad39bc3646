"""Slices with the taints that administrators' rules put on their devices. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kubegang.api.resource.types import Device, DeviceTaint, DeviceTaintRule, ResourceSlice


def is_about(rule: DeviceTaintRule, resource_slice: ResourceSlice) -> bool:
    """Return whether a rule is about any device of a slice."""
    return any(_matches(rule, resource_slice, d) for d in resource_slice.spec.devices)


def tainted(resource_slice: ResourceSlice, rules: Iterable[DeviceTaintRule]) -> ResourceSlice:
    """Return a slice with the taints of all rules about its devices, after those it has."""
    spec = resource_slice.spec
    devices = tuple(
        _with(device, [r.spec.taint for r in rules if _matches(r, resource_slice, device)])
        for device in spec.devices
    )
    if devices == spec.devices:
        return resource_slice
    changed = msgspec.structs.replace(spec, devices=devices)
    return msgspec.structs.replace(resource_slice, spec=changed)


def _matches(rule: DeviceTaintRule, resource_slice: ResourceSlice, device: Device) -> bool:
    selector, spec = rule.spec.device_selector, resource_slice.spec
    return selector is not None and all(
        wanted is None or wanted == found
        for wanted, found in (
            (selector.driver, spec.driver),
            (selector.pool, spec.pool.name),
            (selector.device, device.name),
        )
    )


def _with(device: Device, taints: list[DeviceTaint]) -> Device:
    if not taints:
        return device
    return msgspec.structs.replace(device, taints=(*device.taints, *taints))
