"""Services: what an update drops with the type that needed it."""

from __future__ import annotations

from kubegang.api.validation.core.services import is_reached_from_outside, needs_health_check
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.rules import KindRules

_ON_NODES = ("NodePort", "LoadBalancer")


def prepare_update(new: JsonObject, old: JsonObject) -> None:
    """Drop what no longer applies, unless the client changed it too: then it is refused."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    kind, before = spec.get("type"), old_spec.get("type")
    if kind == "ExternalName" and before != "ExternalName":
        if _same(spec, old_spec, "clusterIP") and _same(spec, old_spec, "clusterIPs"):
            _drop(spec, old_spec, "clusterIP", "clusterIPs")
        _drop(spec, old_spec, "ipFamilies", "ipFamilyPolicy")
    if kind == "ExternalName":
        # Kept in the store by upstream, but never shown.
        spec.pop("internalTrafficPolicy", None)
    if before in _ON_NODES and kind not in _ON_NODES:
        _drop_node_ports(spec, old_spec)
    if needs_health_check(old_spec) and not needs_health_check(spec):
        _drop(spec, old_spec, "healthCheckNodePort")
    if before == "LoadBalancer" and kind != "LoadBalancer":
        _drop(spec, old_spec, "allocateLoadBalancerNodePorts", "loadBalancerClass")
    if is_reached_from_outside(old_spec) and not is_reached_from_outside(spec):
        _drop(spec, old_spec, "externalTrafficPolicy")
    if kind != "LoadBalancer":
        new["status"] = {**(new.get("status") or {}), "loadBalancer": {}}


def _new_status() -> JsonObject:
    return {"loadBalancer": {}}


def _same(spec: JsonObject, old_spec: JsonObject, name: str) -> bool:
    return (spec.get(name) or None) == (old_spec.get(name) or None)


def _drop(spec: JsonObject, old_spec: JsonObject, *names: str) -> None:
    for name in names:
        if _same(spec, old_spec, name):
            spec.pop(name, None)


def _drop_node_ports(spec: JsonObject, old_spec: JsonObject) -> None:
    ports = spec.get("ports") or ()
    wanted = {port.get("nodePort") for port in ports if port.get("nodePort")}
    before = {port.get("nodePort") for port in old_spec.get("ports") or ()}
    if wanted <= before:
        for port in ports:
            port.pop("nodePort", None)


SERVICES = KindRules(new_status=_new_status, prepare_update=prepare_update)
