"""What goes with its owners, and what stays: owners, namespaces, nodes, groups."""

from __future__ import annotations

import asyncio

import pytest

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.backoff import NO_CHANCE
from kubegang.client.informer import Informer
from kubegang.client.resources import CONFIGMAPS, NAMESPACES, NODES, PODS, SERVICEACCOUNTS
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.podgc.controller import PodGarbageCollector
from tests.component.controllersharness import ControlledCluster, controllers_test, run_scenario
from tests.component.faultytransport import FaultyTransport
from tests.component.jobobjects import NS, Users, bare_pod, config_map

HOLD = "example.com/hold"


async def begin(cluster: ControlledCluster) -> Users:
    await cluster.start()
    return Users(cluster)


async def delete(users: Users, name: str, policy: str) -> None:
    await users.api.delete(CONFIGMAPS, name, NS, propagation_policy=policy)
    await users.wait(2)


async def hold(users: Users, name: str, *finalizers: str) -> None:
    patch = {"metadata": {"finalizers": list(finalizers) or None}}
    await users.api.patch(CONFIGMAPS, name, NS, patch=patch)
    await users.wait(2)


async def family(users: Users, *, blocks: bool = True) -> None:
    """Make an owner, its child and its grandchild."""
    owner = await users.submit(config_map("owner"))
    child = await users.submit(config_map("child", owner, blocks=blocks))
    await users.submit(config_map("grandchild", child, blocks=blocks))
    await users.wait(1)


@controllers_test
async def test_in_the_background_dependents_go_after_their_owner(
    cluster: ControlledCluster,
) -> None:
    users = await begin(cluster)
    await family(users)
    await hold(users, "child", HOLD)

    await delete(users, "owner", "Background")
    assert await users.config_maps() == ["child", "grandchild"]

    await hold(users, "child")
    assert await users.config_maps() == []


@controllers_test
async def test_in_the_foreground_an_owner_waits_for_its_dependents(
    cluster: ControlledCluster,
) -> None:
    users = await begin(cluster)
    await family(users)
    await hold(users, "grandchild", HOLD)

    await delete(users, "owner", "Foreground")
    assert await users.config_maps() == ["child", "grandchild", "owner"]
    child = await users.api.get(CONFIGMAPS, "child", NS)
    assert child["metadata"]["finalizers"] == ["foregroundDeletion"]

    await hold(users, "grandchild")
    assert await users.config_maps() == []


@controllers_test
async def test_in_the_foreground_nobody_waits_for_dependents_that_do_not_block(
    cluster: ControlledCluster,
) -> None:
    users = await begin(cluster)
    await family(users, blocks=False)
    await hold(users, "child", HOLD)

    await delete(users, "owner", "Foreground")

    assert "owner" not in await users.config_maps()
    assert "child" in await users.config_maps()


@controllers_test
async def test_orphans_stay_without_the_reference(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    await family(users)

    await delete(users, "owner", "Orphan")

    assert await users.config_maps() == ["child", "grandchild"]
    child = await users.api.get(CONFIGMAPS, "child", NS)
    assert "ownerReferences" not in child["metadata"]


@pytest.mark.parametrize("late", ["configmaps", "serviceaccounts"])
def test_orphans_stay_though_the_news_of_their_release_is_late(late: str) -> None:
    """The owner is seen to be gone before its dependent is seen to be free of it."""

    async def scenario(cluster: ControlledCluster) -> None:
        transport = FaultyTransport(cluster.transport(), clock=cluster.clock, late_news={late: 2.0})
        await cluster.start(transport)
        users = Users(cluster)
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "owner"},
        }
        owner = await users.api.create(SERVICEACCOUNTS, account, NS)
        owner |= {"apiVersion": "v1", "kind": "ServiceAccount"}
        await users.submit(config_map("child", owner))
        await users.wait(10)

        await users.api.delete(SERVICEACCOUNTS, "owner", NS, propagation_policy="Orphan")
        await users.wait(20)

        assert await users.config_maps() == ["child"]

    run_scenario(scenario)


