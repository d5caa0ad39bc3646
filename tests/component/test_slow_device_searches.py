"""A search for devices may take so long, and no longer; texts as measured per release."""

from __future__ import annotations

import pytest

from kubegang.client.resources import CORE_EVENTS
from tests.component.deviceobjects import (
    add_devices,
    claim,
    claims,
    device_class,
    published,
)
from tests.component.schedulerharness import NS, Cluster, run_scenario

PROFILE = "default-scheduler"
TIMED_OUT = "timed out trying to allocate devices"
ENDS = ("SchedulerError", f'running "DynamicResources" filter plugin: node n1: {TIMED_OUT}')
REFUSES = (
    "Unschedulable",
    f"0/1 nodes are available: 1 {TIMED_OUT}. still not schedulable, preemption: "
    "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
)


async def ask_for_a_device(cluster: Cluster, **args: str) -> None:
    await cluster.add_nodes("n1")
    await add_devices(cluster, device_class("gpu"), published("n1", "d0"), claim("c"))
    await cluster.start(
        cluster.scheduler(plugin_args={PROFILE: {"DynamicResources": dict(args)}}, names=(PROFILE,))
    )
    await cluster.add_pods("p", schedulerName=PROFILE, resourceClaims=claims(mine="c"))


@pytest.mark.parametrize(
    ("release", "said"), [("1.37", ENDS), ("1.36", ENDS), ("1.35", REFUSES)], ids=str
)
def test_a_search_that_takes_too_long_is_told_as_the_release_does(
    release: str, said: tuple[str, str]
) -> None:
    async def scenario(cluster: Cluster) -> None:
        await ask_for_a_device(cluster, filterTimeout="1ns")
        await cluster.wait(2)
        condition = await cluster.condition("p")
        assert (condition["reason"], condition["message"]) == said
        events = (await cluster.user.list(CORE_EVENTS, NS)).items
        assert said[1] in [event["message"] for event in events]

    run_scenario(scenario, version=release)


@pytest.mark.parametrize("timeout", ["0s", "10s"])
def test_a_search_without_a_limit_or_within_it_finds_the_device(timeout: str) -> None:
    async def scenario(cluster: Cluster) -> None:
        await ask_for_a_device(cluster, filterTimeout=timeout)
        await cluster.wait_for(["p"], at_most=2)

    run_scenario(scenario)


def test_without_the_gate_a_search_takes_as_long_as_it_takes() -> None:
    async def scenario(cluster: Cluster) -> None:
        await ask_for_a_device(cluster, filterTimeout="1ns")
        await cluster.wait_for(["p"], at_most=2)

    run_scenario(scenario, gates="DRASchedulerFilterTimeout=false")
