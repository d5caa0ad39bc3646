"""Nodes that fail under the real node-lifecycle and taint-eviction controllers and ours.

Both run with short times. What becomes of nodes and pods, and what is told, must be equal.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from kubegang.app.controllers.informers import SharedInformers
from kubegang.base.clock import RealClock
from kubegang.client.resources import LEASES, NODES, PODS
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.nodelifecycle.controller import NodeLifecycle
from kubegang.controllers.nodelifecycle.podreadiness import PodReadiness
from kubegang.controllers.nodelifecycle.settings import Monitoring
from kubegang.controllers.tainteviction.controller import TaintEviction
from tests.real.nodescenes import NOBODY_LEFT, STORIES
from tests.real.nodestories import WELL, Step, Zone
from tests.real.peer_plane import real_plane
from tests.real.planes import Planes, client_of
from tests.system.upprocess import up

FLAGS = Monitoring(look_seconds=0.5, grace_seconds=4, startup_seconds=6, nodes_per_second=0.5)
HEARTBEAT_SECONDS = 1.0
LOOK_SECONDS = 0.5
PATIENCE_SECONDS = 12.0

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    directory = tmp_path_factory.mktemp("planes")
    environment = {
        "NO_SCHED": "1",
        "ETCD_NOFSYNC": "true",
        "KCM_CONTROLLERS": "node-lifecycle-controller,taint-eviction-controller",
        "KCM_FLAGS": f"--node-monitor-period={FLAGS.look_seconds}s "
        f"--node-monitor-grace-period={FLAGS.grace_seconds}s "
        f"--node-startup-grace-period={FLAGS.startup_seconds}s "
        f"--node-eviction-rate={FLAGS.nodes_per_second}",
    }
    own = directory / "own"
    own.mkdir()
    with (
        real_plane(directory / "real", **environment) as kubeconfig,
        up(own, "--in-memory", "--components=apiserver") as started,
    ):
        yield kubeconfig, started.kubeconfig


@contextlib.asynccontextmanager
async def our_controllers(kubeconfig: Path) -> AsyncIterator[None]:
    """Run both controllers of ours inside the block."""
    client, clock, rng = client_of(kubeconfig), RealClock(), random.Random(0)
    informers = SharedInformers(client, clock=clock, rng=rng)
    nodes, pods = informers.of(NODES), informers.of(PODS)
    teller = EventRecorder(client, component="node-controller", clock=clock)
    evictor = EventRecorder(client, component="taint-eviction-controller", clock=clock)
    lifecycle = NodeLifecycle(
        client,
        nodes=nodes,
        leases=informers.of(LEASES),
        pods=PodReadiness(client, pods=pods, recorder=teller, clock=clock),
        recorder=teller,
        queue=WorkQueue(clock, rng),
        clock=clock,
        monitors=True,
        flags=FLAGS,
    )
    eviction = TaintEviction(
        client, pods=pods, nodes=nodes, recorder=evictor, queue=WorkQueue(clock, rng), clock=clock
    )
    runs = [*(one.run for one in informers.all()), teller.run, evictor.run]
    runs += [lifecycle.run, eviction.run]
    tasks = [asyncio.create_task(run()) for run in runs]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await client.close()


async def test_nodes_that_fail_fare_the_same_with_both_controllers(planes: Planes) -> None:
    real, own = clients = [client_of(path) for path in planes]
    async with our_controllers(planes[1]):
        home = [Zone(client, "home") for client in clients]
        for zone in home:
            await zone.begin()
            await zone.node("n", **WELL)
        zones = {name: [Zone(real, name), Zone(own, name)] for name in STORIES}
        with heartbeats([*home, *(one for pair in zones.values() for one in pair)]):
            told = await asyncio.gather(
                *(compare(zones[name], steps) for name, steps in STORIES.items())
            )
        for client in clients:
            for node in (await client.list(NODES)).items:
                await client.delete(NODES, node["metadata"]["name"])
        last = [Zone(real, "last"), Zone(own, "last")]
        with heartbeats(last):
            told.append(await compare(last, NOBODY_LEFT))
    for client in clients:
        await client.close()
    differences = [one for one in told if one]
    assert not differences, f"{len(differences)} stories differ\n" + "\n\n".join(differences)


@contextlib.contextmanager
def heartbeats(zones: Sequence[Zone]) -> Iterator[None]:
    """Let the nodes of some zones renew their Leases inside the block."""

    async def beat() -> None:
        while True:
            for zone in zones:
                await zone.heartbeat()
            await RealClock().sleep(HEARTBEAT_SECONDS)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()


async def compare(zones: Sequence[Zone], steps: Sequence[Step]) -> str:
    """Play a story in both clusters; return the first difference."""
    clock = RealClock()
    for zone in zones:
        await zone.begin()
    for number, step in enumerate(steps):
        await asyncio.gather(*(step.act(zone) for zone in zones))
        await clock.sleep(step.seconds)
        started = clock.now()
        while difference := await difference_of(zones):
            if clock.now() - started > PATIENCE_SECONDS:
                return f"{zones[0].name}, step {number}, real - and ours +:\n{difference}"
            await clock.sleep(LOOK_SECONDS)
    return ""


async def difference_of(zones: Sequence[Zone]) -> str:
    """Return how the second differs from the first, or an empty text."""
    real, own = [
        msgspec.json.format(msgspec.json.encode(await zone.see()), indent=1).decode().splitlines()
        for zone in zones
    ]
    return "\n".join(difflib.unified_diff(real, own, "real", "ours", lineterm="", n=4))
