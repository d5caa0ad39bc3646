"""A service's addresses and IP families, which have to agree.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors, matching
from kubegang.api.validation.dualstack import one_of_each_family
from kubegang.api.validation.formats import ip_address, ip_family
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.objects import JsonObject

_SPEC = Path("spec")
_ADDRESSES = _SPEC.child("clusterIPs")
_FAMILIES = _SPEC.child("ipFamilies")
_POLICY = _SPEC.child("ipFamilyPolicy")

NO_ADDRESS = "None"
"""What stands in place of an address in a headless service."""

FAMILIES = {4: "IPv4", 6: "IPv6"}
_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")
_MAX_ADDRESSES = 2


def is_headless(spec: JsonObject) -> bool:
    """Return whether a service has no address of its own, on purpose."""
    addresses = spec.get("clusterIPs") or []
    return len(addresses) == 1 and addresses[0] == NO_ADDRESS


def validate_families(spec: JsonObject) -> Errors:
    """Check addresses and families; a service that is only a name has neither."""
    if spec.get("type") == "ExternalName":
        return
    addresses = spec.get("clusterIPs") or []
    yield from _first_address(spec.get("clusterIP") or "", addresses)
    yield from _families(spec)
    errors = list(_addresses(addresses))
    yield from errors
    if len(addresses) > _MAX_ADDRESSES:
        yield invalid_value(_ADDRESSES, addresses, "may only hold up to 2 values")
    if errors:
        return
    yield from one_of_each_family(_ADDRESSES, addresses, noun="IP", shown=addresses)
    if is_headless(spec):
        return
    for position, (address, family) in enumerate(
        zip(addresses, spec.get("ipFamilies") or (), strict=False)
    ):
        if family in FAMILIES.values() and FAMILIES[ip_family(address)] != family:
            detail = f"expected an {family} value as indicated by `ipFamilies[{position}]`"
            yield invalid_value(_ADDRESSES.index(position), address, detail)


def validate_families_update(spec: JsonObject, old_spec: JsonObject) -> Errors:
    """Check that the first address and family stay, and the second goes only on request."""
    if "ExternalName" in (spec.get("type"), old_spec.get("type")):
        return
    headless, was_headless = is_headless(spec), is_headless(old_spec)
    if not (headless and was_headless):
        yield from _stays(spec, old_spec, "clusterIPs", "clusterIP")
    if not headless and not was_headless:
        yield from _stays(spec, old_spec, "ipFamilies", "ipFamily")


def _first_address(address: str, addresses: list[str]) -> Errors:
    if not address:
        if addresses:
            detail = "must be empty when `clusterIP` is not specified"
            yield invalid_value(_ADDRESSES, addresses, detail)
    elif not addresses:
        yield required(_ADDRESSES)
    elif addresses[0] != address:
        yield invalid_value(_ADDRESSES, addresses, "first value must match `clusterIP`")


def _families(spec: JsonObject) -> Errors:
    families = spec.get("ipFamilies") or []
    for position, family in enumerate(families):
        if family not in FAMILIES.values():
            yield not_supported(_FAMILIES.index(position), family, FAMILIES.values())
        if family in families[:position]:
            yield duplicate(_FAMILIES.index(position), family)
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in _POLICIES:
        yield not_supported(_POLICY, policy, _POLICIES)


def _addresses(addresses: list[str]) -> Errors:
    for position, address in enumerate(addresses):
        if position == 0 and address == NO_ADDRESS:
            if len(addresses) > 1:
                detail = "'None' must be the first and only value"
                yield invalid_value(_ADDRESSES, addresses, detail)
            continue
        yield from matching(_ADDRESSES.index(position), address, ip_address)


def _stays(spec: JsonObject, old_spec: JsonObject, name: str, noun: str) -> Errors:
    values, old_values = spec.get(name) or [], old_spec.get(name) or []
    path = _SPEC.child(name)
    if len(values) == len(old_values):
        for position, (value, old) in enumerate(zip(values, old_values, strict=True)):
            if value != old:
                where = path.index(position if name == "clusterIPs" else 0)
                yield invalid_value(where, values, "may not change once set")
        return
    if values and old_values and values[0] != old_values[0]:
        # Upstream shows the addresses also where families changed.
        shown = spec.get("clusterIPs")
        yield invalid_value(path.index(0), shown, "may not change once set")
    if len(values) > len(old_values):
        return
    if not values:
        yield invalid_value(path.index(0), None, f"primary {noun} can not be unset")
    if len(values) == 1 and spec.get("ipFamilyPolicy") != "SingleStack":
        detail = f"must be set to 'SingleStack' when releasing the secondary {noun}"
        yield invalid_value(_POLICY, spec.get("ipFamilyPolicy"), detail)
