"""Gangs as kube-scheduler 1.35 has them: member by member, waiting for one another on permit.

What is expected here was seen on 1.35.4.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Resource
from kubegang.client.resources import NODES, PODS
from tests.component.schedulerharness import NS, Cluster, Scenario, pod, run_scenario

WORKLOADS = Resource("scheduling.k8s.io", "v1alpha1", "workloads", "Workload")

NO_ROOM = (
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: "
    "0/1 nodes are available: 1 No preemption victims found for incoming pod."
)


def test_on_1_35(scenario: Scenario) -> Callable[[], None]:
    """Make a scenario a test."""
    test = functools.partial(run_scenario, scenario, version="1.35")

    def run() -> None:
        test()

    run.__name__ = scenario.__name__
    return run


test_on_1_35.__test__ = False  # type: ignore[attr-defined]


async def add_workload(cluster: Cluster, name: str, **minimums: int | None) -> None:
    """Create a Workload with a group per keyword: a gang, or a basic one without a minimum."""
    groups: list[JsonObject] = [
        {"name": group, "policy": {"gang": {"minCount": n}} if n else {"basic": {}}}
        for group, n in minimums.items()
    ]
    workload = {
        "apiVersion": WORKLOADS.api_version,
        "kind": WORKLOADS.kind,
        "metadata": {"name": name},
        "spec": {"podGroups": groups},
    }
    await cluster.user.create(WORKLOADS, workload, NS)


async def add_members(
    cluster: Cluster, *names: str, group: str = "w", replica: str = "", **spec: Any
) -> None:
    """Create members of one CPU of the group of the Workload's own name."""
    ref = {"name": group, "podGroup": group}
    if replica:
        ref["podGroupReplicaKey"] = replica
    for name in names:
        await cluster.user.create(PODS, pod(name, workloadRef=ref, **spec), NS)
        # Equals are tried in the order of their coming.
        await cluster.wait(0.01)


async def nominated(cluster: Cluster, name: str) -> str:
    """Return where a pod is expected."""
    return str((await cluster.pod(name))["status"].get("nominatedNodeName", ""))


async def notes(cluster: Cluster, reason: str, name: str) -> list[str]:
    """Return the texts of the events of one reason about one pod."""
    events = await cluster.events(reason)
    return [event["note"] for event in events if event["regarding"]["name"] == name]


@test_on_1_35
async def test_a_gang_that_fits_is_bound_and_its_promises_are_gone(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=4)
    scheduler = await cluster.start()
    await add_workload(cluster, "w", w=3)
    await add_members(cluster, "p1", "p2", "p3")
    await cluster.wait(0.5)

    assert await cluster.placements() == {"p1": "n1", "p2": "n1", "p3": "n1"}
    assert await cluster.condition("p1") == {"status": "True"}
    scheduler.queue.validate()
    scheduler.cache.validate()


@test_on_1_35
async def test_a_gang_that_does_not_fit_keeps_room_and_says_so_only_by_nomination(
    cluster: Cluster,
) -> None:
    await cluster.add_nodes("n1", cpu=2)
    scheduler = await cluster.start()
    await add_workload(cluster, "w", w=3)
    await add_members(cluster, "p1", "p2", "p3")
    await cluster.wait(1)
    await cluster.add_pods("single")
    await cluster.wait(20)

    assert await cluster.placements() == {}
    assert [await cluster.condition(name) for name in ("p1", "p2")] == [{}, {}]
    assert [await nominated(cluster, name) for name in ("p1", "p2", "p3")] == ["n1", "n1", ""]
    for name in ("p3", "single"):
        assert (await cluster.condition(name))["message"] == NO_ROOM
        assert await notes(cluster, "FailedScheduling", name) == [NO_ROOM]
    scheduler.queue.validate()
    scheduler.cache.validate()


