"""What the scheduler and the drivers write into a claim's status.

Pure.
"""

from __future__ import annotations

import ipaddress
import re
from functools import partial
from typing import Any

import msgspec

from kubegang.api.validation.checks import Errors, matching, required_members, required_one_of
from kubegang.api.validation.conditions import validate_conditions
from kubegang.api.validation.declarative import same
from kubegang.api.validation.devices.names import (
    declared_driver_name,
    driver_name,
    no_duplicates,
    pool_name,
    raw_object,
    request_name,
    validate_list,
)
from kubegang.api.validation.devices.requests import (
    MAX_CONFIGS,
    RequestNames,
    names_of_requests,
    validate_configuration,
    validate_reference,
    validate_references,
    validate_tolerations,
)
from kubegang.api.validation.pods.affinity import validate_node_selector
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    too_long,
    too_many,
)
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_STATUS = Path("status")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MAX_USERS = 256
_MAX_RESULTS = 32
_MAX_CONDITIONS = 8
_MAX_BINDING_CONDITIONS = 4
_MAX_DATA = 10 * 1024
_MAX_ADDRESSES = 16
_MAX_INTERFACE = 256
_MAX_HARDWARE_ADDRESS = 128


def validate_claim_status(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed status: allocated once, used only while it is."""
    status, old_status = new.get("status") or {}, old.get("status") or {}
    users, path = status.get("reservedFor") or (), _STATUS.child("reservedFor")
    yield from validate_list(users, path, _user, at_most=_MAX_USERS)
    yield from _devices(status)
    yield from _reserved(new, users, old_status)
    allocation, old_allocation = status.get("allocation"), old_status.get("allocation")
    if allocation is not None and old_allocation is None:
        names = names_of_requests(new.get("spec") or {})
        yield from _allocation(allocation, _STATUS.child("allocation"), names)
    yield from no_duplicates(users, path, lambda user: user.get("uid"), shown=_user_form)
    both = allocation is not None and old_allocation is not None
    if both and not same(allocation, old_allocation):
        detail = "field cannot be modified once set"
        yield invalid_value(_STATUS.child("allocation"), None, detail)


def _user(user: JsonObject, path: Path) -> Errors:
    yield from required_members(path, user, "resource", "name", "uid")


def _user_form(user: JsonObject) -> JsonObject:
    names = ("apiGroup", "resource", "name", "uid")
    return {name: user[name] for name in names if user.get(name)}


def _reserved(claim: JsonObject, users: Any, old_status: JsonObject) -> Errors:
    path = _STATUS.child("reservedFor")
    if not users:
        return
    if (claim.get("status") or {}).get("allocation") is None:
        yield forbidden_field(path, "may not be specified when `allocated` is not set")
    elif claim["metadata"].get("deletionTimestamp"):
        before = old_status.get("reservedFor") or ()
        if any(user not in before for user in users):
            detail = (
                "new entries may not be added while `deallocationRequested` or "
                "`deletionTimestamp` are set"
            )
            yield forbidden_field(path, detail)


def _allocation(allocation: JsonObject, path: Path, names: RequestNames) -> Errors:
    devices, where = allocation.get("devices") or {}, path.child("devices")
    results = devices.get("results") or ()
    rule = partial(_result, names=names)
    yield from validate_list(results, where.child("results"), rule, at_most=_MAX_RESULTS)
    yield from validate_list(
        devices.get("config") or (),
        where.child("config"),
        partial(_config, names=names),
        at_most=2 * MAX_CONFIGS,
    )
    if (selector := allocation.get("nodeSelector")) is not None:
        yield from validate_node_selector(selector, path.child("nodeSelector"))


def _result(result: JsonObject, path: Path, *, names: RequestNames) -> Errors:
    request = result.get("request") or ""
    yield from validate_reference(request, path.child("request"), names=names)
    yield from request_name(result.get("device") or "", path.child("device"))
    yield from validate_binding_conditions(result, path)
    yield from validate_tolerations(result.get("tolerations") or (), path.child("tolerations"))
    yield from declared_driver_name(result.get("driver") or "", path.child("driver"))
    yield from pool_name(result.get("pool") or "", path.child("pool"))
    yield from _share(result, path)


def _config(config: JsonObject, path: Path, *, names: RequestNames) -> Errors:
    source = config.get("source")
    yield from required_one_of(path.child("source"), source, ("FromClaim", "FromClass"))
    references = config.get("requests") or ()
    yield from validate_references(references, path.child("requests"), names=names)
    yield from validate_configuration(config, path)


def validate_binding_conditions(holder: JsonObject, path: Path) -> Errors:
    """Check the conditions that a device must reach, or must not, before a pod is bound."""
    wanted = holder.get("bindingConditions") or []
    failures = holder.get("bindingFailureConditions") or []
    for name, conditions in (("bindingConditions", wanted), ("bindingFailureConditions", failures)):
        where = path.child(name)
        yield from validate_list(conditions, where, _label_key, at_most=_MAX_BINDING_CONDITIONS)
        yield from no_duplicates(conditions, where, str, shown=str)
    where = path.child("bindingFailureConditions")
    for position, condition in enumerate(failures):
        if condition in wanted:
            detail = "bindingFailureConditions must not overlap with bindingConditions"
            yield invalid_value(where.index(position), condition, detail)
    if failures and not wanted:
        detail = "bindingConditions are required to use bindingFailureConditions"
        yield invalid_value(path.child("bindingConditions"), None, detail)
    if wanted and not failures:
        detail = "bindingFailureConditions are required to use bindingConditions"
        yield invalid_value(where, None, detail)


def _label_key(key: str, path: Path) -> Errors:
    yield from matching(path, key, is_qualified_name)


def _share(holder: JsonObject, path: Path) -> Errors:
    share = holder.get("shareID")
    if share is not None and not _UUID.fullmatch(share):
        detail = "must be a lowercase UUID in 8-4-4-4-12 format"
        yield invalid_value(path.child("shareID"), share, detail)


def device_id(holder: JsonObject) -> str:
    """Return what identifies an allocated device."""
    names = [holder.get(name) or "" for name in ("driver", "pool", "device")]
    if share := holder.get("shareID"):
        names.append(share)
    return "/".join(names)


def _id_form(device: JsonObject) -> dict[str, str]:
    return {
        "Driver": device.get("driver") or "",
        "Pool": device.get("pool") or "",
        "Device": device.get("device") or "",
        "ShareID": device.get("shareID") or "",
    }


def _devices(status: JsonObject) -> Errors:
    """Check what drivers report about allocated devices."""
    devices, path = status.get("devices") or (), _STATUS.child("devices")
    results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
    rule = partial(_device, allocated=frozenset(map(device_id, results)))
    yield from validate_list(devices, path, rule)
    yield from no_duplicates(devices, path, device_id, shown=dict)


def _device(device: JsonObject, path: Path, *, allocated: frozenset[str]) -> Errors:
    yield from driver_name(device.get("driver") or "", path.child("driver"))
    yield from pool_name(device.get("pool") or "", path.child("pool"))
    yield from request_name(device.get("device") or "", path.child("device"))
    yield from _share(device, path)
    if device_id(device) not in allocated:
        detail = "must be an allocated device in the claim"
        yield invalid_value(path, _id_form(device), detail)
    conditions = device.get("conditions") or ()
    if len(conditions) > _MAX_CONDITIONS:
        yield too_many(path.child("conditions"), len(conditions), _MAX_CONDITIONS)
    yield from validate_conditions(conditions, path.child("conditions"))
    if (data := device.get("data")) is not None:
        size = len(msgspec.json.encode(data))
        yield from raw_object(data, path.child("data"), at_most=_MAX_DATA, size=size)
    yield from _network(device.get("networkData") or {}, path.child("networkData"))


def _is_no_interface(address: str) -> bool:
    try:
        ipaddress.ip_interface(address)
    except ValueError:
        return True
    return False


def _network(data: JsonObject, path: Path) -> Errors:
    for name, most in (
        ("interfaceName", _MAX_INTERFACE),
        ("hardwareAddress", _MAX_HARDWARE_ADDRESS),
    ):
        if len((data.get(name) or "").encode()) > most:
            yield too_long(path.child(name), most)
    addresses = data.get("ips") or ()
    if len(addresses) > _MAX_ADDRESSES:
        yield too_many(path.child("ips"), len(addresses), _MAX_ADDRESSES)
    for position, address in enumerate(addresses):
        if address in addresses[:position]:
            yield duplicate(path.child("ips").index(position), address)
        if "/" not in address or _is_no_interface(address):
            detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"
            yield invalid_value(path.child("ips").index(position), address, detail)
