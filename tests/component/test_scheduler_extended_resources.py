"""Extended resources that devices stand behind: values measured on kube-scheduler 1.37.2."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.errors import InternalError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import NODES, PODS, RESOURCECLAIMS
from tests.component.deviceobjects import add_devices, device_class, published
from tests.component.schedulerharness import NS, Cluster, node, run_scenario, scheduler_test

GPU = "example.com/gpu"
FINALIZER = "resource.kubernetes.io/delete-protection"
EXTENDED = "resource.kubernetes.io/extended-resource-claim"


def offering(name: str = "gpu", resource: str = GPU) -> JsonObject:
    """Return a class whose devices stand behind a resource."""
    made = device_class(name)
    made["spec"]["extendedResourceName"] = resource
    return made


def container(name: str, gpus: int, resource: str = GPU, **more: Any) -> JsonObject:
    amounts = {resource: str(gpus)}
    asked = {"requests": {**more.pop("besides", {}), **amounts}, "limits": amounts}
    return {"name": name, "image": "registry.example/app:1", "resources": asked, **more}


async def ask(cluster: Cluster, name: str, *containers: JsonObject, **spec: Any) -> None:
    await cluster.add_pods(name, containers=list(containers), **spec)


async def claims_in(cluster: Cluster) -> list[JsonObject]:
    return (await cluster.user.list(RESOURCECLAIMS, NS)).items


async def extended_status(cluster: Cluster, pod: str) -> JsonObject | None:
    status: JsonObject | None = (await cluster.pod(pod))["status"].get(
        "extendedResourceClaimStatus"
    )
    return status


@pytest.mark.parametrize("release", ["1.36", "1.37"])
def test_a_class_lets_a_pod_in_that_asks_for_its_resource(release: str) -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n1")
        await add_devices(cluster, published("n1", "d0"))
        scheduler = await cluster.start()
        await ask(cluster, "p", container("c", 1))
        await cluster.wait(1)
        said = (await cluster.condition("p"))["message"]
        assert said.startswith(f"0/1 nodes are available: 1 Insufficient {GPU}.")

        await add_devices(cluster, offering())
        await cluster.wait_for(["p"], at_most=3)

        pod = await cluster.pod("p")
        (made,) = await claims_in(cluster)
        meta = made["metadata"]
        assert meta["generateName"] == "p-extended-resources-"
        assert meta["annotations"] == {EXTENDED: "true"}
        assert meta["finalizers"] == [FINALIZER]
        owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": pod["metadata"]["uid"]}
        assert meta["ownerReferences"] == [{**owner, "controller": True}]
        exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
        request = {"name": "container-0-request-0", "exactly": exactly}
        assert made["spec"] == {"devices": {"requests": [request]}}
        user = {"resource": "pods", "name": "p", "uid": pod["metadata"]["uid"]}
        assert made["status"]["reservedFor"] == [user]
        assert pod["status"]["extendedResourceClaimStatus"] == {
            "requestMappings": [
                {"containerName": "c", "resourceName": GPU, "requestName": "container-0-request-0"}
            ],
            "resourceClaimName": meta["name"],
        }
        await cluster.wait(1)
        assert not scheduler.cache.snapshot().devices.promises()

    run_scenario(scenario, version=release)


def test_without_the_gate_the_resource_is_missing() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n1")
        await add_devices(cluster, published("n1", "d0"), offering())
        await cluster.start()
        await ask(cluster, "p", container("c", 1))
        await cluster.wait(5)
        said = (await cluster.condition("p"))["message"]
        assert said.startswith(f"0/1 nodes are available: 1 Insufficient {GPU}.")

    run_scenario(scenario, version="1.35")
    run_scenario(scenario, version="1.36", gates="DRAExtendedResource=false")


@scheduler_test
async def test_containers_that_end_early_use_what_others_will_have(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=8)
    await add_devices(cluster, published("n1", *(f"d{i}" for i in range(4))), offering())
    await cluster.start()
    init = [
        container("i1", 3),
        container("s", 1, restartPolicy="Always"),
        container("i2", 2),
    ]
    a = container("a", 1, besides={"cpu": "1"})
    b = container("b", 1, besides={"memory": "1Mi"})
    await ask(cluster, "p", a, b, initContainers=init)
    await cluster.wait_for(["p"], at_most=2)

    (made,) = await claims_in(cluster)
    asked = {r["name"]: r["exactly"]["count"] for r in made["spec"]["devices"]["requests"]}
    assert asked == {
        "container-1-request-0": 1,
        "container-3-request-1": 1,
        "container-4-request-0": 1,
    }
    status = await extended_status(cluster, "p")
    assert status is not None
    assert [(m["containerName"], m["requestName"]) for m in status["requestMappings"]] == [
        ("s", "container-1-request-0"),
        ("a", "container-3-request-1"),
        ("b", "container-4-request-0"),
        ("i1", "container-1-request-0"),
        ("i1", "container-3-request-1"),
        ("i1", "container-4-request-0"),
        ("i2", "container-3-request-1"),
        ("i2", "container-4-request-0"),
    ]


@scheduler_test
async def test_each_class_has_a_resource_of_its_own(cluster: Cluster) -> None:
    await cluster.add_nodes("n1")
    await add_devices(cluster, published("n1", "d0"), device_class("gpu"))
    await cluster.start()
    await ask(cluster, "p", container("c", 1, "deviceclass.resource.kubernetes.io/gpu"))
    await cluster.wait_for(["p"], at_most=2)
    assert len(await claims_in(cluster)) == 1


@scheduler_test
async def test_too_few_devices_are_told_as_for_claims(cluster: Cluster) -> None:
    await cluster.add_nodes("n1")
    await add_devices(cluster, published("n1", "d0"), offering())
    await cluster.start()
    await ask(cluster, "p", container("c", 2))
    await cluster.wait(1)
    said = (await cluster.condition("p"))["message"]
    assert said.startswith("0/1 nodes are available: 1 cannot allocate all claims.")
    assert await claims_in(cluster) == []


@scheduler_test
async def test_a_node_that_has_the_resource_itself_needs_no_devices(cluster: Cluster) -> None:
    own = node("n1", cpu=8)
    own["status"]["allocatable"][GPU] = "2"
    await cluster.user.create(NODES, own)
    await cluster.add_nodes("n2", cpu=8)
    await add_devices(cluster, published("n2", "d0"), offering())
    await cluster.start()
    await ask(cluster, "first", container("c", 2))
    await cluster.wait_for(["first"], at_most=2)
    await ask(cluster, "second", container("c", 1))
    await cluster.wait_for(["second"], at_most=2)

    assert await cluster.placements() == {"first": "n1", "second": "n2"}
    assert await extended_status(cluster, "first") is None
    (made,) = await claims_in(cluster)
    assert made["metadata"]["generateName"] == "second-extended-resources-"


@scheduler_test
async def test_a_gang_gets_devices_for_all_or_none(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", "n2", "n3")
    await add_devices(cluster, offering(), *(published(n, "d0") for n in ("n1", "n2")))
    await cluster.start()
    await cluster.add_group("g", 3)
    for name in ("p0", "p1", "p2"):
        await ask(cluster, name, container("c", 1), group="g")
    await cluster.wait(2)
    assert await cluster.placements() == {}
    assert await claims_in(cluster) == []

    await add_devices(cluster, published("n3", "d0"))
    await cluster.wait_for(["p0", "p1", "p2"], at_most=5)
    assert len(await claims_in(cluster)) == 3


@scheduler_test
async def test_a_claim_that_was_left_over_goes_before_the_pod_is_tried_anew(
    cluster: Cluster,
) -> None:
    """As after a scheduler that ended between making the claim and binding the pod."""
    await cluster.add_nodes("n1")
    await add_devices(cluster, published("n1", "d0"), offering())
    await ask(cluster, "p", container("c", 1))
    pod = await cluster.pod("p")
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": pod["metadata"]["uid"]}
    left: JsonObject = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": "left",
            "annotations": {EXTENDED: "true"},
            "ownerReferences": [{**owner, "controller": True}],
            "finalizers": [FINALIZER],
        },
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
    }
    made = await cluster.user.create(RESOURCECLAIMS, left, NS)
    result = {"request": "r", "driver": "gpu.example.com", "pool": "pool-n1", "device": "d0"}
    made["status"] = {"allocation": {"devices": {"results": [result]}}}
    await cluster.user.update(RESOURCECLAIMS, made, subresource="status")

    await cluster.start()
    await cluster.wait_for(["p"], at_most=5)

    (claim,) = await claims_in(cluster)
    assert claim["metadata"]["generateName"] == "p-extended-resources-"


@scheduler_test
async def test_a_pod_that_is_not_bound_leaves_no_claim(cluster: Cluster) -> None:
    await cluster.add_nodes("n1")
    await add_devices(cluster, published("n1", "d0"), offering())
    cluster.client.fail(InternalError("disk full"), method="POST", path="/binding")
    scheduler = await cluster.start()
    await ask(cluster, "p", container("c", 1))
    await cluster.wait_for(["p"], at_most=10)
    await cluster.wait(1)

    assert len(await claims_in(cluster)) == 1
    assert not scheduler.cache.snapshot().devices.promises()
    assert (await cluster.user.get(PODS, "p", NS))["spec"]["nodeName"] == "n1"


@scheduler_test
async def test_a_claim_whose_making_was_not_answered_is_replaced(cluster: Cluster) -> None:
    await cluster.add_nodes("n1")
    await add_devices(cluster, published("n1", "d0"), offering())
    await cluster.start()
    cluster.lossy.lose_answers("/namespaces/default/resourceclaims")
    await ask(cluster, "p", container("c", 1))
    # The claim that goes had no devices, so nobody is told: the pod is looked at in the end.
    await cluster.wait_for(["p"], at_most=400)

    (claim,) = await claims_in(cluster)
    status = await extended_status(cluster, "p")
    assert status is not None
    assert status["resourceClaimName"] == claim["metadata"]["name"]


@scheduler_test
async def test_members_of_a_gang_see_which_devices_their_siblings_took(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", "n2", cpu=16)
    await add_devices(cluster, offering(), *(published(n, "d0", "d1") for n in ("n1", "n2")))
    await cluster.start()
    members = [f"p{i}" for i in range(4)]
    await cluster.add_group("g", 4)
    await cluster.add_group("more", 1)
    for name in members:
        await ask(cluster, name, container("c", 1), group="g")
    await cluster.wait_for(members, at_most=5)
    await ask(cluster, "left", container("c", 1), group="more")
    await cluster.wait(3)

    placed = await cluster.placements()
    assert sorted(placed.values()) == ["n1", "n1", "n2", "n2"]
    given = {
        (r["pool"], r["device"])
        for one in await claims_in(cluster)
        for r in one["status"]["allocation"]["devices"]["results"]
    }
    assert len(given) == 4
    said = (await cluster.condition("left"))["message"]
    assert "2 cannot allocate all claims" in said
