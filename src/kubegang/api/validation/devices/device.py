"""One device of a slice: its attributes, capacity, taints, counters and nodes.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from kubegang.api.validation.checks import Errors, matching
from kubegang.api.validation.devices.allocation import validate_binding_conditions
from kubegang.api.validation.devices.capacity import validate_capacity
from kubegang.api.validation.devices.names import (
    attribute_name,
    name_of,
    no_duplicates,
    request_name,
    validate_list,
)
from kubegang.api.validation.pods.affinity import validate_node_selector
from kubegang.apimachinery.field import (
    Path,
    invalid_value,
    not_supported,
    required,
    too_long,
    too_many,
)
from kubegang.apimachinery.names import is_dns1123_subdomain, is_label_value, is_qualified_name
from kubegang.apimachinery.objects import JsonObject

_MAX_PROPERTIES = 32
_MAX_VALUES = 48
_MAX_VALUE = 64
_MAX_TAINTS = 16
_MAX_CONSUMPTIONS = 2
_MAX_COUNTERS = 32
_KINDS = ("int", "bool", "string", "version", "ints", "bools", "strings", "versions")
_EFFECTS = ("NoExecute", "NoSchedule", "None")
_NODE_CHOICES = ("nodeName", "nodeSelector", "allNodes")
_WHERE = "when `perDeviceNodeSelection` is set to true in the ResourceSlice spec"

_NUMBER = r"(?:0|[1-9][0-9]*)"
_WORD = r"(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_VERSION = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_WORD}(?:\.{_WORD})*)?"
    r"(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?"
)


def validate_device(
    device: JsonObject, path: Path, *, before: Mapping[str, JsonObject], by_device: bool
) -> Errors:
    """Check a device.

    Args:
        device: the device.
        path: where it stands.
        before: the devices that the slice had, by name.
        by_device: whether each device says by itself from which nodes it can be used.
    """
    old = before.get(name_of(device), {})
    yield from request_name(name_of(device), path.child("name"))
    yield from _amounts(device, path)
    yield from _attributes(device.get("attributes") or {}, path.child("attributes"))
    if device.get("capacity") != old.get("capacity"):
        yield from validate_capacity(device, path.child("capacity"))
    if device.get("taints") != old.get("taints"):
        taints = device.get("taints") or ()
        yield from validate_list(taints, path.child("taints"), validate_taint, at_most=_MAX_TAINTS)
    consumed, where = device.get("consumesCounters") or (), path.child("consumesCounters")
    yield from validate_list(consumed, where, _consumption, at_most=_MAX_CONSUMPTIONS)
    counter_set = partial(_member, name="counterSet")
    yield from no_duplicates(consumed, where, counter_set, shown=dict)
    yield from _nodes(device, path, by_device=by_device)
    yield from validate_binding_conditions(device, path)


def validate_counters(counters: JsonObject, path: Path) -> Errors:
    """Check named amounts."""
    if not counters:
        yield required(path)
    if len(counters) > _MAX_COUNTERS:
        yield too_many(path, len(counters), _MAX_COUNTERS)
        return
    for name in counters:
        yield from request_name(name, path)


def _member(item: JsonObject, name: str) -> Any:
    return item.get(name)


def _amounts(device: JsonObject, path: Path) -> Errors:
    attributes = device.get("attributes") or {}
    properties = len(attributes) + len(device.get("capacity") or {})
    if properties > _MAX_PROPERTIES:
        detail = f"the total number of attributes and capacities must not exceed {_MAX_PROPERTIES}"
        yield invalid_value(path, properties, detail)
    lists = ("ints", "bools", "strings", "versions")
    values = sum(
        sum(len(attribute.get(name) or ()) for name in lists) or 1
        for attribute in attributes.values()
    )
    if values > _MAX_VALUES:
        detail = f"the total number of attribute values must not exceed {_MAX_VALUES}"
        yield invalid_value(path, values, detail)


def _attributes(attributes: JsonObject, path: Path) -> Errors:
    for name, attribute in sorted(attributes.items()):
        yield from attribute_name(name, path)
        yield from _attribute(attribute, path.key(name))


def _attribute(attribute: JsonObject, path: Path) -> Errors:
    if (text := attribute.get("string")) is not None:
        yield from _text(text, path.child("string"))
    if (version := attribute.get("version")) is not None:
        yield from _version(version, path.child("version"))
    yield from validate_list(attribute.get("strings") or (), path.child("strings"), _text)
    yield from validate_list(attribute.get("versions") or (), path.child("versions"), _version)
    chosen = [name for name in _KINDS if attribute.get(name) is not None]
    kinds = ", ".join(f"`{name}`" for name in _KINDS)
    if not chosen:
        yield invalid_value(path, "", f"must specify one of: {kinds}")
    if len(chosen) > 1:
        found = "{" + ", ".join(chosen) + "}"
        yield invalid_value(path, found, f"must specify exactly one of: {kinds}")


def _text(text: str, path: Path) -> Errors:
    if len(text.encode()) > _MAX_VALUE:
        yield too_long(path, _MAX_VALUE)


def _version(version: str, path: Path) -> Errors:
    if not _VERSION.fullmatch(version):
        detail = "must be a string compatible with semver.org spec 2.0.0"
        yield invalid_value(path, version, detail)
    yield from _text(version, path)


def validate_taint(taint: JsonObject, path: Path) -> Errors:
    """Check a taint."""
    yield from matching(path.child("key"), taint.get("key") or "", is_qualified_name)
    if value := taint.get("value"):
        yield from matching(path.child("value"), value, is_label_value)
    effect = taint.get("effect")
    if not effect:
        yield required(path.child("effect"))
    elif effect not in _EFFECTS:
        yield not_supported(path.child("effect"), effect, _EFFECTS)


def _consumption(consumption: JsonObject, path: Path) -> Errors:
    name = consumption.get("counterSet")
    if name:
        yield from request_name(name, path.child("counterSet"))
    else:
        yield required(path.child("counterSet"))
    yield from validate_counters(consumption.get("counters") or {}, path.child("counters"))


def _nodes(device: JsonObject, path: Path, *, by_device: bool) -> Errors:
    given = [name for name in _NODE_CHOICES if device.get(name) is not None]
    if not by_device:
        if given:
            detail = (
                "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                "`perDeviceNodeSelection` is set to true in the ResourceSlice spec"
            )
            yield invalid_value(path, None, detail)
        return
    yield from _node_choices(device, path)
    chosen: Sequence[str] = [f"`{name}`" for name in given if device[name] not in (False, "")]
    detail = f"exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required {_WHERE}"
    if not chosen:
        yield required(path, detail)
    if len(chosen) > 1:
        yield invalid_value(path, "{" + ", ".join(chosen) + "}", detail)


def _node_choices(device: JsonObject, path: Path) -> Errors:
    if (name := device.get("nodeName")) is not None:
        if name:
            yield from matching(path.child("nodeName"), name, is_dns1123_subdomain)
        else:
            yield invalid_value(path.child("nodeName"), name, "must not be empty")
    if (selector := device.get("nodeSelector")) is not None:
        yield from validate_node_selector(selector, path.child("nodeSelector"))
    if device.get("allNodes") is False:
        detail = "must be either unset or set to true"
        yield invalid_value(path.child("allNodes"), device["allNodes"], detail)
