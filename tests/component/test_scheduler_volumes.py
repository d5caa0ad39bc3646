"""Pods with claims: volumes are kept, the API is told, and the pod waits until they are bound."""

from __future__ import annotations

from kubegang.apimachinery.errors import ConflictError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import (
    NODES,
    PERSISTENTVOLUMECLAIMS,
    PERSISTENTVOLUMES,
    STORAGECLASSES,
)
from kubegang.scheduler.scheduler import Scheduler
from tests.component.schedulerharness import NS, Cluster, node, scheduler_test
from tests.component.volumeobjects import (
    claim,
    complete_binding,
    local_volume,
    make_available,
    storage_class,
    using,
)

SELECTED = "volume.kubernetes.io/selected-node"


async def add_nodes(cluster: Cluster, *names: str, cpu: int = 4) -> None:
    for name in names:
        obj = node(name, cpu=cpu)
        obj["metadata"]["labels"] = {"disk": name}
        await cluster.user.create(NODES, obj)


async def add_storage(cluster: Cluster, *objects: JsonObject) -> None:
    resources = {
        "StorageClass": STORAGECLASSES,
        "PersistentVolume": PERSISTENTVOLUMES,
        "PersistentVolumeClaim": PERSISTENTVOLUMECLAIMS,
    }
    for obj in objects:
        resource = resources[obj["kind"]]
        await cluster.user.create(resource, obj, NS if resource.namespaced else "")
        if resource is PERSISTENTVOLUMES:
            await make_available(cluster.user, obj["metadata"]["name"])


async def volume(cluster: Cluster, name: str) -> JsonObject:
    return await cluster.user.get(PERSISTENTVOLUMES, name)


def nothing_is_assumed(scheduler: Scheduler) -> bool:
    return not scheduler.cache.snapshot().storage.assumed()


@scheduler_test
async def test_a_pod_is_bound_when_the_volume_kept_for_it_is(cluster: Cluster) -> None:
    await add_nodes(cluster, "n1", "n2")
    await add_storage(
        cluster,
        storage_class("s"),
        local_volume("v", "n2", storage_class="s"),
        claim("c", storage_class="s"),
    )
    scheduler = await cluster.start()
    await cluster.add_pods("p", volumes=using("c"))
    await cluster.wait(0.5)
    told = await volume(cluster, "v")
    assert told["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"] == "yes"
    reference = told["spec"]["claimRef"]
    assert (reference["kind"], reference["namespace"], reference["name"]) == (
        "PersistentVolumeClaim",
        NS,
        "c",
    )
    assert await cluster.placements() == {}
    assert (await cluster.pod("p"))["status"]["nominatedNodeName"] == "n2"
    await complete_binding(cluster.user, "c", "v")
    await cluster.wait_for(["p"], at_most=1)
    assert await cluster.placements() == {"p": "n2"}
    assert nothing_is_assumed(scheduler)


@scheduler_test
async def test_a_volume_to_be_made_is_asked_for_on_the_node(cluster: Cluster) -> None:
    await add_nodes(cluster, "n1")
    await add_storage(cluster, storage_class("s", "d.io"), claim("c", storage_class="s"))
    scheduler = await cluster.start()
    await cluster.add_pods("p", volumes=using("c"))
    await cluster.wait(0.5)
    asked = await cluster.user.get(PERSISTENTVOLUMECLAIMS, "c", NS)
    assert asked["metadata"]["annotations"][SELECTED] == "n1"
    # The provisioner fails and takes the node away again; the pod is told, and tried anew.
    patch = {"metadata": {"annotations": {SELECTED: None}}}
    await cluster.user.patch(PERSISTENTVOLUMECLAIMS, "c", NS, patch=patch, patch_type="merge")
    await cluster.wait(0.2)
    assert await cluster.condition("p") == {
        "status": "False",
        "reason": "SchedulerError",
        "message": 'running PreBind plugin "VolumeBinding": binding volumes: '
        'provisioning failed for PVC "c"',
        "observedGeneration": 1,
    }
    assert nothing_is_assumed(scheduler)
    await cluster.wait(2)
    asked = await cluster.user.get(PERSISTENTVOLUMECLAIMS, "c", NS)
    assert asked["metadata"]["annotations"][SELECTED] == "n1"


@scheduler_test
async def test_waiting_for_volumes_ends_after_ten_minutes(cluster: Cluster) -> None:
    await add_nodes(cluster, "n1")
    await add_storage(cluster, storage_class("s", "d.io"), claim("c", storage_class="s"))
    await cluster.start()
    await cluster.add_pods("p", volumes=using("c"))
    await cluster.wait(599)
    assert await cluster.condition("p") == {}
    await cluster.wait(2)
    assert (await cluster.condition("p"))["message"] == (
        'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
    )


