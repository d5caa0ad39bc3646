"""Defaults of services and of the addresses behind them.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from kubegang.api.defaults.members import member
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_STICKY_SECONDS = 10800
_ON_NODES = ("NodePort", "LoadBalancer")


def default_service(service: JsonObject, _gates: FeatureGates) -> None:
    """Fill in a service; its addresses and node ports are given out when it is stored."""
    spec = member(service, "spec")
    _default_affinity(spec)
    if not spec.get("type"):
        spec["type"] = "ClusterIP"
    for port in spec.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
        if not port.get("targetPort"):
            port["targetPort"] = port.get("port") or 0
    has_addresses = spec["type"] == "ClusterIP" and bool(spec.get("externalIPs"))
    outside = spec["type"] in _ON_NODES or has_addresses
    if outside and not spec.get("externalTrafficPolicy"):
        spec["externalTrafficPolicy"] = "Cluster"
    inside = (*_ON_NODES, "ClusterIP")
    if spec.get("internalTrafficPolicy") is None and spec["type"] in inside:
        spec["internalTrafficPolicy"] = "Cluster"
    if spec["type"] == "LoadBalancer":
        if spec.get("allocateLoadBalancerNodePorts") is None:
            spec["allocateLoadBalancerNodePorts"] = True
        _default_ingress(service)


def default_endpoints(endpoints: JsonObject, _gates: FeatureGates) -> None:
    """Ports are for TCP."""
    for subset in endpoints.get("subsets") or ():
        for port in subset.get("ports") or ():
            if not port.get("protocol"):
                port["protocol"] = "TCP"


def default_endpoint_slice(endpoint_slice: JsonObject, _gates: FeatureGates) -> None:
    """Ports are for TCP and have a name, if only an empty one."""
    for port in endpoint_slice.get("ports") or ():
        if port.get("name") is None:
            port["name"] = ""
        if port.get("protocol") is None:
            port["protocol"] = "TCP"


def _default_affinity(spec: JsonObject) -> None:
    if not spec.get("sessionAffinity"):
        spec["sessionAffinity"] = "None"
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    if spec["sessionAffinity"] == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if client.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _STICKY_SECONDS}}


def _default_ingress(service: JsonObject) -> None:
    status = service.get("status") or {}
    for ingress in (status.get("loadBalancer") or {}).get("ingress") or ():
        if ingress.get("ip") and ingress.get("ipMode") is None:
            ingress["ipMode"] = "VIP"
