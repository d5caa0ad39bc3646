"""The simulated nodes put together."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence

from kubegang.api.profile import VersionProfile
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.informers import SharedInformers
from kubegang.base.clock import Clock
from kubegang.client.interface import Client
from kubegang.client.resources import NODES, PODS
from kubegang.client.workqueue import WorkQueue
from kubegang.nodesim.simulator import NodeSimulator


class SimulatedNodes:
    """The node simulator with its informers."""

    def __init__(
        self,
        client: Client,
        profile: VersionProfile,
        *,
        initial_nodes: Sequence[JsonObject],
        clock: Clock,
        rng: random.Random,
        heartbeats: bool,
    ) -> None:
        self._informers = SharedInformers(client, clock=clock, rng=rng)
        self.simulator = NodeSimulator(
            client,
            nodes=self._informers.of(NODES),
            pods=self._informers.of(PODS),
            pod_queue=WorkQueue(clock=clock, rng=rng),
            node_queue=WorkQueue(clock=clock, rng=rng),
            clock=clock,
            initial_nodes=initial_nodes,
            kubelet_version=profile.git_version,
            heartbeats=heartbeats,
        )

    async def run(self, *, ready: Callable[[], None]) -> None:
        """Simulate until cancelled; call ``ready`` when the first nodes exist."""
        async with asyncio.TaskGroup() as group:
            for informer in self._informers.all():
                group.create_task(informer.run())
            group.create_task(self.simulator.run())
            await self.simulator.started.wait()
            ready()