@test_on_1_35
async def test_all_wait_until_five_minutes_after_the_first_and_then_try_again(
    cluster: Cluster,
) -> None:
    await cluster.add_nodes("n1", cpu=2)
    scheduler = await cluster.start()
    await add_workload(cluster, "w", w=3)
    await add_members(cluster, "p1", "p2")
    await cluster.wait(100)
    await add_members(cluster, "p3")
    await cluster.wait(299.5)
    assert await cluster.condition("p1") == {}
    await cluster.wait(1)

    timeouts = [
        note
        for name in ("p1", "p2")
        for note in await notes(cluster, "FailedScheduling", name)
        if "timeout" in note
    ]
    assert timeouts == 2 * [
        "0/1 nodes are available: 1 rejected due to timeout after waiting 5m0s at plugin "
        "GangScheduling."
    ]
    # Whoever is first takes the room again, and sends for its siblings.
    waiting = [
        name for name in ("p1", "p2", "p3") if scheduler.cache.is_assumed(await uid(cluster, name))
    ]
    assert len(waiting) == 2
    assert await cluster.placements() == {}
    scheduler.queue.validate()
    scheduler.cache.validate()


async def uid(cluster: Cluster, name: str) -> Any:
    """Return a pod's uid."""
    return (await cluster.pod(name))["metadata"]["uid"]


@test_on_1_35
async def test_room_lets_the_waiting_gang_go_at_once(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=2)
    await cluster.start()
    await add_workload(cluster, "w", w=3)
    await add_members(cluster, "p1", "p2", "p3")
    await cluster.wait(120)
    await cluster.add_nodes("n2")
    await cluster.wait_for(["p1", "p2", "p3"], at_most=0.5)


@test_on_1_35
async def test_a_waiting_member_that_is_deleted_frees_its_room(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=2)
    scheduler = await cluster.start()
    await add_workload(cluster, "w", w=3)
    await add_members(cluster, "p1", "p2", "p3")
    await cluster.wait(10)
    await cluster.delete_pod("p1")
    await cluster.add_pods("single")
    await cluster.wait_for(["single"], at_most=0.5)

    assert scheduler.cache.is_assumed(await uid(cluster, "p2"))
    assert await notes(cluster, "FailedScheduling", "p1") == ["0/1 nodes are available: 1 removed."]
    scheduler.queue.validate()
    scheduler.cache.validate()


@test_on_1_35
async def test_a_waiting_member_is_preempted_without_being_deleted(cluster: Cluster) -> None:
    await cluster.add_priority_class("low", 100)
    await cluster.add_priority_class("high", 1000)
    await cluster.add_nodes("n1", cpu=2)
    scheduler = await cluster.start()
    await add_workload(cluster, "w", w=3)
    await add_members(cluster, "p1", "p2", "p3", priorityClassName="low")
    await cluster.wait(2)
    await cluster.add_pods("strong", priorityClassName="high")
    await cluster.wait_for(["strong"], at_most=2)
    await cluster.wait(5)

    preempted = [
        name
        for name in ("p1", "p2")
        if "0/1 nodes are available: 1 preempted." in await notes(cluster, "FailedScheduling", name)
    ]
    (victim,) = preempted
    (event,) = await cluster.events("Preempted")
    assert event["regarding"]["name"] == victim
    conditions = (await cluster.pod(victim))["status"]["conditions"]
    assert [c["type"] for c in conditions] == ["PodScheduled"]
    assert await cluster.placements() == {"strong": "n1"}
    diagnosis = scheduler.explain(await uid(cluster, victim))
    assert diagnosis is not None
    assert diagnosis.message == "lost its place on node n1: preempted"
    scheduler.queue.validate()
    scheduler.cache.validate()


@test_on_1_35
async def test_a_node_that_goes_sends_its_waiting_pods_back(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=2)
    scheduler = await cluster.start()
    await add_workload(cluster, "w", w=3)
    await add_members(cluster, "p1", "p2", "p3")
    await cluster.wait(5)
    await cluster.user.delete(NODES, "n1")
    await cluster.wait(5)
    await cluster.add_nodes("n2", cpu=4)
    await cluster.wait_for(["p1", "p2", "p3"], at_most=11)

    assert set((await cluster.placements()).values()) == {"n2"}
    scheduler.queue.validate()
    scheduler.cache.validate()


@test_on_1_35
async def test_a_scheduler_that_starts_again_places_the_gang_that_waited(
    cluster: Cluster,
) -> None:
    await cluster.add_nodes("n1", cpu=2)
    await cluster.start()
    await add_workload(cluster, "w", w=3)
    await add_members(cluster, "p1", "p2", "p3")
    await cluster.wait(5)
    await cluster.kill()
    await cluster.add_nodes("n2")
    await cluster.start()
    await cluster.wait_for(["p1", "p2", "p3"], at_most=1)


