"""Trees of groups through the real API: one decision, and who is told what."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import COMPOSITEPODGROUPS
from tests.component.schedulerharness import NS, Cluster, run_scenario, scheduler_test

WORKLOAD = {"workloadName": "w", "templateName": "t"}


async def add_composite(
    cluster: Cluster, name: str, minimum: int | None, *, parent: str = "", **spec: Any
) -> None:
    """Create a CompositePodGroup: a gang of groups, or a basic one without a minimum."""
    gang: JsonObject = {"gang": {"minGroupCount": minimum}}
    body: JsonObject = {
        "apiVersion": COMPOSITEPODGROUPS.api_version,
        "kind": "CompositePodGroup",
        "metadata": {"name": name},
        "spec": {
            "workloadRef": WORKLOAD,
            "schedulingPolicy": {"basic": {}} if minimum is None else gang,
            **spec,
        },
    }
    if parent:
        body["spec"]["parentCompositePodGroupName"] = parent
    await cluster.user.create(COMPOSITEPODGROUPS, body, NS)


async def add_child(cluster: Cluster, name: str, minimum: int | None, parent: str) -> None:
    """Create a PodGroup below a composite."""
    await cluster.add_group(name, minimum, parentCompositePodGroupName=parent, workloadRef=WORKLOAD)


async def add_tree(cluster: Cluster, minimum: int, **children: int) -> None:
    """Create a root, and groups below it with their minimum."""
    await add_composite(cluster, "root", minimum)
    for name, least in children.items():
        await add_child(cluster, name, least, "root")


@scheduler_test
async def test_a_tree_starts_when_its_last_child_is_complete(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", cpu=8)
    await cluster.start()
    await add_tree(cluster, 2, a=2, b=2)
    await cluster.add_pods("a0", "a1", group="a")
    await cluster.add_pods("b0", group="b")
    await cluster.wait(2)
    assert await cluster.placements() == {}
    assert await cluster.condition("a0") == {}
    assert await cluster.group_condition("a") == {}
    await cluster.add_pods("b1", group="b")
    await cluster.wait_for(["a0", "a1", "b0", "b1"], at_most=0.1)
    for name in ("a", "b"):
        assert (await cluster.group_condition(name))["status"] == "True"
    composite = await cluster.user.get(COMPOSITEPODGROUPS, "root", NS)
    assert composite["status"] == {}


@scheduler_test
async def test_who_speaks_says_which_level_lacks_what(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", cpu=8)
    await cluster.start()
    await add_tree(cluster, 2, a=1, b=2)
    await cluster.add_pods("a0", group="a", schedulerName="kubegang")
    await cluster.add_pods("b0", group="b", schedulerName="kubegang")
    await cluster.wait(2)
    text = "waiting for 1 more child group to be complete (1 of 2): PodGroup b has 1 of 2 pods"
    for condition in (
        await cluster.condition("a0"),
        await cluster.group_condition("a"),
        await cluster.group_condition("b"),
    ):
        assert (condition["reason"], condition["message"]) == ("Waiting", text)
    (event,) = await cluster.events("Waiting")
    assert event["regarding"]["kind"] == "CompositePodGroup"
    assert event["regarding"]["apiVersion"] == "scheduling.k8s.io/v1alpha3"


@scheduler_test
async def test_victims_are_told_for_which_composite_they_go(cluster: Cluster) -> None:
    await cluster.add_priority_class("high", 100)
    await cluster.add_nodes("n0", cpu=2)
    await cluster.start()
    await cluster.add_pods("v0", "v1", terminationGracePeriodSeconds=0)
    await cluster.wait_for(["v0", "v1"], at_most=0.1)
    await add_composite(cluster, "root", 2, priorityClassName="high")
    for name in ("a", "b"):
        await cluster.add_group(
            name,
            1,
            parentCompositePodGroupName="root",
            workloadRef=WORKLOAD,
            priorityClassName="high",
        )
        await cluster.add_pods(f"{name}0", group=name, priorityClassName="high")
    await cluster.wait_for(["a0", "b0"], at_most=3)
    events = await cluster.events("Preempted")
    uid = (await cluster.user.get(COMPOSITEPODGROUPS, "root", NS))["metadata"]["uid"]
    assert {event["note"] for event in events} == {
        f"Preempted by compositepodgroup {uid} on node cluster"
    }
    assert {event["related"]["kind"] for event in events} == {"CompositePodGroup"}
    told = "preemption_execution_duration_seconds_count"
    assert cluster.metric(told, preemptor="compositepodgroup", result="success") == 1


@scheduler_test
async def test_what_was_left_over_may_preempt_at_once(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", cpu=3)
    await cluster.start()
    await add_tree(cluster, 1, a=2, b=2)
    await cluster.add_pods("b0", "b1", group="b")
    await cluster.add_pods("a0", "a1", group="a")
    await cluster.wait(3.2)
    assert sorted(await cluster.placements()) == ["b0", "b1"]
    assert (await cluster.group_condition("b"))["status"] == "True"
    assert (await cluster.group_condition("a"))["status"] == "False"
    await cluster.add_nodes("n1", cpu=1)
    await cluster.wait_for(["a0", "a1"], at_most=2.1)


@scheduler_test
async def test_a_deleted_root_holds_the_tree_until_it_is_back(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", cpu=1)
    await cluster.start()
    await add_tree(cluster, 1, a=2)
    await cluster.add_pods("a0", "a1", group="a")
    await cluster.wait(0.5)
    await cluster.user.delete(COMPOSITEPODGROUPS, "root", NS)
    await cluster.add_nodes("n1", cpu=1)
    await cluster.wait(5)
    assert await cluster.placements() == {}
    await add_composite(cluster, "root", 1)
    await cluster.wait_for(["a0", "a1"], at_most=1.1)


@scheduler_test
async def test_a_scheduler_that_starts_late_finds_the_tree_in_any_order(cluster: Cluster) -> None:
    await cluster.add_pods("a0", group="a")
    await add_child(cluster, "a", 1, "mid")
    await add_composite(cluster, "mid", 1, parent="root")
    await add_composite(cluster, "root", None)
    await cluster.add_nodes("n0")
    await cluster.start()
    await cluster.wait_for(["a0"], at_most=0.1)


def test_without_the_gate_a_group_stands_for_itself() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n0")
        await cluster.start()
        await add_child(cluster, "a", 1, "nobody")
        await cluster.add_pods("a0", group="a")
        await cluster.wait_for(["a0"], at_most=0.1)

    run_scenario(scenario, gates="CompositePodGroup=false")
