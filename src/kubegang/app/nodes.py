"""The simulated nodes put together."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from kubegang.api.meta import Form
from kubegang.api.profile import VersionProfile
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import NODES, PODS, RESOURCECLAIMS, RESOURCESLICES
from kubegang.client.workqueue import WorkQueue
from kubegang.nodesim.claimgate import ClaimGate
from kubegang.nodesim.forms import SimulatedClaim, SimulatedNode, SimulatedPod
from kubegang.nodesim.heartbeats import Heartbeats
from kubegang.nodesim.publishing import DevicePublisher
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
        self._claims = informer(RESOURCECLAIMS, SimulatedClaim)
        self._slices: Informer[JsonObject] = Informer(client, RESOURCESLICES, clock=clock, rng=rng)
        self._has_devices = GroupVersion(RESOURCESLICES.group, RESOURCESLICES.version) in (
            profile.served
        )
        self._publisher = DevicePublisher(
            client, nodes=self._nodes, slices=self._slices, queue=WorkQueue(clock=clock, rng=rng)
        )
        gate = ClaimGate(
            client,
            claims=self._claims,
            clock=clock,
            group_claims=profile.gates["kubelet"].enabled_if_known("DRAWorkloadResourceClaims"),
        )
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
            claim_gate=gate if self._has_devices else None,
        )

    async def run(self, *, ready: Callable[[], None]) -> None:
        """Simulate until cancelled; call ``ready`` when the first nodes exist."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._nodes.run())
            group.create_task(self._pods.run())
            if self._has_devices:
                group.create_task(self._claims.run())
                group.create_task(self._slices.run())
                group.create_task(self._publisher.run())
            group.create_task(self.simulator.run())
            await self.simulator.started.wait()
            ready()
