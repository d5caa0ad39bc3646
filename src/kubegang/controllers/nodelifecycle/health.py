"""When a node was last heard of, and what to say once it is silent. Pure.

Source: the node-monitor flags of kube-controller-manager; texts and figures measured on 1.37.2.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kubegang.apimachinery.conditions import find_condition
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time, parse_time
from kubegang.controllers.nodelifecycle.settings import Monitoring

LEASE_MARGIN_SECONDS = 10.0
"""Leases of large clusters are renewed less often, and say so; as much more is waited as for
the usual 40 seconds."""

MONITORED = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")


class Heard(msgspec.Struct, frozen=True):
    """What was last heard of a node.

    Attributes:
        at: when.
        heartbeat: the time in its Ready condition, ``None`` without one.
        renewed: the time in its Lease.
    """

    at: float
    heartbeat: Any = None
    renewed: str = ""


def listen(heard: Heard | None, node: JsonObject, lease: JsonObject | None, *, now: float) -> Heard:
    """Return what is known after looking at a node and its Lease."""
    ready = ready_condition(node)
    heartbeat = ready.get("lastHeartbeatTime") if ready is not None else None
    renewed = (lease.get("spec") or {}).get("renewTime") or "" if lease is not None else ""
    if heard is None:
        at = now if ready is not None else parse_time(node["metadata"]["creationTimestamp"])
        return Heard(now if renewed else at, heartbeat, renewed)
    # Any other time is a sign of life, an earlier one too. kube-controller-manager wants a later
    # one (node_lifecycle_controller.go), and so loses every node while a clock is set back.
    if heartbeat != heard.heartbeat or renewed not in ("", heard.renewed):
        return Heard(now, heartbeat, renewed or heard.renewed)
    return heard


def silent_at(
    heard: Heard, node: JsonObject, lease: JsonObject | None, *, flags: Monitoring
) -> float:
    """Return when a node counts as silent if nothing more is heard of it."""
    if ready_condition(node) is None:
        return heard.at + flags.startup_seconds
    duration = ((lease or {}).get("spec") or {}).get("leaseDurationSeconds")
    longer = duration + LEASE_MARGIN_SECONDS if duration else 0.0
    return heard.at + max(flags.grace_seconds, longer)


def ready_condition(node: JsonObject) -> JsonObject | None:
    """Return the node's Ready condition."""
    return find_condition((node.get("status") or {}).get("conditions") or [], "Ready")


def readiness(node: JsonObject) -> str:
    """Return ``True``, ``False`` or ``Unknown``; a node that says nothing is unknown."""
    ready = ready_condition(node)
    return str(ready["status"]) if ready is not None else "Unknown"


def silent_conditions(node: JsonObject, *, now: float) -> list[JsonObject]:
    """Return the conditions to write about a silent node, without those that say so already."""
    conditions = (node.get("status") or {}).get("conditions") or []
    written = []
    for kind in MONITORED:
        before = find_condition(conditions, kind)
        if before is None:
            written.append(
                _condition(
                    kind,
                    "NodeStatusNeverUpdated",
                    "Kubelet never posted node status.",
                    heartbeat=node["metadata"]["creationTimestamp"],
                    now=now,
                )
            )
        elif before["status"] != "Unknown":
            written.append(
                _condition(
                    kind,
                    "NodeStatusUnknown",
                    "Kubelet stopped posting node status.",
                    heartbeat=before.get("lastHeartbeatTime"),
                    now=now,
                )
            )
    return written


def _condition(
    kind: str, reason: str, message: str, *, heartbeat: str | None, now: float
) -> JsonObject:
    return {
        "type": kind,
        "status": "Unknown",
        "lastHeartbeatTime": heartbeat,
        "lastTransitionTime": format_time(now),
        "reason": reason,
        "message": message,
    }
