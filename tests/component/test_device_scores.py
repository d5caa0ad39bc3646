"""Nodes are ranked by the devices behind a resource, where the configuration counts it.

That such devices count was measured on kube-scheduler 1.37.2 and 1.36.3 with the same
configuration; which node wins here follows from upstream's formula.
"""

from __future__ import annotations

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import RESOURCECLAIMS
from tests.component.deviceobjects import (
    DRIVER,
    add_devices,
    claim,
    claims,
    device_class,
    published,
)
from tests.component.schedulerharness import NS, Cluster, run_scenario
from tests.component.test_scheduler_extended_resources import GPU, ask, container, offering

PROFILE = "default-scheduler"


def strategy(type_: str) -> JsonObject:
    resources = [{"name": GPU, "weight": 5}]
    fit = {"scoringStrategy": {"type": type_, "resources": resources}}
    return {PROFILE: {"NodeResourcesFit": fit}}


async def take(cluster: Cluster, pool: str, *devices: str) -> None:
    """Give devices to a claim."""
    await cluster.user.create(RESOURCECLAIMS, claim("other"), NS)
    results = [{"request": "r", "driver": DRIVER, "pool": pool, "device": d} for d in devices]
    allocation = {"devices": {"results": results}, "allocationTimestamp": "2026-11-01T00:00:00Z"}
    status = {"allocation": allocation}
    await cluster.user.patch(
        RESOURCECLAIMS, "other", NS, patch={"status": status}, subresource="status"
    )


@pytest.mark.parametrize("release", ["1.36", "1.37"])
@pytest.mark.parametrize(
    ("type_", "node"), [("MostAllocated", "n1"), ("LeastAllocated", "n2")], ids=str
)
def test_devices_that_are_taken_count_in_scores(release: str, type_: str, node: str) -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n1", "n2")
        await add_devices(
            cluster,
            offering(),
            published("n1", "d0", "d1", "d2"),
            published("n2", "d0", "d1"),
        )
        await take(cluster, "pool-n1", "d0")
        await cluster.start(cluster.scheduler(plugin_args=strategy(type_), names=(PROFILE,)))
        await ask(cluster, "p", container("c", 1), schedulerName=PROFILE)
        await cluster.wait_for(["p"], at_most=3)
        assert await cluster.placements() == {"p": node}

    run_scenario(scenario, version=release)


def test_devices_that_others_take_change_the_scores_of_the_next_pod() -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n1", "n2")
        four, three = ("d0", "d1", "d2", "d3"), ("d0", "d1", "d2")
        await add_devices(cluster, offering(), published("n1", *four), published("n2", *three))
        await cluster.start(
            cluster.scheduler(plugin_args=strategy("LeastAllocated"), names=(PROFILE,))
        )
        await ask(cluster, "p", container("c", 1), schedulerName=PROFILE)
        await cluster.wait_for(["p"], at_most=3)
        await take(cluster, "pool-n2", "d0", "d1")
        await cluster.wait(1)
        await ask(cluster, "q", container("c", 1), schedulerName=PROFILE)
        await cluster.wait_for(["q"], at_most=3)
        assert await cluster.placements() == {"p": "n1", "q": "n1"}

    run_scenario(scenario)


@pytest.mark.parametrize(("release", "placed"), [("1.35", False), ("1.36", True), ("1.37", True)])
def test_1_35_cannot_score_nodes_for_a_pod_with_an_old_and_a_new_claim(
    release: str, placed: bool
) -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.add_nodes("n1", "n2")
        everywhere = published("", "d0", pool="everywhere")
        everywhere["spec"] |= {"allNodes": True, "nodeName": None}
        await add_devices(cluster, device_class("gpu"), everywhere, claim("new"))
        await add_devices(cluster, published("n1", "d0"), published("n2", "d0"))
        await take(cluster, "everywhere", "d0")
        await cluster.start()
        used = claims(old="other", fresh="new")
        await cluster.add_pods("p", resourceClaims=used, schedulerName=PROFILE)
        await cluster.wait(2)
        assert bool(await cluster.placements()) == placed
        if not placed:
            condition = await cluster.condition("p")
            assert (condition["reason"], condition["message"]) == (
                "SchedulerError",
                'running Score plugins: plugin "DynamicResources" failed with: '
                "number of allocations 1 is smaller than number of claims",
            )

    run_scenario(scenario, version=release)
