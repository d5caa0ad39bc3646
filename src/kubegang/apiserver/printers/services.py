"""Services: where they can be reached."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import (
    NONE,
    UNKNOWN,
    age,
    joined_labels,
    member,
    name,
    number,
    objects,
    text,
)
from kubegang.apiserver.printers.columns import AGE, NAME, SELECTOR, Cell, Column, Printer


def _cells(service: JsonObject, now: float) -> list[Cell]:
    cluster_ips = member(service, "spec", "clusterIPs") or []
    return [
        name(service),
        text(service, "spec", "type"),
        cluster_ips[0] if cluster_ips else NONE,
        _external_ip(service),
        ",".join(_port(port) for port in objects(service, "spec", "ports")) or NONE,
        age(service, now),
        joined_labels(member(service, "spec", "selector")),
    ]


def _external_ip(service: JsonObject) -> str:
    service_type = text(service, "spec", "type")
    given: list[str] = member(service, "spec", "externalIPs") or []
    if service_type in {"ClusterIP", "NodePort"}:
        return ",".join(given) or NONE
    if service_type == "LoadBalancer":
        return ",".join([*_load_balancer_addresses(service), *given]) or "<pending>"
    if service_type == "ExternalName":
        return text(service, "spec", "externalName")
    return UNKNOWN


def _load_balancer_addresses(service: JsonObject) -> list[str]:
    ingress = objects(service, "status", "loadBalancer", "ingress")
    return sorted({text(entry, "ip") or text(entry, "hostname") for entry in ingress} - {""})


def _port(port: JsonObject) -> str:
    node_port = number(port, "nodePort")
    outside = f":{node_port}" if node_port else ""
    return f"{number(port, 'port')}{outside}/{text(port, 'protocol')}"


SERVICE = Printer(
    (
        NAME,
        Column("Type", "How the service is exposed."),
        Column("Cluster-IP", "The address inside the cluster."),
        Column("External-IP", "Addresses outside the cluster."),
        Column("Port(s)", "Ports, with the node's port where there is one."),
        AGE,
        SELECTOR,
    ),
    _cells,
)
