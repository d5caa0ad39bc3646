"""Pods with device claims: devices are promised, the API is told, and siblings share."""

from __future__ import annotations

from structlog.testing import capture_logs

from kubegang.apimachinery.errors import ConflictError, InvalidError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import RESOURCECLAIMS, RESOURCESLICES
from kubegang.scheduler.queue.backoff import BackoffPolicy
from tests.component.deviceobjects import (
    add_devices,
    claim,
    claim_status,
    claims,
    device_class,
    devices_of,
    published,
    users_of,
    wants,
)
from tests.component.schedulerharness import NS, Cluster, run_scenario, scheduler_test

MEMBERS = 1000
SLOW = BackoffPolicy(initial_seconds=60, max_seconds=60)
FINALIZER = "resource.kubernetes.io/delete-protection"


async def add_gang(cluster: Cluster, members: int) -> list[str]:
    """Make a gang whose pods share claim ``c``, and devices on one node."""
    names = [f"p{i}" for i in range(members)]
    await cluster.add_nodes(*(f"n{i}" for i in range(10)), cpu=110)
    await add_devices(cluster, device_class("gpu"), claim("c"))
    slices = published("n0", "d0")
    del slices["spec"]["nodeName"]
    slices["spec"]["allNodes"] = True
    await add_devices(cluster, slices)
    await cluster.add_group("g", members, resourceClaims=claims(shared="c"))
    await cluster.add_pods(*names, group="g", resourceClaims=claims(shared="c"))
    return names


@scheduler_test
async def test_a_pod_gets_a_device_and_the_claim_says_so(cluster: Cluster) -> None:
    await cluster.add_nodes("n1")
    await add_devices(cluster, device_class("gpu"), published("n1", "d0"), claim("c"))
    scheduler = await cluster.start()
    await cluster.add_pods("p", resourceClaims=claims(mine="c"))
    await cluster.wait_for(["p"], at_most=2)

    found = await cluster.user.get(RESOURCECLAIMS, "c", NS)
    assert found["metadata"]["finalizers"] == [FINALIZER]
    allocation = found["status"]["allocation"]
    assert allocation["nodeSelector"]["nodeSelectorTerms"] == [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    ]
    assert await devices_of(cluster, "c") == ["d0"]
    assert await users_of(cluster, "c") == ["pods/p"]
    assert not scheduler.cache.snapshot().devices.promises()