@controllers_test
async def test_one_living_owner_is_enough(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    first, second = [await users.submit(config_map(name)) for name in ("a", "b")]
    await users.submit(config_map("child", first, second))

    await delete(users, "a", "Background")

    child = await users.api.get(CONFIGMAPS, "child", NS)
    assert [owner["name"] for owner in child["metadata"]["ownerReferences"]] == ["b"]


@controllers_test
async def test_an_object_whose_owner_never_was_goes_at_once(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    nobody: JsonObject = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "nobody", "uid": "never-was"},
    }

    await users.submit(config_map("child", nobody))
    await users.wait(1)

    assert await users.config_maps() == []


@controllers_test
async def test_a_namesake_of_the_owner_is_not_the_owner(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    owner = await users.submit(config_map("owner"))
    await cluster.kill()
    await users.submit(config_map("child", owner))
    await users.api.delete(CONFIGMAPS, "owner", NS)
    await users.submit(config_map("owner"))

    await cluster.start()
    await users.wait(1)

    assert await users.config_maps() == ["owner"]


@controllers_test
async def test_an_owner_of_another_namespace_is_none_and_that_is_told(
    cluster: ControlledCluster,
) -> None:
    users = await begin(cluster)
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}}
    await users.api.create(NAMESPACES, namespace)
    owner = await users.api.create(CONFIGMAPS, config_map("owner"), "other")
    owner |= {"apiVersion": "v1", "kind": "ConfigMap"}

    await users.submit(config_map("child", owner))
    await users.wait(1)

    assert await users.config_maps() == []
    (event,) = await users.events("OwnerRefInvalidNamespace")
    uid = owner["metadata"]["uid"]
    assert event["message"] == (
        f"ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: {uid}] "
        'does not exist in namespace "default"'
    )


@controllers_test
async def test_an_owner_of_an_unknown_kind_keeps_its_dependents(
    cluster: ControlledCluster,
) -> None:
    users = await begin(cluster)
    alien: JsonObject = {
        "apiVersion": "example.com/v1",
        "kind": "Alien",
        "metadata": {"name": "x", "uid": "x"},
    }

    await users.submit(config_map("child", alien))
    await users.wait(5)

    assert await users.config_maps() == ["child"]


@controllers_test
async def test_an_owner_that_was_added_in_the_last_moment_keeps_an_object(
    cluster: ControlledCluster,
) -> None:
    """What is deleted must be what was looked at."""
    users = await begin(cluster)
    first, second = [await users.submit(config_map(name)) for name in ("a", "b")]
    await users.submit(config_map("child", first))
    await users.wait(1)
    await cluster.kill()

    transport = FaultyTransport(
        cluster.transport(), clock=cluster.clock, late_news={"configmaps": 3.0}
    )
    await cluster.start(transport)
    await users.api.delete(CONFIGMAPS, "a", NS)
    references = config_map("child", first, second)["metadata"]["ownerReferences"]
    patch = {"metadata": {"ownerReferences": references}}
    await users.api.patch(CONFIGMAPS, "child", NS, patch=patch)
    await users.wait(15)

    child = await users.api.get(CONFIGMAPS, "child", NS)
    assert [owner["name"] for owner in child["metadata"]["ownerReferences"]] == ["b"]


# Namespaces


async def make_namespace(users: Users, name: str) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    await users.api.create(NAMESPACES, namespace)


async def namespace_conditions(users: Users, name: str) -> dict[str, str]:
    namespace = await users.api.get(NAMESPACES, name)
    return {
        c["type"]: c["message"]
        for c in namespace["status"].get("conditions", [])
        if c["status"] == "True"
    }


