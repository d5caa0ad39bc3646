"""Resource slices: the devices that a driver offers.

Pure.
"""

from __future__ import annotations

from functools import partial

from kubegang.api.validation.checks import Errors, matching, unchanged
from kubegang.api.validation.devices.device import validate_counters, validate_device
from kubegang.api.validation.devices.names import (
    driver_name,
    name_of,
    no_duplicates,
    pool_name,
    request_name,
    validate_list,
)
from kubegang.api.validation.internal_form import internal_form, invalid_json
from kubegang.api.validation.pods.affinity import validate_node_selector
from kubegang.apimachinery.field import Path, invalid_value, required
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_MAX_DEVICES = 128
_MAX_ELABORATE_DEVICES = 64
_MAX_COUNTER_SETS = 8
_NODE_CHOICES = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_LIST_ATTRIBUTES = ("ints", "bools", "strings", "versions")


def validate_slice(resource_slice: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a slice, new or changed."""
    yield from _slice(resource_slice.get("spec") or {}, {})


def validate_slice_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed slice: whose it is stays."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from _slice(spec, old_spec)
    pool, old_pool = spec.get("pool") or {}, old_spec.get("pool") or {}
    yield from unchanged(_SPEC.child("pool", "name"), pool.get("name"), old_pool.get("name"))
    for name in ("driver", "nodeName"):
        yield from unchanged(_SPEC.child(name), spec.get(name), old_spec.get(name))


def _slice(spec: JsonObject, old_spec: JsonObject) -> Errors:
    yield from driver_name(spec.get("driver") or "", _SPEC.child("driver"))
    yield from _pool(spec.get("pool") or {})
    yield from _nodes(spec)
    devices, counters = spec.get("devices") or (), spec.get("sharedCounters") or ()
    if devices and counters:
        detail = "only one of `sharedCounters` or `devices` is allowed"
        yield invalid_value(_SPEC, "", detail)
    before = {name_of(device): device for device in old_spec.get("devices") or ()}
    elaborate = any(map(_is_elaborate, devices))
    at_most = _MAX_ELABORATE_DEVICES if elaborate else _MAX_DEVICES
    rule = partial(
        validate_device, before=before, by_device=bool(spec.get("perDeviceNodeSelection"))
    )
    path = _SPEC.child("devices")
    yield from validate_list(devices, path, rule, at_most=at_most)
    if len(devices) <= at_most:
        yield from no_duplicates(devices, path, name_of, shown=name_of)
    path = _SPEC.child("sharedCounters")
    yield from validate_list(counters, path, _counter_set, at_most=_MAX_COUNTER_SETS)
    yield from no_duplicates(counters, path, name_of, shown=dict)


def _pool(pool: JsonObject) -> Errors:
    path = _SPEC.child("pool")
    yield from pool_name(pool.get("name") or "", path.child("name"))
    count, generation = pool.get("resourceSliceCount") or 0, pool.get("generation") or 0
    if count <= 0:
        yield invalid_value(path.child("resourceSliceCount"), count, "must be greater than zero")
    if generation < 0:
        detail = "must be greater than or equal to zero"
        yield invalid_value(path.child("generation"), generation, detail)


def _nodes(spec: JsonObject) -> Errors:
    """Check from which nodes the devices can be used: said in exactly one way."""
    if (name := spec.get("nodeName")) is not None:
        path = _SPEC.child("nodeName")
        if name:
            yield from matching(path, name, is_dns1123_subdomain)
        else:
            yield invalid_value(path, name, "must be either unset or set to a non-empty string")
    if (selector := spec.get("nodeSelector")) is not None:
        yield from validate_node_selector(selector, _SPEC.child("nodeSelector"))
        terms = selector.get("nodeSelectorTerms") or ()
        if len(terms) != 1:
            path = _SPEC.child("nodeSelector", "nodeSelectorTerms")
            detail = "must have exactly one node selector term"
            form = internal_form("[NodeSelectorTerm]", terms) or []
            yield invalid_json(path, form, detail)
    for name in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(name) is False:
            detail = "must be either unset or set to true"
            yield invalid_value(_SPEC.child(name), spec[name], detail)
    chosen = [f"`{name}`" for name in _NODE_CHOICES if spec.get(name) not in (None, False, "")]
    choices = ", ".join(f"`{name}`" for name in _NODE_CHOICES)
    if not chosen:
        yield required(_SPEC, f"exactly one of {choices} is required")
    if len(chosen) > 1:
        found = "{" + ", ".join(chosen) + "}"
        detail = f"exactly one of {choices} is required, but multiple fields are set"
        yield invalid_value(_SPEC, found, detail)


def _is_elaborate(device: JsonObject) -> bool:
    """Return whether a device is so much to look at that fewer fit into a slice."""
    if device.get("taints") or device.get("consumesCounters"):
        return True
    attributes = (device.get("attributes") or {}).values()
    return any(attribute.get(name) for attribute in attributes for name in _LIST_ATTRIBUTES)


def _counter_set(counters: JsonObject, path: Path) -> Errors:
    name = name_of(counters)
    if name:
        yield from request_name(name, path.child("name"))
    else:
        yield required(path.child("name"))
    yield from validate_counters(counters.get("counters") or {}, path.child("counters"))
