"""The ResourceClaim controller on a real API server in this process, in virtual time."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.app.controllers.claims import PROTECTION, RESOURCE_CLAIM
from kubegang.client.interface import Resource
from kubegang.client.resources import (
    CORE_EVENTS,
    PODGROUPS,
    PODS,
    RESOURCECLAIMS,
    RESOURCECLAIMTEMPLATES,
)
from tests.component.claimobjects import (
    FINALIZER,
    NAMESPACE,
    allocation,
    by_name,
    by_template,
    claim,
    group_with,
    pod_with,
    reservation,
    template,
)
from tests.component.controllersharness import ControlledCluster, controllers_test, run_scenario

Json = dict[str, Any]


async def start(cluster: ControlledCluster) -> None:
    await cluster.start(chosen=frozenset({RESOURCE_CLAIM, PROTECTION}))


async def create(cluster: ControlledCluster, resource: Resource, obj: Json) -> Json:
    return await cluster.user.create(resource, obj, NAMESPACE)


async def see(cluster: ControlledCluster, resource: Resource, name: str) -> Json:
    return await cluster.user.get(resource, name, NAMESPACE)


async def claims_of(cluster: ControlledCluster) -> list[Json]:
    return (await cluster.user.list(RESOURCECLAIMS, NAMESPACE)).items


async def allocate(cluster: ControlledCluster, name: str, *consumers: Json) -> Json:
    """Give a claim a device, as the scheduler does."""
    found = await see(cluster, RESOURCECLAIMS, name)
    found["metadata"]["finalizers"] = [FINALIZER]
    found = await cluster.user.update(RESOURCECLAIMS, found)
    found["status"] = {
        "allocation": allocation(),
        "reservedFor": [reservation(consumer) for consumer in consumers],
    }
    return await cluster.user.update(RESOURCECLAIMS, found, subresource="status")


async def set_phase(cluster: ControlledCluster, name: str, phase: str) -> None:
    await cluster.user.patch(
        PODS, name, NAMESPACE, patch={"status": {"phase": phase}}, subresource="status"
    )


async def messages(cluster: ControlledCluster) -> list[str]:
    events = (await cluster.user.list(CORE_EVENTS, NAMESPACE)).items
    return sorted({event["message"] for event in events})


@controllers_test
async def test_a_pod_gets_a_claim_for_each_template(cluster: ControlledCluster) -> None:
    await start(cluster)
    await create(
        cluster, RESOURCECLAIMTEMPLATES, template(labels={"a": "b"}, annotations={"c": "d"})
    )
    pod = await create(cluster, PODS, pod_with("p", by_template("x")))

    await cluster.wait(1)

    (made,) = await claims_of(cluster)
    metadata = made["metadata"]
    assert metadata["generateName"] == "p-x-"
    assert metadata["labels"] == {"a": "b"}
    assert metadata["annotations"] == {"c": "d", "resource.kubernetes.io/pod-claim-name": "x"}
    assert metadata["ownerReferences"] == [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": "p",
            "uid": pod["metadata"]["uid"],
            "controller": True,
        }
    ]
    status = (await see(cluster, PODS, "p"))["status"]
    assert status["resourceClaimStatuses"] == [{"name": "x", "resourceClaimName": metadata["name"]}]


@controllers_test
async def test_a_group_s_claim_is_made_once_and_before_its_pods(cluster: ControlledCluster) -> None:
    await start(cluster)
    await create(cluster, RESOURCECLAIMTEMPLATES, template())
    group = await create(cluster, PODGROUPS, group_with("g", by_template("x")))
    await cluster.wait(1)
    (made,) = await claims_of(cluster)
    assert made["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "scheduling.k8s.io/v1beta1",
            "kind": "PodGroup",
            "name": "g",
            "uid": group["metadata"]["uid"],
            "controller": True,
        }
    ]

    await create(cluster, PODS, pod_with("p1", by_template("x"), group="g"))
    await create(cluster, PODS, pod_with("p2", by_template("x"), by_template("own"), group="g"))
    await cluster.wait(1)

    names = {entry["metadata"]["generateName"]: entry for entry in await claims_of(cluster)}
    assert set(names) == {"g-x-", "p2-own-"}
    shared = {"name": "x", "resourceClaimName": made["metadata"]["name"]}
    own = {"name": "own", "resourceClaimName": names["p2-own-"]["metadata"]["name"]}
    for obj, statuses in (
        (await see(cluster, PODGROUPS, "g"), [shared]),
        (await see(cluster, PODS, "p1"), [shared]),
        (await see(cluster, PODS, "p2"), [own, shared]),
    ):
        assert obj["status"]["resourceClaimStatuses"] == statuses


@controllers_test
async def test_a_missing_template_is_told_and_waited_for(cluster: ControlledCluster) -> None:
    await start(cluster)
    await create(cluster, PODGROUPS, group_with("g", by_template("s", "none")))
    await create(cluster, PODS, pod_with("p", by_template("s", "none")))
    await cluster.wait(30)
    missing = 'resourceclaimtemplate.resource.k8s.io "none" not found'
    assert await messages(cluster) == [
        f'PodGroupResourceClaim s: resource claim template "none": {missing}',
        f'PodResourceClaim s: resource claim template "none": {missing}',
    ]

    await create(cluster, RESOURCECLAIMTEMPLATES, template("none"))
    await cluster.wait(0.5)

    made = {entry["metadata"]["generateName"] for entry in await claims_of(cluster)}
    assert made == {"g-s-", "p-s-"}


@controllers_test
async def test_a_named_claim_is_freed_when_its_last_pod_is_done(
    cluster: ControlledCluster,
) -> None:
    await start(cluster)
    await create(cluster, RESOURCECLAIMS, claim("shared"))
    pods = [
        await create(cluster, PODS, pod_with(name, by_name("x", "shared"), node="n1"))
        for name in ("p1", "p2")
    ]
    await allocate(cluster, "shared", *pods)

    await set_phase(cluster, "p1", "Succeeded")
    await cluster.wait(1)
    found = await see(cluster, RESOURCECLAIMS, "shared")
    assert found["status"]["reservedFor"] == [reservation(pods[1])]
    assert "allocation" in found["status"]

    await cluster.user.delete(PODS, "p2", NAMESPACE, grace_period_seconds=0)
    await cluster.wait(1)
    found = await see(cluster, RESOURCECLAIMS, "shared")
    assert found["status"] == {}
    assert "finalizers" not in found["metadata"]


@controllers_test
async def test_a_pod_s_own_claim_goes_when_the_pod_is_done(cluster: ControlledCluster) -> None:
    await start(cluster)
    await create(cluster, RESOURCECLAIMTEMPLATES, template())
    pod = await create(cluster, PODS, pod_with("p", by_template("x"), node="n1"))
    await cluster.wait(1)
    (made,) = await claims_of(cluster)
    await allocate(cluster, made["metadata"]["name"], pod)

    await set_phase(cluster, "p", "Failed")
    await cluster.wait(1)

    assert await claims_of(cluster) == []


@controllers_test
async def test_a_group_s_reservation_stays_until_the_group_goes(cluster: ControlledCluster) -> None:
    await start(cluster)
    await create(cluster, RESOURCECLAIMS, claim("shared"))
    group = await create(cluster, PODGROUPS, group_with("g", by_name("x", "shared")))
    await create(cluster, PODS, pod_with("p", by_name("x", "shared"), group="g", node="n1"))
    await allocate(cluster, "shared", group)

    await set_phase(cluster, "p", "Succeeded")
    await cluster.user.delete(PODS, "p", NAMESPACE, grace_period_seconds=0)
    await cluster.wait(60)
    found = await see(cluster, RESOURCECLAIMS, "shared")
    assert found["status"]["reservedFor"] == [reservation(group)]

    await cluster.user.delete(PODGROUPS, "g", NAMESPACE)
    await cluster.wait(2)
    found = await see(cluster, RESOURCECLAIMS, "shared")
    assert found["status"] == {}
    assert "finalizers" not in found["metadata"]


@controllers_test
async def test_a_pod_that_the_scheduler_did_not_place_gets_its_claims_reserved(
    cluster: ControlledCluster,
) -> None:
    await start(cluster)
    await create(cluster, RESOURCECLAIMS, claim("shared"))
    await create(cluster, RESOURCECLAIMS, claim("theirs"))
    group = await create(cluster, PODGROUPS, group_with("g", by_name("x", "theirs")))
    await allocate(cluster, "shared")
    await allocate(cluster, "theirs")
    entries = (by_name("x", "theirs"), by_name("y", "shared"))
    pod = await create(cluster, PODS, pod_with("p", *entries, group="g", node="n1"))

    await cluster.wait(1)

    for name, consumer in (("shared", pod), ("theirs", group)):
        found = await see(cluster, RESOURCECLAIMS, name)
        assert found["status"]["reservedFor"] == [reservation(consumer)]


@controllers_test
async def test_a_deleted_claim_that_nobody_uses_is_let_go(cluster: ControlledCluster) -> None:
    await start(cluster)
    await create(cluster, RESOURCECLAIMS, claim("c"))
    await allocate(cluster, "c")

    await cluster.user.delete(RESOURCECLAIMS, "c", NAMESPACE)
    await cluster.wait(1)

    assert await claims_of(cluster) == []


@controllers_test
async def test_a_made_claim_that_is_deleted_is_made_again(cluster: ControlledCluster) -> None:
    await start(cluster)
    await create(cluster, RESOURCECLAIMTEMPLATES, template())
    await create(cluster, PODS, pod_with("p", by_template("x")))
    await cluster.wait(1)
    (first,) = await claims_of(cluster)

    await cluster.user.delete(RESOURCECLAIMS, first["metadata"]["name"], NAMESPACE)
    await cluster.wait(1)

    (second,) = await claims_of(cluster)
    status = (await see(cluster, PODS, "p"))["status"]
    assert status["resourceClaimStatuses"][0]["resourceClaimName"] == second["metadata"]["name"]


@controllers_test
async def test_a_claim_that_only_a_done_pod_lists_is_freed(cluster: ControlledCluster) -> None:
    """As if it had been reserved for the pod and taken back: measured on 1.37.2 and 1.36.3."""
    await start(cluster)
    await create(cluster, RESOURCECLAIMS, claim("shared"))
    await create(cluster, PODS, pod_with("p", by_name("x", "shared"), node="n1"))
    await set_phase(cluster, "p", "Failed")
    await cluster.wait(1)

    await allocate(cluster, "shared")
    await cluster.wait(1)

    found = await see(cluster, RESOURCECLAIMS, "shared")
    assert found["status"] == {}
    assert "finalizers" not in found["metadata"]


@controllers_test
async def test_a_done_pod_gets_no_part_in_what_others_use(cluster: ControlledCluster) -> None:
    await start(cluster)
    await create(cluster, RESOURCECLAIMS, claim("shared"))
    await create(cluster, PODS, pod_with("done", by_name("x", "shared"), node="n1"))
    user = await create(cluster, PODS, pod_with("p", by_name("x", "shared"), node="n1"))
    await set_phase(cluster, "done", "Succeeded")
    allocated = await allocate(cluster, "shared", user)

    await cluster.wait(30)

    found = await see(cluster, RESOURCECLAIMS, "shared")
    assert found["metadata"]["resourceVersion"] == allocated["metadata"]["resourceVersion"]


@controllers_test
async def test_a_done_member_reserves_for_its_group(cluster: ControlledCluster) -> None:
    await start(cluster)
    await create(cluster, RESOURCECLAIMS, claim("shared"))
    group = await create(cluster, PODGROUPS, group_with("g", by_name("x", "shared")))
    await create(cluster, PODS, pod_with("p", by_name("x", "shared"), group="g", node="n1"))
    await set_phase(cluster, "p", "Succeeded")

    await allocate(cluster, "shared")
    await cluster.wait(1)

    found = await see(cluster, RESOURCECLAIMS, "shared")
    assert found["status"]["reservedFor"] == [reservation(group)]


@controllers_test
async def test_a_pod_that_is_done_early_has_its_claim_made_and_taken_back_once(
    cluster: ControlledCluster,
) -> None:
    await start(cluster)
    await create(cluster, PODS, pod_with("p", by_template("x")))
    await set_phase(cluster, "p", "Failed")
    await cluster.wait(1)
    missing = 'resourceclaimtemplate.resource.k8s.io "gpu" not found'
    assert await messages(cluster) == [
        f'PodResourceClaim x: resource claim template "gpu": {missing}'
    ]

    await create(cluster, RESOURCECLAIMTEMPLATES, template())
    await cluster.wait(5)

    assert await claims_of(cluster) == []
    pod = await see(cluster, PODS, "p")
    (named,) = pod["status"]["resourceClaimStatuses"]
    assert named["resourceClaimName"].startswith("p-x-")
    await cluster.wait(30)
    later = await see(cluster, PODS, "p")
    assert later["metadata"]["resourceVersion"] == pod["metadata"]["resourceVersion"]


@pytest.mark.parametrize(("release", "left"), [("1.35", ["gone", "x"]), ("1.36", ["x"])])
def test_users_of_unknown_kinds_keep_a_claim_and_in_1_35_everybody_else_too(
    release: str, left: list[str]
) -> None:
    async def scenario(cluster: ControlledCluster) -> None:
        await start(cluster)
        await create(cluster, RESOURCECLAIMS, claim("shared"))
        gone = {"resource": "pods", "name": "gone", "uid": "u-gone"}
        thing = {"apiGroup": "example.com", "resource": "things", "name": "x", "uid": "u-x"}
        found = await allocate(cluster, "shared")
        found["status"]["reservedFor"] = [gone, thing]
        await cluster.user.update(RESOURCECLAIMS, found, subresource="status")

        await cluster.wait(5)

        found = await see(cluster, RESOURCECLAIMS, "shared")
        assert [entry["name"] for entry in found["status"]["reservedFor"]] == left

    run_scenario(scenario, release=release)
