"""Services: ports, types, and what each type may say.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import (
    IMMUTABLE,
    Errors,
    matching,
    required_one_of,
)
from kubegang.api.validation.core.addresses import ordinary_address
from kubegang.api.validation.core.families import (
    is_headless,
    validate_families,
    validate_families_update,
)
from kubegang.api.validation.formats import ip_address, ip_family, ip_range
from kubegang.api.validation.labels import validate_labels
from kubegang.api.validation.metadata import METADATA
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_port_name,
    is_port_number,
    is_qualified_name,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_INGRESS = Path("status").child("loadBalancer", "ingress")
_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_POLICIES = ("Cluster", "Local")
_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
_BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'"
_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
_TOPOLOGY_MODE = "service.kubernetes.io/topology-mode"
_TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints"
_MAX_STICKY_SECONDS = 86400


def validate_service(service: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a service, new or changed."""
    spec = service.get("spec") or {}
    annotations = (service.get("metadata") or {}).get("annotations") or {}
    yield from _topology(annotations)
    yield from _type(spec)
    ports = spec.get("ports") or ()
    yield from _ports(ports)
    yield from validate_labels(spec.get("selector"), _SPEC.child("selector"))
    yield from _affinity(spec)
    yield from validate_families(spec)
    for position, address in enumerate(spec.get("externalIPs") or ()):
        path = _SPEC.child("externalIPs").index(position)
        errors = list(matching(path, address, ip_address))
        yield from errors or ordinary_address(address, path)
    yield from required_one_of(_SPEC.child("type"), spec.get("type"), _TYPES)
    yield from _node_ports(spec, ports)
    yield from _different_ports(ports)
    yield from _source_ranges(spec, annotations)
    yield from _balancer(spec)
    yield from _traffic(spec)


def validate_service_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed service: addresses stay, others depend on the type."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from validate_families_update(spec, old_spec)
    both = spec.get("type") == old_spec.get("type") == "LoadBalancer"
    name = "loadBalancerClass"
    if both and spec.get(name) != old_spec.get(name):
        yield invalid_value(_SPEC.child(name), spec.get(name), "may not change once set")
    both = needs_health_check(spec) and needs_health_check(old_spec)
    name = "healthCheckNodePort"
    if both and (spec.get(name) or 0) != (old_spec.get(name) or 0):
        yield forbidden_field(_SPEC.child(name), IMMUTABLE)
    yield from validate_service(new, gates)


