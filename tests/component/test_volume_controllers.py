"""Claims and volumes find each other, and go when nobody needs them any more."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Resource
from kubegang.client.resources import (
    CORE_EVENTS,
    PERSISTENTVOLUMECLAIMS,
    PERSISTENTVOLUMES,
    PODS,
    STORAGECLASSES,
)
from tests.component.controllersharness import ControlledCluster, controllers_test
from tests.component.volumeobjects import NS, claim, local_volume, storage_class, using

SELECTED = "volume.kubernetes.io/selected-node"


def volume(name: str, *, policy: str = "Retain", storage_class: str = "s") -> JsonObject:
    obj = local_volume(name, "n1", storage_class=storage_class)
    obj["spec"]["persistentVolumeReclaimPolicy"] = policy
    return obj


def pod(name: str, *volumes: JsonObject, node: str = "n1") -> JsonObject:
    container = {"name": "c", "image": "registry.example/app:1"}
    spec: JsonObject = {"containers": [container], "volumes": list(volumes), "nodeName": node}
    metadata = {"name": name}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


async def add(cluster: ControlledCluster, *objects: JsonObject) -> None:
    resources = (STORAGECLASSES, PERSISTENTVOLUMES, PERSISTENTVOLUMECLAIMS, PODS)
    by_kind = {resource.kind: resource for resource in resources}
    for obj in objects:
        resource = by_kind[obj["kind"]]
        await cluster.user.create(resource, obj, NS if resource.namespaced else "")
    await cluster.wait(1)


async def phases(cluster: ControlledCluster) -> dict[str, str]:
    """Return the phases of all claims and volumes, by name."""
    found: dict[str, str] = {}
    for resource in (PERSISTENTVOLUMES, PERSISTENTVOLUMECLAIMS):
        for obj in (await cluster.user.list(resource)).items:
            found[obj["metadata"]["name"]] = obj["status"]["phase"]
    return found


async def told(cluster: ControlledCluster, name: str) -> set[tuple[str, str]]:
    """Return reason and message of the events about an object."""
    events = (await cluster.user.list(CORE_EVENTS)).items
    return {(e["reason"], e["message"]) for e in events if e["involvedObject"]["name"] == name}


async def delete(cluster: ControlledCluster, resource: Resource, name: str) -> None:
    grace = 0 if resource is PODS else None
    namespace = NS if resource.namespaced else ""
    await cluster.user.delete(resource, name, namespace, grace_period_seconds=grace)
    await cluster.wait(1)


async def is_there(cluster: ControlledCluster, resource: Resource, name: str) -> bool:
    try:
        await cluster.user.get(resource, name, NS if resource.namespaced else "")
    except NotFoundError:
        return False
    return True


def at_once(obj: JsonObject) -> JsonObject:
    return {**obj, "volumeBindingMode": "Immediate"}


@controllers_test
async def test_a_claim_gets_the_smallest_volume_that_will_do(cluster: ControlledCluster) -> None:
    await cluster.start()
    large, small = volume("large"), volume("small")
    large["spec"]["capacity"] = {"storage": "5Gi"}
    await add(cluster, at_once(storage_class("s")), large, small)
    assert await phases(cluster) == {"large": "Available", "small": "Available"}
    await add(cluster, claim("c", storage_class="s"))
    assert await phases(cluster) == {"large": "Available", "small": "Bound", "c": "Bound"}
    bound = await cluster.user.get(PERSISTENTVOLUMECLAIMS, "c", NS)
    assert bound["spec"]["volumeName"] == "small"
    assert bound["metadata"]["annotations"] == {
        "pv.kubernetes.io/bind-completed": "yes",
        "pv.kubernetes.io/bound-by-controller": "yes",
    }
    assert (bound["status"]["capacity"], bound["status"]["accessModes"]) == (
        {"storage": "1Gi"},
        ["ReadWriteOnce"],
    )


@controllers_test
async def test_a_claim_that_came_first_gets_the_volume_that_comes(
    cluster: ControlledCluster,
) -> None:
    await cluster.start()
    await add(cluster, at_once(storage_class("s")), claim("c", storage_class="s"))
    assert await phases(cluster) == {"c": "Pending"}
    await add(cluster, volume("v"))
    assert await phases(cluster) == {"c": "Bound", "v": "Bound"}


@controllers_test
async def test_two_claims_do_not_get_one_volume(cluster: ControlledCluster) -> None:
    await add(
        cluster,
        at_once(storage_class("s")),
        *(claim(name, storage_class="s") for name in ("c1", "c2")),
        volume("v"),
    )
    await cluster.start()
    await cluster.wait(5)
    assert sorted((await phases(cluster)).values()) == ["Bound", "Bound", "Pending"]


@controllers_test
async def test_a_claim_that_waits_for_its_pod_is_left_to_the_scheduler(
    cluster: ControlledCluster,
) -> None:
    await cluster.start()
    await add(cluster, storage_class("s"), volume("v"), claim("c", storage_class="s"))
    assert await phases(cluster) == {"v": "Available", "c": "Pending"}
    assert await told(cluster, "c") == {
        ("WaitForFirstConsumer", "waiting for first consumer to be created before binding")
    }
    uid = (await cluster.user.get(PERSISTENTVOLUMECLAIMS, "c", NS))["metadata"]["uid"]
    promise = {"spec": {"claimRef": {"namespace": NS, "name": "c", "uid": uid}}}
    await cluster.user.patch(PERSISTENTVOLUMES, "v", patch=promise, patch_type="merge")
    await cluster.wait(1)
    assert await phases(cluster) == {"v": "Bound", "c": "Bound"}


@controllers_test
async def test_who_is_to_make_a_volume_is_named_on_the_claim(cluster: ControlledCluster) -> None:
    await cluster.start()
    await add(cluster, storage_class("s", "d.io"), claim("c", storage_class="s"))
    annotations = {SELECTED: "n1"}
    patch = {"metadata": {"annotations": annotations}}
    await cluster.user.patch(PERSISTENTVOLUMECLAIMS, "c", NS, patch=patch)
    await cluster.wait(1)
    asked = await cluster.user.get(PERSISTENTVOLUMECLAIMS, "c", NS)
    assert asked["metadata"]["annotations"] == {
        SELECTED: "n1",
        "volume.kubernetes.io/storage-provisioner": "d.io",
        "volume.beta.kubernetes.io/storage-provisioner": "d.io",
    }
    assert "ExternalProvisioning" in {reason for reason, _ in await told(cluster, "c")}


@pytest.mark.parametrize(("policy", "phase"), [("Retain", "Released"), ("Delete", "Failed")])
def test_a_volume_whose_claim_is_gone_is_released(policy: str, phase: str) -> None:
    @controllers_test
    async def story(cluster: ControlledCluster) -> None:
        await cluster.start()
        made = volume("v", policy=policy)
        await add(cluster, at_once(storage_class("s")), made, claim("c", storage_class="s"))
        await delete(cluster, PERSISTENTVOLUMECLAIMS, "c")
        assert await phases(cluster) == {"v": phase}
        # A claim of the same name is another claim.
        await add(cluster, claim("c", storage_class="s"))
        assert await phases(cluster) == {"v": phase, "c": "Pending"}

    story()


@controllers_test
async def test_a_claim_whose_volume_is_gone_is_lost(cluster: ControlledCluster) -> None:
    await cluster.start()
    await add(cluster, at_once(storage_class("s")), volume("v"), claim("c", storage_class="s"))
    await cluster.user.delete(PERSISTENTVOLUMES, "v")
    await cluster.wait(1)
    # Bound to a claim, it is only marked; its finalizers are taken off by force here.
    patch = {"metadata": {"finalizers": None}}
    await cluster.user.patch(PERSISTENTVOLUMES, "v", patch=patch, patch_type="merge")
    await cluster.wait(1)
    assert await phases(cluster) == {"c": "Lost"}
    assert (
        "ClaimLost",
        "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    ) in (await told(cluster, "c"))


@controllers_test
async def test_a_claim_stays_while_a_pod_has_it_on_its_node(cluster: ControlledCluster) -> None:
    await cluster.start()
    await add(cluster, at_once(storage_class("s")), volume("v"), claim("c", storage_class="s"))
    await add(cluster, pod("p", *using("c")))
    await delete(cluster, PERSISTENTVOLUMECLAIMS, "c")
    assert await is_there(cluster, PERSISTENTVOLUMECLAIMS, "c")
    await delete(cluster, PODS, "p")
    assert not await is_there(cluster, PERSISTENTVOLUMECLAIMS, "c")
    await delete(cluster, PERSISTENTVOLUMES, "v")
    assert not await is_there(cluster, PERSISTENTVOLUMES, "v")


@controllers_test
async def test_a_bound_claim_says_whether_a_pod_names_it(cluster: ControlledCluster) -> None:
    async def unused() -> str:
        seen = await cluster.user.get(PERSISTENTVOLUMECLAIMS, "c", NS)
        return str(seen["status"]["conditions"][0]["status"])

    await cluster.start()
    await add(cluster, at_once(storage_class("s")), volume("v"), claim("c", storage_class="s"))
    assert await unused() == "True"
    await add(cluster, pod("p", *using("c"), node=""))
    assert await unused() == "False"


@controllers_test
async def test_an_ephemeral_volume_gets_a_claim_that_goes_with_its_pod(
    cluster: ControlledCluster,
) -> None:
    await cluster.start()
    spec = claim("unnamed", storage_class="s")["spec"]
    template = {"metadata": {"labels": {"a": "b"}}, "spec": spec}
    ephemeral = {"name": "e", "ephemeral": {"volumeClaimTemplate": template}}
    await add(cluster, storage_class("s", "d.io"), pod("p", ephemeral))
    made = await cluster.user.get(PERSISTENTVOLUMECLAIMS, "p-e", NS)
    assert (made["metadata"]["labels"], made["metadata"]["ownerReferences"][0]["name"]) == (
        {"a": "b"},
        "p",
    )
    await delete(cluster, PODS, "p")
    await cluster.wait(5)
    assert not await is_there(cluster, PERSISTENTVOLUMECLAIMS, "p-e")
