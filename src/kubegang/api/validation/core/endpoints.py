"""The addresses behind a service: Endpoints, and the slices that replace them.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import (
    IMMUTABLE,
    Errors,
    matching,
    one_of,
    required_one_of,
)
from kubegang.api.validation.core.addresses import ordinary_address
from kubegang.api.validation.formats import canonical_ip_address, ip_address, ip_family
from kubegang.api.validation.labels import validate_labels
from kubegang.apimachinery.field import Path, duplicate, invalid_value, required, too_many
from kubegang.apimachinery.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_label_value,
    is_port_number,
    is_qualified_name,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_PROTOCOLS = ("SCTP", "TCP", "UDP")
_ADDRESS_TYPES = ("FQDN", "IPv4", "IPv6")
_FAMILIES = {"IPv4": 4, "IPv6": 6}
_MAX_ENDPOINTS = 1000
_MAX_ADDRESSES = 100
_MAX_PORTS = 20000
_MAX_HINTS = 8
_MAX_TOPOLOGY = 16


def validate_endpoints(endpoints: JsonObject, _gates: FeatureGates) -> Errors:
    """Check new Endpoints."""
    for position, subset in enumerate(endpoints.get("subsets") or ()):
        yield from _subset(subset, Path("subsets").index(position))


def validate_endpoints_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check changed Endpoints; subsets that stay are not looked at."""
    if new.get("subsets") != old.get("subsets"):
        yield from validate_endpoints(new, gates)


