"""Gangs in trouble, in every release: lost nodes, refused writes, two schedulers, kills.

Whatever happens, no pod is bound twice, no node gets more than it has, and once all is well
again the gang starts.
"""

from __future__ import annotations

import asyncio

import pytest

from kubegang.apimachinery.errors import ApiError, ConflictError, InternalError
from kubegang.client.interface import UnreachableError
from kubegang.client.resources import NODES, PODS
from kubegang.scheduler.scheduler import Scheduler
from tests.component.schedulerharness import (
    NS,
    RELEASES,
    Cluster,
    in_every_release,
    run_scenario,
)

MEMBERS = ["a", "b", "c", "d"]

FAILURES = [
    pytest.param(InternalError("disk full"), id="500"),
    pytest.param(ConflictError("try again"), id="409"),
    pytest.param(UnreachableError("timed out"), id="unreachable"),
]


async def check(cluster: Cluster, scheduler: Scheduler) -> None:
    """Check what must hold whatever has happened; pods ask for one CPU each."""
    nodes = (await cluster.user.list(NODES)).items
    placed = list((await cluster.placements()).values())
    for node in nodes:
        name, room = node["metadata"]["name"], int(node["status"]["allocatable"]["cpu"])
        assert placed.count(name) <= room, f"{name} has {placed.count(name)} of {room}"
    scheduler.cache.validate()
    scheduler.queue.validate()


@in_every_release
async def test_a_node_that_goes_before_its_binding_loses_nobody(cluster: Cluster) -> None:
    """The decision is made, the binding is on its way, and then the node is gone."""
    await cluster.add_nodes("n0", "n1", "n2", "n3")
    scheduler = await cluster.start()
    cluster.client.fail(UnreachableError("timed out"), method="POST", path="/binding", times=4)
    cluster.client.fail(UnreachableError("timed out"), method="GET", path="/pods/", times=4)
    await cluster.add_group("g", 4)
    await cluster.add_pods(*MEMBERS, group="g")
    await cluster.wait(0.5)
    await cluster.user.delete(NODES, "n3")
    await cluster.wait(5)
    assert "n3" not in set((await cluster.placements()).values())
    await cluster.add_nodes("n4")
    await cluster.wait_for(MEMBERS, at_most=320)
    assert sorted((await cluster.placements()).values()) == ["n0", "n1", "n2", "n4"]
    await check(cluster, scheduler)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("error", FAILURES)
def test_a_status_that_cannot_be_written_is_written_at_the_next_attempt(
    error: ApiError | UnreachableError, release: str
) -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n0", "n1", "n2")
        scheduler = await cluster.start()
        cluster.client.fail(error, method="PATCH", path="/status", times=3)
        await cluster.add_group("g", 4)
        await cluster.add_pods(*MEMBERS, group="g")
        await cluster.wait(5)
        await cluster.add_nodes("n3", cpu=0)
        await cluster.wait(5)
        told = [await cluster.condition(name) for name in MEMBERS]
        assert any(condition.get("reason") == "Unschedulable" for condition in told)
        await cluster.add_nodes("n4")
        await cluster.wait_for(MEMBERS, at_most=1)
        await check(cluster, scheduler)

    run_scenario(scenario, version=release)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("error", FAILURES)
def test_a_victim_that_cannot_be_deleted_is_deleted_later(
    error: ApiError | UnreachableError, release: str
) -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_priority_class("high", 100)
        await cluster.add_nodes("n0", cpu=1)
        scheduler = await cluster.start()
        await cluster.add_pods("weak", terminationGracePeriodSeconds=0)
        await cluster.wait_for(["weak"], at_most=1)
        cluster.client.fail(error, method="DELETE", path="/pods/weak", times=2)
        await cluster.add_pods("strong", priorityClassName="high")
        await cluster.wait_for(["strong"], at_most=10)
        assert set(await cluster.placements()) == {"strong"}
        await check(cluster, scheduler)

    run_scenario(scenario, version=release)