@test_on_1_35
async def test_replicas_of_a_group_are_gangs_of_their_own(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=8)
    await cluster.start()
    await add_workload(cluster, "w", w=2)
    await add_members(cluster, "a1", replica="a")
    await add_members(cluster, "b1", replica="b")
    await cluster.wait(2)
    assert await cluster.placements() == {}
    await add_members(cluster, "a2", replica="a")
    await cluster.wait_for(["a1", "a2"], at_most=0.5)
    assert (await cluster.placements()).keys() == {"a1", "a2"}


@test_on_1_35
async def test_a_workload_that_comes_late_or_lacks_the_group_holds_its_pods(
    cluster: Cluster,
) -> None:
    await cluster.add_nodes("n1", cpu=8)
    scheduler = await cluster.start()
    await add_members(cluster, "p1", group="w")
    await add_members(cluster, "q1", group="v")
    await cluster.wait(1)

    async def held_by(name: str) -> str:
        waiting = scheduler.queue.contents.explain(
            await uid(cluster, name), now=cluster.clock.now()
        )
        return waiting.upstream_message if waiting else ""

    assert await held_by("p1") == ('waiting for pods\'s workload "w" to appear in scheduling queue')
    await add_workload(cluster, "w", w=None)
    await add_workload(cluster, "v", other=None)
    await cluster.wait_for(["p1"], at_most=0.5)
    # Held pods are looked at again when they have waited for long.
    await cluster.wait(340)
    assert await held_by("q1") == 'pod group "v" doesn\'t exist for a workload "v"'
    assert await cluster.condition("q1") == {}


@test_on_1_35
async def test_members_beyond_the_minimum_follow_one_by_one(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=8)
    await cluster.start()
    await add_workload(cluster, "w", w=2)
    await add_members(cluster, "p1", "p2")
    await cluster.wait_for(["p1", "p2"], at_most=0.5)
    await add_members(cluster, "p3")
    await cluster.wait_for(["p3"], at_most=0.5)


@pytest.mark.parametrize("first_seed", range(0, 30, 10))
def test_interleaved_gangs_never_overfill_a_node_and_nobody_is_lost(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 10):
        run_scenario(
            functools.partial(_interleaved, random.Random(seed)), seed=seed, version="1.35"
        )


async def _interleaved(rng: random.Random, cluster: Cluster) -> None:
    nodes = {f"n{i}": rng.randrange(1, 4) for i in range(3)}
    for name, cpu in nodes.items():
        await cluster.add_nodes(name, cpu=cpu)
    scheduler = await cluster.start()
    sizes = {"w": rng.randrange(2, 5), "v": rng.randrange(2, 5)}
    for name, size in sizes.items():
        await add_workload(cluster, name, **{name: size})
    members = [(name, f"{name}{i}") for name, size in sizes.items() for i in range(size)]
    rng.shuffle(members)
    alive = set()
    for group, name in members:
        await add_members(cluster, name, group=group)
        alive.add(name)
        await cluster.wait(rng.choice((0, 0, 0.01, 1)))
        if rng.random() < 0.15:
            gone = rng.choice(sorted(alive))
            await cluster.delete_pod(gone)
            alive.discard(gone)
        scheduler.queue.validate()
        scheduler.cache.validate()
    await cluster.wait(rng.choice((5, 400)))

    placed = await cluster.placements()
    for node, cpu in nodes.items():
        assert list(placed.values()).count(node) <= cpu
    for group, size in sizes.items():
        bound = [name for name in placed if name.startswith(group)]
        assert not bound or len(bound) >= min(size, sum(n.startswith(group) for n in alive))
    pending = {
        queued.pod.name for entry in scheduler.queue.contents.entries() for queued in entry.pods()
    }
    assert pending | placed.keys() == alive
    scheduler.queue.validate()
    scheduler.cache.validate()


def test_without_the_gate_nobody_asks_for_workloads() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n1", cpu=1)
        await cluster.start()
        await add_members(cluster, "p1")
        await cluster.wait_for(["p1"], at_most=0.5)

    run_scenario(scenario, version="1.35", gates="GenericWorkload=false,GangScheduling=false")