@scheduler_test
async def test_a_pod_waits_for_its_claim_and_then_for_a_device(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", "n2")
    await add_devices(cluster, device_class("gpu"))
    await cluster.start()
    await cluster.add_pods("p", resourceClaims=claims(mine="c"))
    await cluster.wait(1)
    assert not await cluster.condition("p")

    await add_devices(cluster, claim("c"))
    await cluster.wait(1)
    said = await cluster.condition("p")
    assert said["message"].startswith("0/2 nodes are available: 2 cannot allocate all claims.")

    await add_devices(cluster, published("n2", "d0"))
    await cluster.wait_for(["p"], at_most=2)
    assert (await cluster.placements())["p"] == "n2"


@scheduler_test
async def test_a_class_that_is_not_there_is_named(cluster: Cluster) -> None:
    await cluster.add_nodes("n1")
    await add_devices(cluster, claim("c", wants(device_class="none")))
    await cluster.start()
    await cluster.add_pods("p", resourceClaims=claims(mine="c"))
    await cluster.wait(1)
    assert (await cluster.condition("p"))["message"].startswith(
        "0/1 nodes are available: request r: device class none does not exist."
    )


@scheduler_test
async def test_an_expression_without_a_value_is_an_error(cluster: Cluster) -> None:
    await cluster.add_nodes("n1")
    expression = 'device.attributes["gpu.example.com"].size > 1'
    await add_devices(cluster, device_class("gpu", expression), published("n1", "d0"), claim("c"))
    await cluster.start()
    await cluster.add_pods("p", resourceClaims=claims(mine="c"))
    await cluster.wait(1)
    said = await cluster.condition("p")
    assert said["reason"] == "SchedulerError"
    assert said["message"].startswith(
        'running "DynamicResources" filter plugin: class gpu: selector #0'
    )


@scheduler_test
async def test_members_share_the_claim_of_their_group_in_one_cycle(cluster: Cluster) -> None:
    await cluster.start()
    names = await add_gang(cluster, 3)
    await cluster.wait_for(names, at_most=2)
    assert await users_of(cluster, "c") == ["podgroups/g"]
    assert not await cluster.events("FailedScheduling")


def test_a_thousand_pods_share_one_claim() -> None:
    async def scenario(cluster: Cluster) -> None:
        names = await add_gang(cluster, MEMBERS)
        await cluster.start()
        await cluster.wait(5)
        assert set(await cluster.placements()) == set(names)
        assert await users_of(cluster, "c") == ["podgroups/g"]

    run_scenario(scenario)


def test_without_group_claims_a_claim_has_256_users_and_no_more() -> None:
    async def scenario(cluster: Cluster) -> None:
        names = await add_gang(cluster, 258)
        await cluster.start()
        await cluster.wait(8)
        placed = await cluster.placements()
        left = [name for name in names if name not in placed]
        assert len(left) == 2
        said = await cluster.condition(left[0])
        assert said["reason"] == "SchedulerError"
        assert "add reservation to claim default/c: " in said["message"]
        assert "status.reservedFor: Too many: 257: must have at most 256 items" in said["message"]

    run_scenario(scenario, gates="DRAWorkloadResourceClaims=false")


@scheduler_test
async def test_what_others_wrote_meanwhile_is_kept(cluster: Cluster) -> None:
    await cluster.add_nodes("n1")
    await add_devices(cluster, device_class("gpu"), published("n1", "d0"), claim("c"))
    changed = ConflictError("changed")
    cluster.client.fail(changed, method="PATCH", path="/resourceclaims/c/status", times=2)
    await cluster.start()
    await cluster.add_pods("p", resourceClaims=claims(mine="c"))
    await cluster.wait_for(["p"], at_most=2)
    assert await users_of(cluster, "c") == ["pods/p"]
    assert not await cluster.events("FailedScheduling")


@scheduler_test
async def test_a_pod_whose_claim_cannot_be_written_gives_the_device_back(
    cluster: Cluster,
) -> None:
    await cluster.add_nodes("n1", cpu=4)
    await add_devices(cluster, device_class("gpu"), published("n1", "d0"), claim("c"), claim("d"))
    refused = InvalidError("no")
    cluster.client.fail(refused, method="PATCH", path="/resourceclaims/c/status", times=1)
    scheduler = await cluster.start(cluster.scheduler(backoff=SLOW))
    await cluster.add_pods("p", resourceClaims=claims(mine="c"))
    await cluster.wait(1)
    said = await cluster.condition("p")
    assert said["message"].startswith(
        'running PreBind plugin "DynamicResources": add allocation and reservation to claim '
        "default/c: "
    )
    assert not scheduler.cache.snapshot().devices.promises()

    await cluster.add_pods("q", resourceClaims=claims(mine="d"))
    await cluster.wait_for(["q"], at_most=2)
    assert await devices_of(cluster, "d") == ["d0"]


@scheduler_test
async def test_a_claim_that_no_node_can_use_is_freed(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", "n2")
    slow = {"name": "d0", "bindingConditions": ["ready"], "bindingFailureConditions": ["broken"]}
    await add_devices(cluster, device_class("gpu"), published("n1", slow), claim("c"))
    await cluster.start()
    await cluster.add_pods("p", resourceClaims=claims(mine="c"))
    await cluster.wait(1)
    assert "p" not in await cluster.placements()

    assert (await cluster.pod("p"))["status"]["nominatedNodeName"] == "n1"

    await set_condition(cluster, "c", "broken")
    await cluster.wait(0.5)
    assert "nominatedNodeName" not in (await cluster.pod("p"))["status"]
    assert (await cluster.condition("p"))["message"] == (
        'running PreBind plugin "DynamicResources": device binding failed: claim=c, '
        'reason=Because, message="so"'
    )
    await cluster.user.delete(RESOURCESLICES, "pool-n1")
    await add_devices(cluster, published("n2", "d1"))
    await cluster.wait_for(["p"], at_most=5)
    assert await devices_of(cluster, "c") == ["d1"]


@scheduler_test
async def test_a_pod_is_bound_when_its_devices_are_ready(cluster: Cluster) -> None:
    await cluster.add_nodes("n1")
    slow = {"name": "d0", "bindingConditions": ["ready"], "bindingFailureConditions": ["broken"]}
    await add_devices(cluster, device_class("gpu"), published("n1", slow), claim("c"))
    await cluster.start()
    await cluster.add_pods("p", resourceClaims=claims(mine="c"))
    await cluster.wait(30)
    assert (await cluster.pod("p"))["status"]["nominatedNodeName"] == "n1"
    await set_condition(cluster, "c", "ready")
    await cluster.wait_for(["p"], at_most=1)


async def set_condition(cluster: Cluster, name: str, condition: str) -> None:
    """Say as a driver would that a condition holds of a claim's only device."""
    allocation = (await claim_status(cluster, name))["allocation"]
    (result,) = allocation["devices"]["results"]
    said = {
        "type": condition,
        "status": "True",
        "reason": "Because",
        "message": "so",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    device = {key: result[key] for key in ("driver", "pool", "device")} | {"conditions": [said]}
    patch: JsonObject = {"status": {"devices": [device]}}
    await cluster.user.patch(RESOURCECLAIMS, name, NS, patch=patch, subresource="status")


@scheduler_test
async def test_nothing_is_said_about_where_a_bound_pod_will_be(cluster: Cluster) -> None:
    """Members whose shared claim is written by a sibling are bound at once."""
    with capture_logs() as lines:
        names = await add_gang(cluster, 5)
        await cluster.start()
        await cluster.wait_for(names, at_most=5)
        await cluster.add_pods("late", group="g", resourceClaims=claims(shared="c"))
        await cluster.wait_for(["late"], at_most=5)
        await cluster.wait(2)
    assert [line for line in lines if line["event"] == "status not written"] == []
