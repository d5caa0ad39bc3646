"""Services and the endpoints behind them."""

from __future__ import annotations

from typing import Final

from kubegang.api.warning_rules import WarningRules
from kubegang.api.warnings.addresses import address_warnings, range_warnings
from kubegang.api.warnings.kinds import KindWarnings, Warnings, always
from kubegang.apimachinery.objects import JsonObject

_EXTERNAL_NAME: Final = "ExternalName"
_AWARE_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_TOPOLOGY_MODE: Final = "service.kubernetes.io/topology-mode"


def _of_service(service: JsonObject, rules: WarningRules) -> Warnings:
    spec = service["spec"]
    if _AWARE_HINTS in (service["metadata"].get("annotations") or {}):
        yield f"annotation {_AWARE_HINTS} is deprecated, please use {_TOPOLOGY_MODE} instead"
    if spec.get("clusterIP") not in (None, "", "None"):
        for position, address in enumerate(spec.get("clusterIPs") or ()):
            yield from address_warnings(f"spec.clusterIPs[{position}]", address, rules)
    if _is_headless(spec):
        yield from _headless_warnings(spec)
    yield from _external_ip_warnings(spec, rules)
    if balancer := spec.get("loadBalancerIP"):
        yield from address_warnings("spec.loadBalancerIP", balancer, rules)
    for position, text in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        yield from range_warnings(f"spec.loadBalancerSourceRanges[{position}]", text, rules)
    yield from _ignored_warnings(spec)
    if spec.get("trafficDistribution") == "PreferClose":
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'


def _is_headless(spec: JsonObject) -> bool:
    return spec.get("type") == "ClusterIP" and spec.get("clusterIP") == "None"


def _headless_warnings(spec: JsonObject) -> Warnings:
    ignored = "is ignored for headless services"
    if spec.get("loadBalancerIP"):
        yield f"spec.loadBalancerIP {ignored}"
    if spec.get("externalIPs"):
        yield f"spec.externalIPs {ignored}"
    if spec.get("sessionAffinity") != "None":
        yield f"spec.SessionAffinity {ignored}"


def _external_ip_warnings(spec: JsonObject, rules: WarningRules) -> Warnings:
    addresses = spec.get("externalIPs") or ()
    for position, address in enumerate(addresses):
        yield from address_warnings(f"spec.externalIPs[{position}]", address, rules)
    is_used = not _is_headless(spec) and spec.get("type") != _EXTERNAL_NAME
    if addresses and is_used and rules.deprecates_external_ips:
        yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters"


def _ignored_warnings(spec: JsonObject) -> Warnings:
    is_name = spec.get("type") == _EXTERNAL_NAME
    if is_name and spec.get("externalIPs"):
        yield f'spec.externalIPs is ignored when spec.type is "{_EXTERNAL_NAME}"'
    if not is_name and spec.get("externalName"):
        yield f'spec.externalName is ignored when spec.type is not "{_EXTERNAL_NAME}"'


def _of_service_status(service: JsonObject, _old: JsonObject, rules: WarningRules) -> Warnings:
    balancer = (service.get("status") or {}).get("loadBalancer") or {}
    for position, ingress in enumerate(balancer.get("ingress") or ()):
        if address := ingress.get("ip"):
            where = f"status.loadBalancer.ingress[{position}]"
            yield from address_warnings(where, address, rules)


SERVICES: Final = always(_of_service)._replace(status=_of_service_status)

# Endpoints that a controller made are not looked at: it writes addresses as they should be.
_OWN_ENDPOINTS: Final = ("endpoints.kubernetes.io/managed-by", ("endpoint-controller",))
_OWN_SLICES: Final = (
    "endpointslice.kubernetes.io/managed-by",
    ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"),
)


def _is_own(obj: JsonObject, own: tuple[str, tuple[str, ...]]) -> bool:
    label, controllers = own
    return (obj["metadata"].get("labels") or {}).get(label) in controllers


def _of_endpoints(endpoints: JsonObject, rules: WarningRules) -> Warnings:
    if _is_own(endpoints, _OWN_ENDPOINTS):
        return
    for index, subset in enumerate(endpoints.get("subsets") or ()):
        for name in ("addresses", "notReadyAddresses"):
            for position, address in enumerate(subset.get(name) or ()):
                where = f"subsets[{index}].{name}[{position}].ip"
                yield from address_warnings(where, address.get("ip") or "", rules)


def _of_slice(endpoint_slice: JsonObject, rules: WarningRules) -> Warnings:
    if endpoint_slice.get("addressType") == "FQDN":
        yield "spec.addressType: FQDN endpoints are deprecated"
    yield from _of_slice_addresses(endpoint_slice, rules)


def _of_changed_slice(new: JsonObject, _old: JsonObject, rules: WarningRules) -> Warnings:
    yield from _of_slice_addresses(new, rules)


def _of_slice_addresses(endpoint_slice: JsonObject, rules: WarningRules) -> Warnings:
    if _is_own(endpoint_slice, _OWN_SLICES):
        return
    for index, endpoint in enumerate(endpoint_slice.get("endpoints") or ()):
        for position, address in enumerate(endpoint.get("addresses") or ()):
            where = f"endpoints[{index}].addresses[{position}]"
            yield from address_warnings(where, address, rules)


ENDPOINTS: Final = always(_of_endpoints)
SLICES: Final = KindWarnings(_of_slice, _of_changed_slice)