@in_every_release
async def test_several_refused_members_are_all_bound_in_the_end(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", "n1", "n2", "n3")
    scheduler = await cluster.start()
    cluster.client.fail(InternalError("disk full"), method="POST", path="/binding", times=3)
    cluster.client.fail(ConflictError("try again"), method="POST", path="/binding", times=2)
    await cluster.add_group("g", 4)
    await cluster.add_pods(*MEMBERS, group="g")
    await cluster.wait_for(MEMBERS, at_most=20)
    await cluster.wait(1)
    assert scheduler.cache.assumed_count == 0
    await check(cluster, scheduler)


@in_every_release
async def test_lists_that_start_anew_change_nothing(cluster: Cluster) -> None:
    """Every watch is lost for good while a gang is being placed."""
    await cluster.add_nodes("n0", "n1", "n2")
    scheduler = await cluster.start()
    await cluster.add_group("g", 4)
    await cluster.add_pods("a", "b", group="g")
    for path in ("/pods", "/nodes", "/podgroups", "/workloads"):
        cluster.client.fail(InternalError("gone"), method="GET", path=path, after_lines=1, times=2)
    await cluster.add_pods("c", "d", group="g")
    await cluster.wait(30)
    assert await cluster.placements() == {}
    await cluster.add_nodes("n3")
    await cluster.wait_for(MEMBERS, at_most=2)
    await check(cluster, scheduler)


@in_every_release
async def test_a_stand_by_finishes_the_gang_of_one_that_died(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", "n1", "n2", "n3")
    leader = cluster.client
    leads = asyncio.Event()
    other = cluster.new_client()
    stand_by = cluster.scheduler(client=other)
    watching = asyncio.create_task(stand_by.run(active=leads))
    await cluster.start(cluster.scheduler(client=leader))
    cluster.client.fail(UnreachableError("timed out"), method="POST", path="pods/c/binding")
    cluster.client.fail(UnreachableError("timed out"), method="GET", path="pods/c", times=99)
    await cluster.add_group("g", 4)
    await cluster.add_pods(*MEMBERS, group="g")
    await cluster.wait(0.5)
    await cluster.kill()
    assert len(await cluster.placements()) == 3
    leads.set()
    await cluster.wait_for(MEMBERS, at_most=1)
    assert len(other.sent(method="POST", path="/binding")) == 1
    await check(cluster, stand_by)
    stand_by.stop()
    await watching


@in_every_release
async def test_two_that_both_believe_to_lead_bind_nobody_twice(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", "n1", cpu=4)
    clients = [cluster.new_client(), cluster.new_client()]
    schedulers = [await cluster.start(cluster.scheduler(client=client)) for client in clients]
    await cluster.add_group("g", 4)
    await cluster.add_pods(*MEMBERS, group="g")
    await cluster.wait_for(MEMBERS, at_most=15)
    before = await cluster.placements()
    await cluster.wait(400)
    assert await cluster.placements() == before
    for scheduler in schedulers:
        assert scheduler.cache.assumed_count == 0
        assert not scheduler.queue.contents.entries()
        await check(cluster, scheduler)
    assert len(await cluster.events("Scheduled")) == 4


@in_every_release
async def test_a_member_that_somebody_else_binds_meanwhile_counts(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", "n1", "n2")
    scheduler = await cluster.start()
    await cluster.add_group("g", 4)
    await cluster.add_pods(*MEMBERS, group="g")
    await cluster.wait(2)
    await cluster.add_nodes("far", cpu=1)
    binding = {"metadata": {"name": "d"}, "target": {"kind": "Node", "name": "far"}}
    if "d" not in await cluster.placements():
        await cluster.user.create(PODS, binding, NS, subresource="binding", name="d")
    await cluster.wait_for(MEMBERS, at_most=15)
    await cluster.wait(1)
    assert scheduler.cache.assumed_count == 0
    assert not scheduler.queue.contents.entries()
    await check(cluster, scheduler)


@in_every_release
async def test_a_gang_that_loses_a_bound_member_waits_for_another(cluster: Cluster) -> None:
    """The replacement of a member that ran is placed, although the others run already."""
    await cluster.add_nodes("n0", "n1", "n2", "n3")
    scheduler = await cluster.start()
    await cluster.add_group("g", 4)
    await cluster.add_pods(*MEMBERS, group="g")
    await cluster.wait_for(MEMBERS, at_most=1)
    await cluster.delete_pod("b")
    await cluster.add_pods("e", group="g")
    await cluster.wait_for(["e"], at_most=2)
    await check(cluster, scheduler)


def test_members_that_wait_on_permit_survive_lost_watches_and_refused_bindings() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n0", "n1", "n2")
        scheduler = await cluster.start()
        await cluster.add_group("g", 4)
        await cluster.add_pods(*MEMBERS, group="g")
        await cluster.wait(1)
        assert scheduler.cache.assumed_count == 3, "three wait for the fourth"
        cluster.client.fail(
            InternalError("gone"), method="GET", path="/pods", after_lines=1, times=2
        )
        cluster.client.fail(InternalError("disk full"), method="POST", path="/binding", times=2)
        await cluster.add_pods("alone", cpu="9")
        await cluster.wait(10)
        assert scheduler.cache.assumed_count == 3, "a new list does not end their wait"
        await cluster.add_nodes("n3")
        await cluster.wait_for(MEMBERS, at_most=15)
        await check(cluster, scheduler)

    run_scenario(scenario, version="1.35")


def test_a_waiting_member_that_somebody_else_binds_is_let_go() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n0", "n1")
        scheduler = await cluster.start()
        await cluster.add_group("g", 3)
        await cluster.add_pods("a", "b", "c", group="g")
        await cluster.wait(1)
        assert scheduler.cache.assumed_count == 2
        await cluster.add_nodes("far")
        await cluster.wait(0.5)
        placed = await cluster.placements()
        if "a" not in placed:
            binding = {"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "far"}}
            await cluster.user.create(PODS, binding, NS, subresource="binding", name="a")
        await cluster.wait_for(["a", "b", "c"], at_most=10)
        assert scheduler.cache.assumed_count == 0
        await check(cluster, scheduler)

    run_scenario(scenario, version="1.35")


def test_a_workload_that_goes_while_its_members_wait_lets_them_end_their_wait() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n0", "n1")
        scheduler = await cluster.start()
        await cluster.add_group("g", 3)
        await cluster.add_pods("a", "b", "c", group="g")
        await cluster.wait(1)
        await cluster.delete_group("g")
        await cluster.wait(400)
        assert scheduler.cache.assumed_count == 0, "nobody waits longer than five minutes"
        assert await cluster.placements() == {}
        await cluster.add_group("g", 2)
        await cluster.wait(15)
        assert len(await cluster.placements()) == 2
        await check(cluster, scheduler)

    run_scenario(scenario, version="1.35")
