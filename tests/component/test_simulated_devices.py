"""Devices of simulated nodes: published as slices, used by pods that may use them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import (
    CORE_EVENTS,
    NODES,
    PODGROUPS,
    PODS,
    RESOURCECLAIMS,
    RESOURCESLICES,
)
from kubegang.nodesim.devices import DEVICES
from tests.component.claimobjects import (
    NAMESPACE,
    allocation,
    by_name,
    claim,
    group_with,
    pod_with,
    reservation,
)
from tests.component.nodesharness import NodesOnly, nodes_test

GPUS: list[JsonObject] = [{"driver": "gpu.example.com", "count": 2, "name": "gpu"}]


async def add_node(cluster: NodesOnly, name: str, devices: list[JsonObject]) -> JsonObject:
    annotations = {DEVICES: msgspec.json.encode(devices).decode()}
    metadata = {"name": name, "annotations": annotations}
    return await cluster.user.create(
        NODES, {"apiVersion": "v1", "kind": "Node", "metadata": metadata}
    )


async def slices(cluster: NodesOnly) -> list[JsonObject]:
    return (await cluster.user.list(RESOURCESLICES)).items


async def allocate(cluster: NodesOnly, name: str, *consumers: JsonObject) -> None:
    status: JsonObject = {"allocation": allocation()}
    if consumers:
        status["reservedFor"] = [reservation(consumer) for consumer in consumers]
    await cluster.user.patch(
        RESOURCECLAIMS, name, NAMESPACE, patch={"status": status}, subresource="status"
    )


async def told(cluster: NodesOnly) -> list[str]:
    events = (await cluster.user.list(CORE_EVENTS, NAMESPACE)).items
    return [f"{event['reason']}: {event['message']}" for event in events]


@nodes_test
async def test_a_node_publishes_its_devices_and_owns_the_slice(cluster: NodesOnly) -> None:
    async with cluster.nodes(0):
        node = await add_node(cluster, "n1", GPUS)
        await cluster.wait(1)
        (found,) = await slices(cluster)

    assert found["spec"] == {
        "driver": "gpu.example.com",
        "nodeName": "n1",
        "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0"}, {"name": "gpu-1"}],
    }
    (owner,) = found["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"]) == ("Node", node["metadata"]["uid"])


@nodes_test
async def test_slices_follow_the_node_in_a_new_generation(cluster: NodesOnly) -> None:
    async with cluster.nodes(0):
        await add_node(cluster, "n1", [{**GPUS[0], "count": 130}])
        await cluster.wait(1)
        sizes = {len(found["spec"]["devices"]) for found in await slices(cluster)}
        patch = {"metadata": {"annotations": {DEVICES: msgspec.json.encode(GPUS).decode()}}}
        await cluster.user.patch(NODES, "n1", patch=patch)
        await cluster.wait(1)
        (found,) = await slices(cluster)

    assert sizes == {128, 2}
    assert found["spec"]["pool"] == {"name": "n1", "generation": 2, "resourceSliceCount": 1}
    assert len(found["spec"]["devices"]) == 2


@nodes_test
async def test_a_slice_that_somebody_deletes_is_published_again(cluster: NodesOnly) -> None:
    async with cluster.nodes(0):
        await add_node(cluster, "n1", GPUS)
        await cluster.wait(1)
        (found,) = await slices(cluster)
        await cluster.user.delete(RESOURCESLICES, found["metadata"]["name"])
        await cluster.wait(1)
        assert len(await slices(cluster)) == 1


@nodes_test
async def test_a_pod_waits_until_its_claim_is_reserved_for_it(cluster: NodesOnly) -> None:
    async with cluster.nodes(1):
        made = await cluster.user.create(RESOURCECLAIMS, claim("c"), NAMESPACE)
        await allocate(cluster, "c")
        pod = await cluster.user.create(
            PODS, pod_with("p", by_name("x", "c"), node="node-0"), NAMESPACE
        )
        await cluster.wait(60)
        waiting = await cluster.pod("p")
        await allocate(cluster, "c", pod)
        await cluster.wait(1)
        assert await cluster.phase("p") == "Running"

    assert waiting["status"]["phase"] == "Pending"
    state = waiting["status"]["containerStatuses"][0]["state"]
    assert state == {"waiting": {"reason": "ContainerCreating"}}
    assert await told(cluster) == [
        "FailedPrepareDynamicResources: Failed to prepare dynamic resources: prepare dynamic "
        f"resources: pod p ({pod['metadata']['uid']}) is not allowed to use ResourceClaim c "
        f"({made['metadata']['uid']})"
    ]


@pytest.mark.parametrize("gate", [True, False])
def test_a_group_s_reservation_counts_with_the_kubelet_s_gate(gate: bool) -> None:
    async def scenario(cluster: NodesOnly) -> None:
        kubelet: Any = {"DRAWorkloadResourceClaims": gate}
        async with cluster.nodes(1, kubelet_gates=kubelet):
            await cluster.user.create(RESOURCECLAIMS, claim("c"), NAMESPACE)
            group = await cluster.user.create(
                PODGROUPS, group_with("g", by_name("x", "c")), NAMESPACE
            )
            await allocate(cluster, "c", group)
            pod = pod_with("p", by_name("x", "c"), group="g", node="node-0")
            await cluster.user.create(PODS, pod, NAMESPACE)
            await cluster.wait(1)
            assert await cluster.phase("p") == ("Running" if gate else "Pending")

    nodes_test(scenario)()
