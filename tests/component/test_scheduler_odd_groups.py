"""Groups that are wrong, missing or turned about: their pods wait, and somebody can say why."""

from __future__ import annotations

from typing import Any

from kubegang.client.resources import COMPOSITEPODGROUPS, PODS
from kubegang.scheduler.framework.pods import PodGroupKey
from kubegang.scheduler.scheduler import Scheduler
from tests.component.schedulerharness import (
    NS,
    WORKLOADS_1_35,
    Cluster,
    in_every_release,
    pod,
    run_scenario,
    workload,
)

SOMEWHERE = {"workloadName": "w", "templateName": "t"}
"""What is made of a Workload says so; the scheduler does not look there."""


async def why(cluster: Cluster, scheduler: Scheduler, name: str) -> str:
    """Return what is said of a pending pod, or of the group in which it waits."""
    uid = (await cluster.pod(name))["metadata"]["uid"]
    known = scheduler.cache.pod(uid)
    assert known is not None
    found = scheduler.explain(uid)
    if found is None and known.pod.pod_group is not None:
        found = scheduler.explain(known.pod.pod_group)
    assert found is not None, f"nobody can say why {name} waits"
    return found.message


async def add_composite(
    cluster: Cluster, name: str, *, parent: str = "", minimum: int | None = None
) -> None:
    """Create a composite pod group."""
    policy: dict[str, Any] = {"basic": {}}
    if minimum is not None:
        policy = {"gang": {"minGroupCount": minimum}}
    spec: dict[str, Any] = {"schedulingPolicy": policy, "workloadRef": SOMEWHERE}
    if parent:
        spec["parentCompositePodGroupName"] = parent
    composite = {
        "apiVersion": COMPOSITEPODGROUPS.api_version,
        "kind": COMPOSITEPODGROUPS.kind,
        "metadata": {"name": name},
        "spec": spec,
    }
    await cluster.user.create(COMPOSITEPODGROUPS, composite, NS)


@in_every_release
async def test_pods_of_a_group_that_does_not_exist_wait_for_it(cluster: Cluster) -> None:
    await cluster.add_nodes("n", cpu=4)
    scheduler = await cluster.start()
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait(400)
    assert await cluster.placements() == {}
    assert await why(cluster, scheduler, "a")
    scheduler.queue.validate()
    await cluster.add_group("g", 2)
    await cluster.wait_for(["a", "b"], at_most=1)


@in_every_release
async def test_a_group_that_goes_takes_nothing_along_and_may_come_again(cluster: Cluster) -> None:
    await cluster.add_nodes("n", cpu=4)
    scheduler = await cluster.start()
    await cluster.add_group("g", 3)
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait(1)
    await cluster.delete_group("g")
    await cluster.add_pods("c", group="g")
    await cluster.wait(1)
    assert await cluster.placements() == {}
    scheduler.queue.validate()
    await cluster.add_group("g", 3)
    await cluster.wait_for(["a", "b", "c"], at_most=1)
    scheduler.cache.validate()


@in_every_release
async def test_a_pod_that_comes_again_in_another_group_counts_there(cluster: Cluster) -> None:
    await cluster.add_nodes("n", cpu=4)
    scheduler = await cluster.start()
    await cluster.add_group("left", 2)
    await cluster.add_group("right", 2)
    await cluster.add_pods("a", "b", group="right")
    await cluster.wait_for(["a", "b"], at_most=1)
    await cluster.add_pods("c", group="right", cpu="9")
    await cluster.add_pods("d", group="left")
    await cluster.wait(2)
    await cluster.delete_pod("c")
    await cluster.add_pods("c", group="left")
    await cluster.wait_for(["c", "d"], at_most=2)
    scheduler.queue.validate()
    scheduler.cache.validate()


@in_every_release
async def test_a_pod_that_leaves_a_gang_takes_its_quorum_along(cluster: Cluster) -> None:
    """With one node's room missing, the gang waits; a member goes over to another group."""
    await cluster.add_nodes("n", cpu=2)
    scheduler = await cluster.start()
    await cluster.add_group("left", 3)
    await cluster.add_group("right", None)
    await cluster.add_pods("a", "b", "c", group="left")
    await cluster.wait(3)
    assert await cluster.placements() == {}
    await cluster.delete_pod("a")
    await cluster.add_pods("a", group="right")
    await cluster.wait(400)
    # In 1.35 the members that found a node hold it until their wait is over.
    assert set(await cluster.placements()) == {"a"}
    assert await why(cluster, scheduler, "b")
    scheduler.queue.validate()


def test_an_entry_that_the_workload_does_not_have_holds_its_pods() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n", cpu=2)
        scheduler = await cluster.start()
        await cluster.add_group("w", 2)
        wrong = {"name": "w", "podGroup": "nothing"}
        await cluster.user.create(PODS, pod("a", workloadRef=wrong), NS)
        await cluster.wait(400)
        assert await cluster.placements() == {}
        assert await why(cluster, scheduler, "a")
        await cluster.delete_group("w")
        mended = workload("w", None)
        mended["spec"]["podGroups"][0]["name"] = "nothing"
        await cluster.user.create(WORKLOADS_1_35, mended, NS)
        await cluster.wait_for(["a"], at_most=1)

    run_scenario(scenario, version="1.35")


def test_a_template_that_nobody_has_keeps_no_group_from_starting() -> None:
    """Only who made the group knows templates; the scheduler asks the group alone.

    (In 1.36 the API refuses such a group.)
    """

    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n", cpu=2)
        await cluster.start()
        await cluster.add_group("g", 2, workloadRef=SOMEWHERE)
        await cluster.add_pods("a", "b", group="g")
        await cluster.wait_for(["a", "b"], at_most=1)

    run_scenario(scenario)


def test_a_circle_of_composites_holds_all_below_it_until_it_is_broken() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n", cpu=4)
        scheduler = await cluster.start()
        await add_composite(cluster, "one", parent="two")
        await add_composite(cluster, "two", parent="one")
        await cluster.add_group("g", 2, parentCompositePodGroupName="one", workloadRef=SOMEWHERE)
        await cluster.add_pods("a", "b", group="g")
        await cluster.add_pods("alone")
        await cluster.wait_for(["alone"], at_most=1)
        await cluster.wait(30)
        assert set(await cluster.placements()) == {"alone"}
        found = scheduler.explain(PodGroupKey(NS, "g"))
        assert found is not None
        assert "circle" in found.message
        await cluster.user.delete(COMPOSITEPODGROUPS, "one", NS)
        await add_composite(cluster, "one")
        await cluster.wait_for(["a", "b"], at_most=2)
        scheduler.queue.validate()

    run_scenario(scenario)


def test_a_group_waits_for_a_parent_that_does_not_exist() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n", cpu=4)
        scheduler = await cluster.start()
        await cluster.add_group("g", 2, parentCompositePodGroupName="top", workloadRef=SOMEWHERE)
        await cluster.add_pods("a", "b", group="g")
        await cluster.wait(400)
        assert await cluster.placements() == {}
        found = scheduler.explain(PodGroupKey(NS, "g"))
        assert found is not None
        assert found.message == "waiting for CompositePodGroup top to be created"
        await add_composite(cluster, "top", minimum=1)
        await cluster.wait_for(["a", "b"], at_most=2)

    run_scenario(scenario)
