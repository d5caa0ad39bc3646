"""Which ports of a node its pods take."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.nodesim.forms import SimulatedPod
from kubegang.nodesim.hostports import HostPorts


def port(number: int, **more: Any) -> JsonObject:
    return {"containerPort": 80, "hostPort": number, **more}


def pod(uid: str, *ports: JsonObject, node: str = "n", **spec: Any) -> SimulatedPod:
    spec = {"nodeName": node, "containers": [{"name": "c", "ports": list(ports)}], **spec}
    return msgspec.convert({"metadata": {"uid": uid}, "spec": spec}, SimulatedPod)


@pytest.mark.parametrize(
    ("first", "second", "conflict"),
    [
        (port(1), port(1), True),
        (port(1), port(2), False),
        (port(1), port(1, protocol="UDP"), False),
        (port(1), port(1, protocol="TCP"), True),
        (port(1, hostIP="10.0.0.1"), port(1, hostIP="10.0.0.2"), False),
        (port(1, hostIP="10.0.0.1"), port(1, hostIP="10.0.0.1"), True),
        (port(1, hostIP="10.0.0.1"), port(1), True),
        (port(1, hostIP="0.0.0.0"), port(1, hostIP="10.0.0.1"), True),
        (port(0), port(0), False),
    ],
)
def test_a_port_is_had_once_per_protocol_and_address(
    first: JsonObject, second: JsonObject, *, conflict: bool
) -> None:
    ports = HostPorts()
    ports.take(pod("a", first))
    assert (ports.conflict(pod("b", second)) is not None) == conflict
    assert ports.conflict(pod("b", second, node="other")) is None


@pytest.mark.parametrize(("policy", "conflict"), [("Always", True), ("", False)])
def test_of_init_containers_those_that_stay_take_ports(policy: str, *, conflict: bool) -> None:
    beside = {"name": "i", "restartPolicy": policy, "ports": [port(1)]}
    ports = HostPorts()
    ports.take(pod("a", initContainers=[beside]))
    assert (ports.conflict(pod("b", port(1))) is not None) == conflict


def test_ports_are_free_when_their_pod_is_dropped() -> None:
    ports = HostPorts()
    ports.take(pod("a", port(1)))
    ports.take(pod("b", port(2)))
    ports.drop("a")
    ports.drop("a")
    assert ports.conflict(pod("c", port(1))) is None
    assert ports.conflict(pod("c", port(2))) is not None
    ports.drop("b")
    assert ports.conflict(pod("c", port(2))) is None
