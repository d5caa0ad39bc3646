"""Nodes: readiness, roles by label, and what the node says about itself."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import (
    NONE,
    UNKNOWN,
    age,
    condition,
    member,
    name,
    objects,
    text,
)
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer

ROLE_PREFIX = "node-role.kubernetes.io/"
ROLE_LABEL = "kubernetes.io/role"


def _cells(node: JsonObject, now: float) -> list[Cell]:
    info = member(node, "status", "nodeInfo")
    kernel = text(info, "kernelVersion") or UNKNOWN
    if architecture := text(info, "architecture"):
        kernel += f" ({architecture})"
    return [
        name(node),
        _status(node),
        ",".join(_roles(node)) or NONE,
        age(node, now),
        text(info, "kubeletVersion"),
        _address(node, "InternalIP"),
        _address(node, "ExternalIP"),
        text(info, "osImage") or UNKNOWN,
        kernel,
        text(info, "containerRuntimeVersion") or UNKNOWN,
    ]


def _status(node: JsonObject) -> str:
    ready = condition(node, "Ready")
    if ready is None:
        status = "Unknown"
    else:
        status = "Ready" if ready.get("status") == "True" else "NotReady"
    return f"{status},SchedulingDisabled" if member(node, "spec", "unschedulable") else status


def _roles(node: JsonObject) -> list[str]:
    """Return the roles: named in a label's key, or the value of the older label."""
    roles = set()
    for key, value in (member(node, "metadata", "labels") or {}).items():
        if key.startswith(ROLE_PREFIX):
            roles.add(key.removeprefix(ROLE_PREFIX))
        elif key == ROLE_LABEL:
            roles.add(value)
    return sorted(roles - {""})


def _address(node: JsonObject, address_type: str) -> str:
    for address in objects(node, "status", "addresses"):
        if address.get("type") == address_type:
            return text(address, "address")
    return NONE


NODE = Printer(
    (
        NAME,
        Column("Status", "Whether the node is ready and takes new pods."),
        Column("Roles", "Roles named in the node's labels."),
        AGE,
        Column("Version", "The kubelet's version."),
        Column("Internal-IP", "The address inside the cluster.", wide=True),
        Column("External-IP", "The address outside the cluster.", wide=True),
        Column("OS-Image", "The operating system.", wide=True),
        Column("Kernel-Version", "The kernel.", wide=True),
        Column("Container-Runtime", "The container runtime and its version.", wide=True),
    ),
    _cells,
)
