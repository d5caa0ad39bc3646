"""How much of a node its pods take, in the kubelet's units and order."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.api.meta import decode
from kubegang.nodesim.forms import SimulatedNode, SimulatedPod
from kubegang.nodesim.room import Room, Shortage

GPU = "example.com/gpu"


def node(**allocatable: str) -> SimulatedNode:
    return decode(
        {"metadata": {"name": "n"}, "status": {"allocatable": allocatable}}, SimulatedNode
    )


def pod(
    *containers: dict[str, str], uid: str = "u", status: Any = None, **spec: Any
) -> SimulatedPod:
    listed = [{"name": f"c{i}", "resources": {"requests": r}} for i, r in enumerate(containers)]
    return decode(
        {
            "metadata": {"name": "p", "uid": uid},
            "spec": {"nodeName": "n", "containers": listed, **spec},
            "status": status or {},
        },
        SimulatedPod,
    )


def starting(name: str, cpu: str, **more: str) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": {"cpu": cpu}}, **more}


@pytest.mark.parametrize(
    ("asking", "short"),
    [
        pytest.param(pod({"cpu": "1"}, {"cpu": "1"}), 2000, id="containers add up"),
        pytest.param(
            pod({"cpu": "100m"}, initContainers=[starting("a", "1500m"), starting("b", "2")]),
            2000,
            id="the largest init container",
        ),
        pytest.param(
            pod({"cpu": "500m"}, initContainers=[starting("s", "1", restartPolicy="Always")]),
            1500,
            id="sidecars add up",
        ),
        pytest.param(pod({"cpu": "1"}, overhead={"cpu": "250m"}), 1250, id="overhead"),
        pytest.param(pod({"cpu": "0.5001"}), None, id="fits"),
    ],
)
def test_a_pod_is_as_large_as_its_parts_are_together(
    asking: SimulatedPod, short: int | None
) -> None:
    found = Room().shortage(asking, node(cpu="1"))
    assert found == (None if short is None else Shortage("cpu", short, 0, 1000))


def test_the_first_shortage_is_told_pods_before_cpu_before_the_rest() -> None:
    room = Room()
    room.take(pod({"cpu": "1"}, uid="other"))
    asking = pod({"cpu": "1", "memory": "1Gi", GPU: "1"})
    small = {"memory": "1Mi", "cpu": "1", GPU: "0"}
    told = [
        room.shortage(asking, node(**small, pods="1")),
        room.shortage(asking, node(**small, pods="2")),
        room.shortage(asking, node(**{**small, "cpu": "2"})),
        room.shortage(asking, node(**{GPU: "0"})),
    ]
    assert [shortage.resource for shortage in told if shortage] == ["pods", "cpu", "memory", GPU]


def test_room_comes_back_once_when_a_pod_ends() -> None:
    room, full = Room(), node(cpu="1")
    first = pod({"cpu": "1"}, uid="first")
    room.take(first)
    room.take(first)
    assert room.shortage(pod({"cpu": "1"}), full) == Shortage("cpu", 1000, 1000, 1000)
    room.drop("first")
    room.drop("first")
    assert room.shortage(pod({"cpu": "1"}), full) is None


def test_what_a_claim_gives_need_not_be_on_the_node() -> None:
    mapped = {"containerName": "c0", "resourceName": GPU, "requestName": "r"}
    status = {"extendedResourceClaimStatus": {"requestMappings": [mapped]}}
    with_claim = pod({GPU: "2"}, status=status)
    assert Room().shortage(with_claim, node(**{GPU: "1"})) is None
    assert Room().shortage(pod({GPU: "2"}), node(**{GPU: "1"})) == Shortage(GPU, 2, 0, 1)