def validate_service_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check the addresses that a load balancer reports."""
    spec, status = new.get("spec") or {}, new.get("status") or {}
    ingresses = (status.get("loadBalancer") or {}).get("ingress") or ()
    if ingresses and spec.get("type") != "LoadBalancer":
        yield forbidden_field(_INGRESS, "may only be used when `spec.type` is 'LoadBalancer'")
        return
    for position, ingress in enumerate(ingresses):
        yield from _ingress(ingress, _INGRESS.index(position))


def needs_health_check(spec: JsonObject) -> bool:
    """Return whether a load balancer asks nodes if they have an endpoint of their own."""
    local = spec.get("externalTrafficPolicy") == "Local"
    return local and spec.get("type") == "LoadBalancer"


def is_reached_from_outside(spec: JsonObject) -> bool:
    """Return whether traffic comes in from outside the cluster."""
    by_type = spec.get("type") in ("NodePort", "LoadBalancer")
    return by_type or bool(spec.get("type") == "ClusterIP" and spec.get("externalIPs"))


def _topology(annotations: JsonObject) -> Errors:
    mode, hints = annotations.get(_TOPOLOGY_MODE), annotations.get(_TOPOLOGY_HINTS)
    if mode is not None and hints is not None and mode != hints:
        detail = f"must match annotations[{_TOPOLOGY_HINTS}] when both are specified"
        yield invalid_value(METADATA.child("annotations").key(_TOPOLOGY_MODE), mode, detail)


def _type(spec: JsonObject) -> Errors:
    kind, headless = spec.get("type"), is_headless(spec)
    if not spec.get("ports") and not headless and kind != "ExternalName":
        yield required(_SPEC.child("ports"))
    if kind in ("LoadBalancer", "NodePort") and headless:
        detail = f"may not be set to 'None' for {kind} services"
        yield invalid_value(_SPEC.child("clusterIPs").index(0), "None", detail)
    if kind != "ExternalName":
        return
    for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec.get(name):
            yield forbidden_field(_SPEC.child(name), "may not be set for ExternalName services")
    name = (spec.get("externalName") or "").removesuffix(".")
    if name:
        yield from matching(_SPEC.child("externalName"), name, is_dns1123_subdomain)
    else:
        yield required(_SPEC.child("externalName"))


def _ports(ports: Sequence[JsonObject]) -> Errors:
    names: set[str] = set()
    for position, port in enumerate(ports):
        path = _SPEC.child("ports").index(position)
        name, number = port.get("name") or "", port.get("port") or 0
        if name:
            yield from matching(path.child("name"), name, is_dns1123_label)
            if name in names:
                yield duplicate(path.child("name"), name)
            names.add(name)
        elif len(ports) > 1:
            yield required(path.child("name"))
        yield from _number(number, path.child("port"))
        yield from required_one_of(path.child("protocol"), port.get("protocol"), _PROTOCOLS)
        yield from _target(port.get("targetPort") or 0, path.child("targetPort"))
        if (protocol := port.get("appProtocol")) is not None:
            yield from matching(path.child("appProtocol"), protocol, is_qualified_name)


def _number(number: int, path: Path) -> Errors:
    for detail in is_port_number(number):
        yield invalid_value(path, number, detail)


def _target(target: str | int, path: Path) -> Errors:
    if isinstance(target, int):
        yield from _number(target, path)
    else:
        yield from matching(path, target, is_port_name)


def _affinity(spec: JsonObject) -> Errors:
    affinity, path = spec.get("sessionAffinity"), _SPEC.child("sessionAffinity")
    yield from required_one_of(path, affinity, ("ClientIP", "None"))
    config = spec.get("sessionAffinityConfig")
    if affinity == "ClientIP":
        seconds = ((config or {}).get("clientIP") or {}).get("timeoutSeconds") or 0
        where = _SPEC.child("sessionAffinityConfig", "clientIP", "timeoutSeconds")
        if not 0 < seconds <= _MAX_STICKY_SECONDS:
            detail = f"must be greater than 0 and less than {_MAX_STICKY_SECONDS}"
            yield invalid_value(where, seconds, detail)


def _node_ports(spec: JsonObject, ports: Sequence[JsonObject]) -> Errors:
    seen: set[tuple[str, int]] = set()
    for position, port in enumerate(ports):
        number, path = port.get("nodePort") or 0, _SPEC.child("ports").index(position)
        if not number:
            continue
        if spec.get("type") == "ClusterIP":
            detail = "may not be used when `type` is 'ClusterIP'"
            yield forbidden_field(path.child("nodePort"), detail)
        key = (port.get("protocol") or "", number)
        if key in seen:
            yield duplicate(path.child("nodePort"), number)
        seen.add(key)


def _different_ports(ports: Sequence[JsonObject]) -> Errors:
    seen: set[tuple[str, int]] = set()
    for position, port in enumerate(ports):
        key = (port.get("protocol") or "", port.get("port") or 0)
        if key in seen:
            form = {
                "Name": "",
                "Protocol": key[0],
                "AppProtocol": None,
                "Port": key[1],
                "TargetPort": 0,
                "NodePort": 0,
            }
            yield duplicate(_SPEC.child("ports").index(position), form)
        seen.add(key)


def _source_ranges(spec: JsonObject, annotations: JsonObject) -> Errors:
    balancer = spec.get("type") == "LoadBalancer"
    if ranges := spec.get("loadBalancerSourceRanges"):
        # Upstream's spelling of the field.
        path = _SPEC.child("LoadBalancerSourceRanges")
        if not balancer:
            yield forbidden_field(path, _BALANCER_ONLY)
        for position, text in enumerate(ranges):
            yield from matching(path.index(position), text.strip(), ip_range)
    elif (value := annotations.get(_RANGES)) is not None:
        path = METADATA.child("annotations").key(_RANGES)
        if not balancer:
            yield forbidden_field(path, _BALANCER_ONLY)
        for text in filter(None, value.strip().split(",")):
            yield from matching(path, text.strip(), ip_range)


def _balancer(spec: JsonObject) -> Errors:
    balancer, allocate = spec.get("type") == "LoadBalancer", "allocateLoadBalancerNodePorts"
    if spec.get(allocate) is not None and not balancer:
        yield forbidden_field(_SPEC.child(allocate), _BALANCER_ONLY)
    path = _SPEC.child("loadBalancerClass")
    if (name := spec.get("loadBalancerClass")) is None:
        return
    if balancer:
        yield from matching(path, name, is_qualified_name)
    else:
        yield forbidden_field(path, _BALANCER_ONLY)


def _traffic(spec: JsonObject) -> Errors:
    policy, path = spec.get("externalTrafficPolicy") or "", _SPEC.child("externalTrafficPolicy")
    if is_reached_from_outside(spec):
        yield from required_one_of(path, policy, _POLICIES)
    elif policy:
        yield invalid_value(path, policy, "may only be set for externally-accessible services")
    port, path = spec.get("healthCheckNodePort") or 0, _SPEC.child("healthCheckNodePort")
    if needs_health_check(spec):
        if port:
            yield from _number(port, path)
        else:
            yield required(path)
    elif port:
        detail = (
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        )
        yield invalid_value(path, port, detail)
    inside, path = spec.get("internalTrafficPolicy"), _SPEC.child("internalTrafficPolicy")
    if inside is not None and inside not in _POLICIES:
        yield not_supported(path, inside, _POLICIES)
    distribution = spec.get("trafficDistribution")
    if distribution is not None and distribution not in _DISTRIBUTIONS:
        yield not_supported(_SPEC.child("trafficDistribution"), distribution, _DISTRIBUTIONS)


def _ingress(ingress: JsonObject, path: Path) -> Errors:
    address, mode = ingress.get("ip"), ingress.get("ipMode")
    if address:
        yield from matching(path.child("ip"), address, ip_address)
    if mode is None:
        if address:
            yield required(path.child("ipMode"), "must be specified when `ip` is set")
    elif not address:
        yield forbidden_field(path.child("ipMode"), "may not be specified when `ip` is not set")
    elif mode not in ("Proxy", "VIP"):
        yield not_supported(path.child("ipMode"), mode, ("Proxy", "VIP"))
    if name := ingress.get("hostname"):
        yield from matching(path.child("hostname"), name, is_dns1123_subdomain)
        if ip_family(name):
            detail = "must be a DNS name, not an IP address"
            yield invalid_value(path.child("hostname"), name, detail)