@controllers_test
async def test_a_namespace_takes_everything_along(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    await make_namespace(users, "doomed")
    for number in range(60):
        await users.api.create(CONFIGMAPS, config_map(f"c{number}"), "doomed")
    await users.api.create(PODS, bare_pod("p"), "doomed")

    await users.api.delete(NAMESPACES, "doomed")
    await users.wait(5)

    with pytest.raises(NotFoundError):
        await users.api.get(NAMESPACES, "doomed")
    assert (await users.api.list(CONFIGMAPS, "doomed")).items == []


@controllers_test
async def test_a_namespace_waits_for_its_pods_and_for_finalizers(
    cluster: ControlledCluster,
) -> None:
    users = await begin(cluster)
    await make_namespace(users, "doomed")
    await users.make_node("n1")
    await users.api.create(PODS, bare_pod("p", node="n1"), "doomed")
    held = config_map("held")
    held["metadata"]["finalizers"] = [HOLD]
    await users.api.create(CONFIGMAPS, held, "doomed")

    await users.api.delete(NAMESPACES, "doomed")
    await users.wait(3)
    # As long as a pod runs, what it may need stays.
    listed = (await users.api.list(CONFIGMAPS, "doomed")).items
    assert "deletionTimestamp" not in listed[0]["metadata"]
    assert await namespace_conditions(users, "doomed") == {}

    await users.api.delete(PODS, "p", "doomed", grace_period_seconds=0)
    await users.wait(3)
    assert await namespace_conditions(users, "doomed") == {
        "NamespaceContentRemaining": "Some resources are remaining: "
        "configmaps. has 1 resource instances",
        "NamespaceFinalizersRemaining": "Some content in the namespace has finalizers "
        f"remaining: {HOLD} in 1 resource instances",
    }

    patch = {"metadata": {"finalizers": None}}
    await users.api.patch(CONFIGMAPS, "held", "doomed", patch=patch)
    await users.wait(5)
    with pytest.raises(NotFoundError):
        await users.api.get(NAMESPACES, "doomed")


# Pods that no kubelet will end


@controllers_test
async def test_a_deleted_pod_without_a_node_is_ended(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    await users.submit(bare_pod("p", finalizers=[HOLD]))
    await users.api.delete(PODS, "p", NS)

    await users.wait(15)

    (pod,) = await users.pods()
    assert pod["status"]["phase"] == "Failed"


@controllers_test
async def test_pods_of_a_node_that_is_gone_for_good_are_removed(
    cluster: ControlledCluster,
) -> None:
    users = await begin(cluster)
    await users.make_node("n1")
    await users.submit(bare_pod("p", node="n1", finalizers=[HOLD]))
    await users.api.delete(NODES, "n1")

    await users.wait(35)
    (pod,) = await users.pods()
    assert "deletionTimestamp" not in pod["metadata"]

    await users.wait(10)
    (pod,) = await users.pods()
    assert pod["metadata"]["deletionTimestamp"]
    assert pod["status"]["phase"] == "Failed"
    (condition,) = [c for c in pod["status"]["conditions"] if c["type"] == "DisruptionTarget"]
    assert (condition["reason"], condition["message"]) == (
        "DeletionByPodGC",
        "PodGC: node no longer exists",
    )


@controllers_test
async def test_pods_of_a_node_that_comes_back_stay(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    await users.make_node("n1")
    await users.submit(bare_pod("p", node="n1"))
    await users.api.delete(NODES, "n1")
    await users.wait(20)
    await users.make_node("n1")

    await users.wait(60)

    assert len(await users.pods()) == 1


@controllers_test
async def test_of_too_many_ended_pods_the_oldest_go(cluster: ControlledCluster) -> None:
    users = Users(cluster)
    client = cluster.client
    pods: Informer[JsonObject] = Informer(client, PODS, clock=cluster.clock)
    nodes: Informer[JsonObject] = Informer(client, NODES, clock=cluster.clock)
    collector = PodGarbageCollector(
        client,
        pods=pods,
        nodes=nodes,
        queue=WorkQueue(cluster.clock, NO_CHANCE),
        clock=cluster.clock,
        most_ended=2,
    )
    runs = (pods.run(), nodes.run(), collector.run())
    tasks = {asyncio.create_task(run) for run in runs}
    for name in ("first", "second", "third", "fourth"):
        pod = await users.submit(bare_pod(name))
        await users.end(pod, "Succeeded")
        await users.wait(1)
    await users.submit(bare_pod("active"))
    await users.wait(15)

    assert sorted(pod["metadata"]["name"] for pod in await users.pods()) == [
        "active",
        "fourth",
        "third",
    ]
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