def validate_endpoint_slice(endpoint_slice: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new slice."""
    yield from _slice_head(endpoint_slice)
    yield from _slice_endpoints(endpoint_slice)


def validate_endpoint_slice_update(
    new: JsonObject, old: JsonObject, _gates: FeatureGates
) -> Errors:
    """Check a changed slice: the type of its addresses stays."""
    yield from _slice_head(new)
    if new.get("endpoints") != old.get("endpoints"):
        yield from _slice_endpoints(new)
    if new.get("addressType") != old.get("addressType"):
        yield invalid_value(Path("addressType"), None, IMMUTABLE)


def _subset(subset: JsonObject, path: Path) -> Errors:
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        yield required(path, "must specify `addresses` or `notReadyAddresses`")
    for name in ("addresses", "notReadyAddresses"):
        for position, address in enumerate(subset.get(name) or ()):
            yield from _address(address, path.child(name).index(position))
    ports = subset.get("ports") or ()
    for position, port in enumerate(ports):
        yield from _port(port, path.child("ports").index(position), named=len(ports) > 1)


def _address(address: JsonObject, path: Path) -> Errors:
    text = address.get("ip") or ""
    errors = list(matching(path.child("ip"), text, ip_address))
    yield from errors
    if hostname := address.get("hostname"):
        yield from matching(path.child("hostname"), hostname, is_dns1123_label)
    if (node := address.get("nodeName")) is not None:
        yield from matching(path.child("nodeName"), node, is_dns1123_subdomain)
    if not errors:
        yield from ordinary_address(text, path.child("ip"))
    elif not ip_family(text):
        yield invalid_value(path.child("ip"), text, "must be a valid IP address")


def _port(port: JsonObject, path: Path, *, named: bool) -> Errors:
    if name := port.get("name"):
        yield from matching(path.child("name"), name, is_dns1123_label)
    elif named:
        yield required(path.child("name"))
    number = port.get("port") or 0
    for detail in is_port_number(number):
        yield invalid_value(path.child("port"), number, detail)
    yield from required_one_of(path.child("protocol"), port.get("protocol"), _PROTOCOLS)
    if (protocol := port.get("appProtocol")) is not None:
        yield from matching(path.child("appProtocol"), protocol, is_qualified_name)


def _slice_head(endpoint_slice: JsonObject) -> Errors:
    address_type = endpoint_slice.get("addressType")
    yield from required_one_of(Path("addressType"), address_type, _ADDRESS_TYPES)
    ports, path = endpoint_slice.get("ports") or (), Path("ports")
    if len(ports) > _MAX_PORTS:
        yield too_many(path, len(ports), _MAX_PORTS)
        return
    names: set[str] = set()
    for position, port in enumerate(ports):
        yield from _slice_port(port, path.index(position), names)


def _slice_port(port: JsonObject, path: Path, names: set[str]) -> Errors:
    name = port.get("name") or ""
    if name:
        yield from matching(path.child("name"), name, is_dns1123_label)
    if name in names:
        yield duplicate(path.child("name"), name)
    names.add(name)
    yield from one_of(path.child("protocol"), port.get("protocol"), _PROTOCOLS)
    if (protocol := port.get("appProtocol")) is not None:
        yield from matching(path.child("appProtocol"), protocol, is_qualified_name)


def _slice_endpoints(endpoint_slice: JsonObject) -> Errors:
    endpoints, path = endpoint_slice.get("endpoints") or (), Path("endpoints")
    if len(endpoints) > _MAX_ENDPOINTS:
        yield too_many(path, len(endpoints), _MAX_ENDPOINTS)
        return
    for position, endpoint in enumerate(endpoints):
        address_type = endpoint_slice.get("addressType") or ""
        yield from _endpoint(endpoint, path.index(position), address_type)


def _endpoint(endpoint: JsonObject, path: Path, address_type: str) -> Errors:
    addresses, where = endpoint.get("addresses") or (), path.child("addresses")
    if not addresses:
        yield required(where)
    if len(addresses) > _MAX_ADDRESSES:
        yield too_many(where, len(addresses), _MAX_ADDRESSES)
    for position, address in enumerate(addresses):
        yield from _typed_address(address, where, position, address_type)
    if (node := endpoint.get("nodeName")) is not None:
        yield from matching(path.child("nodeName"), node, is_dns1123_subdomain)
    topology = endpoint.get("deprecatedTopology") or {}
    if len(topology) > _MAX_TOPOLOGY:
        yield too_many(path.child("deprecatedTopology"), len(topology), _MAX_TOPOLOGY)
    yield from validate_labels(topology, path.child("deprecatedTopology"))
    if (hostname := endpoint.get("hostname")) is not None:
        yield from matching(path.child("hostname"), hostname, is_dns1123_label)
    yield from _hints(endpoint.get("hints") or {}, path.child("hints"))


def _typed_address(address: str, path: Path, position: int, address_type: str) -> Errors:
    item = path.index(position)
    if address_type == "FQDN":
        yield from _full_name(address, item)
    elif address_type in _FAMILIES:
        rule = canonical_ip_address if address_type == "IPv6" else ip_address
        errors = list(matching(item, address, rule))
        yield from errors
        if errors:
            return
        if ip_family(address) != _FAMILIES[address_type]:
            yield invalid_value(path, address, f"must be an {address_type} address")
        yield from ordinary_address(address, item)


def _full_name(name: str, path: Path) -> Errors:
    if not name:
        yield required(path)
        return
    name = name.removesuffix(".")
    errors = list(matching(path, name, is_dns1123_subdomain))
    yield from errors
    if not errors and "." not in name:
        detail = "should be a domain with at least two segments separated by dots"
        yield invalid_value(path, name, detail)


def _hints(hints: JsonObject, path: Path) -> Errors:
    for name, rule in (("forZones", is_label_value), ("forNodes", is_dns1123_subdomain)):
        items: Sequence[JsonObject] = hints.get(name) or ()
        where = path.child(name)
        if len(items) > _MAX_HINTS:
            yield too_many(where, len(items), _MAX_HINTS)
            return
        names = [item.get("name") or "" for item in items]
        for position, text in enumerate(names):
            if text in names[:position]:
                yield duplicate(where.index(position).child("name"), text)
            yield from matching(where.index(position).child("name"), text, rule)
