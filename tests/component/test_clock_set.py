"""Somebody sets the clock under a working cluster: an hour back, or a day forward.

Everything that lasts must last as long as it does; only what objects say of the time of day
may jump.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_micro_time, parse_time
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.interface import Client
from kubegang.client.resources import CONFIGMAPS, CORE_EVENTS, JOBS, LEASES, NODES, PODS
from kubegang.nodesim.node_file import default_cluster, nodes_of
from kubegang.store.memory import MemoryStore
from tests.component.apiharness import START, config_map, pod
from tests.component.jobobjects import job

NS = "default"
HOUR = 3600.0
SETTINGS = pytest.mark.parametrize("set_forward", [-HOUR, 24 * HOUR], ids=["back", "forward"])

Story = Callable[["Cluster"], Awaitable[None]]


class Cluster:
    """A whole cluster of two nodes in virtual time, and somebody who always writes to it."""

    def __init__(self) -> None:
        self.clock = VirtualClock(START)
        self._cluster = EmbeddedCluster(
            EmbeddedSettings(
                profile=profile_named("1.37"),
                config=KubeSchedulerConfiguration(),
                initial_nodes=nodes_of(default_cluster(2)),
                heartbeats=True,
            ),
            store=MemoryStore(),
            clock=self.clock,
            rng=random.Random(1),
        )
        self.client: Client = self._cluster.client
        self.revisions: list[int] = []

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._cluster.running():
            writing = asyncio.ensure_future(self._write())
            try:
                yield
            finally:
                writing.cancel()
                await asyncio.gather(writing, return_exceptions=True)

    async def _write(self) -> None:
        await self.client.create(CONFIGMAPS, config_map("load"), NS)
        for number in range(10**6):
            patch = {"data": {"n": str(number)}}
            written = await self.client.patch(CONFIGMAPS, "load", NS, patch=patch)
            self.revisions.append(int(written["metadata"]["resourceVersion"]))
            await self.clock.sleep(2)

    async def seconds_until(self, condition: Callable[[], Awaitable[bool]], most: float) -> float:
        """Return how long it takes until something holds; at most so long."""
        began = self.clock.steady()
        while not await condition():
            assert self.clock.steady() - began < most, "it takes too long"
            await self.clock.sleep(0.5)
        return self.clock.steady() - began


def play(story: Story) -> None:
    async def main() -> None:
        cluster = Cluster()
        async with cluster.running():
            await cluster.clock.sleep(5)
            await story(cluster)
            assert cluster.revisions == sorted(set(cluster.revisions))

    run_virtual(main())


def large(name: str, cpu: str) -> JsonObject:
    obj = pod(name)
    obj["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu}}
    return obj


def on_node(cluster: Cluster, name: str) -> Callable[[], Awaitable[bool]]:
    async def holds() -> bool:
        found = await cluster.client.get(PODS, name, NS)
        return bool(found["spec"].get("nodeName"))

    return holds


@SETTINGS
def test_pods_that_wait_are_tried_again_as_soon_as_ever(set_forward: float) -> None:
    async def story(cluster: Cluster) -> None:
        node = (await cluster.client.list(NODES)).items[0]
        cpu = int(node["status"]["allocatable"]["cpu"])
        await cluster.client.create(PODS, large("first", str(cpu)), NS)
        await cluster.client.create(PODS, large("second", str(cpu)), NS)
        await cluster.clock.sleep(2)
        await cluster.client.create(PODS, large("waits", str(cpu)), NS)
        await cluster.clock.sleep(2)

        cluster.clock.set_forward += set_forward
        await cluster.client.delete(PODS, "first", NS, grace_period_seconds=0)
        assert await cluster.seconds_until(on_node(cluster, "waits"), most=30) < 15
        created = await cluster.client.create(PODS, large("small", "0"), NS)
        assert await cluster.seconds_until(on_node(cluster, "small"), most=30) < 2
        # What objects say is the time of day as it is now.
        told = parse_time(created["metadata"]["creationTimestamp"])
        assert abs(told - cluster.clock.now()) < 5

    play(story)


@SETTINGS
def test_jobs_last_as_long_as_they_do(set_forward: float) -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.client.create(JOBS, annotated(job("before"), "run-duration", "20s"), NS)
        await cluster.clock.sleep(5)
        cluster.clock.set_forward += set_forward
        await cluster.client.create(JOBS, annotated(job("after"), "run-duration", "20s"), NS)

        async def complete() -> bool:
            jobs = (await cluster.client.list(JOBS, NS)).items
            return all((one["status"].get("succeeded") or 0) == 1 for one in jobs)

        assert await cluster.seconds_until(complete, most=120) < 40

    play(story)


@SETTINGS
def test_nodes_stay_ready_and_their_leases_are_renewed(set_forward: float) -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.client.create(PODS, pod("p"), NS)
        await cluster.clock.sleep(30)
        cluster.clock.set_forward += set_forward
        await cluster.clock.sleep(120)
        for node in (await cluster.client.list(NODES)).items:
            ready = [one for one in node["status"]["conditions"] if one["type"] == "Ready"]
            assert [one["status"] for one in ready] == ["True"]
            assert not node["spec"].get("taints")
        leases = (await cluster.client.list(LEASES, "kube-node-lease")).items
        for lease in leases:
            assert abs(parse_micro_time(lease["spec"]["renewTime"]) - cluster.clock.now()) < 30
        assert await on_node(cluster, "p")()
        assert not [
            event
            for event in (await cluster.client.list(CORE_EVENTS)).items
            if event["reason"] in {"NodeNotReady", "TaintManagerEviction"}
        ]

    play(story)


def annotated(obj: JsonObject, name: str, value: str) -> JsonObject:
    template: dict[str, Any] = obj["spec"]["template"].setdefault("metadata", {})
    template.setdefault("annotations", {})[f"kubegang.dev/{name}"] = value
    return obj
