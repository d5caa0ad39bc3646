"""The simulated nodes put together."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from kubegang.api.meta import Form
from kubegang.api.profile import VersionProfile
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import NODES, PODS
from kubegang.client.workqueue import WorkQueue
from kubegang.nodesim.forms import SimulatedNode, SimulatedPod
from kubegang.nodesim.heartbeats import Heartbeats
from kubegang.nodesim.simulator import NodeSimulator

F = TypeVar("F", bound=Form)


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
        def informer(resource: Resource, form: type[F]) -> Informer[F]:
            decoder = msgspec.json.Decoder(form)
            return Informer(client, resource, clock=clock, rng=rng, decode_bytes=decoder.decode)

        self._nodes = informer(NODES, SimulatedNode)
        self._pods = informer(PODS, SimulatedPod)
        self.simulator = NodeSimulator(
            client,
            nodes=self._nodes,
            pods=self._pods,
            pod_queue=WorkQueue(clock=clock, rng=rng),
            node_queue=WorkQueue(clock=clock, rng=rng),
            clock=clock,
            initial_nodes=initial_nodes,
            kubelet_version=profile.git_version,
            heartbeats=Heartbeats(client, nodes=self._nodes, clock=clock) if heartbeats else None,
        )

    async def run(self, *, ready: Callable[[], None]) -> None:
        """Simulate until cancelled; call ``ready`` when the first nodes exist."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._nodes.run())
            group.create_task(self._pods.run())
            group.create_task(self.simulator.run())
            await self.simulator.started.wait()
            ready()
