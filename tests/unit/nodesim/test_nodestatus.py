"""What a simulated kubelet reports of its node."""

from __future__ import annotations

from typing import Any

from kubegang.api.meta import decode
from kubegang.nodesim.forms import SimulatedNode
from kubegang.nodesim.nodestatus import lease_of, ready_status, taints_when_ready


def node(**members: Any) -> SimulatedNode:
    return decode({"metadata": {"name": "n1", "uid": "u"}, **members}, SimulatedNode)


def status(subject: SimulatedNode) -> dict[str, Any]:
    return ready_status(subject, address="172.16.0.1", version="v1.37.2", now=0)


def test_a_healthy_node_is_ready_and_under_no_pressure() -> None:
    conditions = {c["type"]: (c["status"], c["reason"]) for c in status(node())["conditions"]}

    assert conditions == {
        "MemoryPressure": ("False", "KubeletHasSufficientMemory"),
        "DiskPressure": ("False", "KubeletHasNoDiskPressure"),
        "PIDPressure": ("False", "KubeletHasSufficientPID"),
        "Ready": ("True", "KubeletReady"),
    }
    assert status(node())["nodeInfo"]["kubeletVersion"] == "v1.37.2"


def test_a_node_gets_an_address_unless_it_has_one() -> None:
    known = node(status={"addresses": [{"type": "InternalIP", "address": "1.2.3.4"}]})

    assert status(node())["addresses"] == [
        {"type": "InternalIP", "address": "172.16.0.1"},
        {"type": "Hostname", "address": "n1"},
    ]
    assert "addresses" not in status(known)
    assert known.internal_ip == "1.2.3.4"


def test_only_the_taint_of_an_unready_node_is_taken_off() -> None:
    gpu = {"key": "gpu", "value": "present", "effect": "NoSchedule"}
    unready = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}

    assert taints_when_ready(node(spec={"taints": [gpu, unready]})) == [gpu]
    assert taints_when_ready(node(spec={"taints": [gpu]})) is None


def test_the_lease_goes_with_the_node() -> None:
    lease = lease_of(node(), lease_seconds=40, micro_time="2026-11-01T00:00:00.000000Z")

    assert lease["metadata"]["ownerReferences"] == [
        {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "u"}
    ]
    assert lease["spec"]["holderIdentity"] == "n1"
