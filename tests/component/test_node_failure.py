"""A simulated node fails and comes back, with every component running."""

from __future__ import annotations

import random

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.configuration import scheduler_configuration
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.interface import Client
from kubegang.client.resources import NODES, PODS
from kubegang.nodesim.node_file import default_cluster, nodes_of
from kubegang.store.memory import MemoryStore
from tests.component.apiharness import START
from tests.component.jobobjects import NS, bare_pod

SILENT = "kubegang.dev/silent"


async def pod(client: Client) -> JsonObject | None:
    try:
        return await client.get(PODS, "p", NS)
    except NotFoundError:
        return None


async def silence(client: Client, node: str, *, value: str | None) -> None:
    await client.patch(NODES, node, patch={"metadata": {"annotations": {SILENT: value}}})


async def ready(client: Client, node: str) -> str:
    conditions = (await client.get(NODES, node))["status"]["conditions"]
    return next(str(one["status"]) for one in conditions if one["type"] == "Ready")


async def scenario(client: Client, clock: VirtualClock) -> None:
    await client.create(PODS, bare_pod("p", node="node-0"), NS)
    await clock.sleep(5)
    found = await pod(client)
    assert found is not None
    assert found["status"]["phase"] == "Running"

    await silence(client, "node-0", value="true")
    await clock.sleep(90)
    assert await ready(client, "node-0") == "Unknown"
    assert await ready(client, "node-1") == "True"
    await clock.sleep(330)
    found = await pod(client)
    assert found is not None, "nobody is there to end it"
    assert found["metadata"]["deletionTimestamp"]
    assert found["status"]["phase"] == "Running"

    await silence(client, "node-0", value=None)
    await clock.sleep(40)
    assert await ready(client, "node-0") == "True"
    assert await pod(client) is None
    assert not (await client.get(NODES, "node-0"))["spec"].get("taints")


def test_a_silent_node_keeps_its_terminating_pods_until_it_is_back() -> None:
    async def main() -> None:
        clock, profile = VirtualClock(START), profile_named("1.37")
        settings = EmbeddedSettings(
            profile=profile,
            config=scheduler_configuration("", profile),
            initial_nodes=nodes_of(default_cluster(2)),
            heartbeats=True,
        )
        cluster = EmbeddedCluster(settings, store=MemoryStore(), clock=clock, rng=random.Random(0))
        async with cluster.running():
            await scenario(cluster.client, clock)

    run_virtual(main())