@scheduler_test
async def test_a_volume_that_changed_meanwhile_is_not_taken(cluster: Cluster) -> None:
    await add_nodes(cluster, "n1")
    await add_storage(
        cluster,
        storage_class("s"),
        local_volume("v", "n1", storage_class="s"),
        claim("c", storage_class="s"),
    )
    scheduler = await cluster.start()
    cluster.client.fail(ConflictError("modified"), method="PATCH", path="persistentvolumes/v")
    await cluster.add_pods("p", volumes=using("c"))
    await cluster.wait(0.2)
    assert (await cluster.condition("p"))["reason"] == "SchedulerError"
    await cluster.wait(2)
    assert (await volume(cluster, "v"))["spec"]["claimRef"]["name"] == "c"
    await complete_binding(cluster.user, "c", "v")
    await cluster.wait_for(["p"], at_most=1)
    assert nothing_is_assumed(scheduler)


@scheduler_test
async def test_members_of_a_gang_do_not_get_one_volume_twice(cluster: Cluster) -> None:
    await add_nodes(cluster, "n1", "n2")
    await add_storage(
        cluster,
        storage_class("s"),
        local_volume("v1", "n1", storage_class="s"),
        claim("c1", storage_class="s"),
        claim("c2", storage_class="s"),
    )
    scheduler = await cluster.start()
    await cluster.add_group("g", 2)
    await cluster.add_pods("p1", group="g", volumes=using("c1"))
    await cluster.add_pods("p2", group="g", volumes=using("c2"))
    await cluster.wait(3)
    assert await cluster.placements() == {}
    assert nothing_is_assumed(scheduler)
    assert "claimRef" not in (await volume(cluster, "v1"))["spec"]
    await add_storage(cluster, local_volume("v2", "n2", storage_class="s"))
    await cluster.wait(3)
    promised = {(await volume(cluster, name))["spec"]["claimRef"]["name"] for name in ("v1", "v2")}
    assert promised == {"c1", "c2"}


@scheduler_test
async def test_a_claim_for_one_pod_keeps_the_other_member_and_so_the_gang(
    cluster: Cluster,
) -> None:
    await add_nodes(cluster, "n1")
    await add_storage(
        cluster,
        storage_class("s", "d.io"),
        claim("c", storage_class="s", mode="ReadWriteOncePod"),
    )
    await cluster.start()
    await cluster.add_group("g", 2)
    await cluster.add_pods("p1", "p2", group="g", volumes=using("c"))
    await cluster.wait(3)
    assert await cluster.placements() == {}
    assert (await cluster.condition("p2"))["reason"] == "Unschedulable"


@scheduler_test
async def test_a_claim_that_appears_wakes_the_pod(cluster: Cluster) -> None:
    await add_nodes(cluster, "n1")
    await add_storage(cluster, storage_class("s", "d.io"))
    await cluster.start()
    await cluster.add_pods("p", volumes=using("c"))
    await cluster.wait(2)
    assert (await cluster.condition("p"))["message"].startswith(
        '0/1 nodes are available: persistentvolumeclaim "c" not found.'
    )
    await add_storage(cluster, claim("c", storage_class="s"))
    await cluster.wait(1)
    asked = await cluster.user.get(PERSISTENTVOLUMECLAIMS, "c", NS)
    assert asked["metadata"]["annotations"][SELECTED] == "n1"


@scheduler_test
async def test_a_node_that_goes_ends_the_wait_for_its_volumes(cluster: Cluster) -> None:
    await add_nodes(cluster, "n1")
    await add_storage(cluster, storage_class("s", "d.io"), claim("c", storage_class="s"))
    scheduler = await cluster.start()
    await cluster.add_pods("p", volumes=using("c"))
    await cluster.wait(1)
    await cluster.user.delete(NODES, "n1")
    await cluster.wait(0.2)
    assert (await cluster.condition("p"))["message"] == (
        'running PreBind plugin "VolumeBinding": binding volumes: '
        'failed to get node "n1": node "n1" not found'
    )
    assert nothing_is_assumed(scheduler)


@scheduler_test
async def test_a_pod_that_goes_while_it_waits_leaves_its_volume_to_others(
    cluster: Cluster,
) -> None:
    await add_nodes(cluster, "n1")
    await add_storage(
        cluster,
        storage_class("s"),
        local_volume("v", "n1", storage_class="s"),
        claim("c", storage_class="s"),
    )
    scheduler = await cluster.start()
    await cluster.add_pods("p", volumes=using("c"))
    await cluster.wait(0.5)
    await cluster.delete_pod("p")
    await cluster.wait(0.5)
    assert nothing_is_assumed(scheduler)
    # The volume stays promised to the claim, and so to its next pod.
    await cluster.add_pods("q", volumes=using("c"))
    await cluster.wait(0.5)
    await complete_binding(cluster.user, "c", "v")
    await cluster.wait_for(["q"], at_most=1)
