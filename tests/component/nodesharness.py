"""Simulated nodes beside an API server in this process, in virtual time."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.nodes import SimulatedNodes
from kubegang.app.profiles.release import with_gates
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.resources import PODS
from kubegang.client.testing import RecordingClient
from kubegang.nodesim.node_file import default_cluster, nodes_of
from tests.component.apiharness import START, Api
from tests.component.jobobjects import NS, bare_pod

PROFILE = profile_named("1.37")


class NodesOnly:
    """An API server, an administrator's client, and simulated nodes."""

    def __init__(self, api: Api) -> None:
        self.clock = VirtualClock(START)
        self.user = ApiClient(self._transport(api, "admin"), user_agent="kubectl")
        self.client = RecordingClient(self._transport(api, "system:node:kubegang"))
        self.simulated: SimulatedNodes | None = None

    @contextlib.asynccontextmanager
    async def nodes(
        self,
        count: int = 1,
        *,
        heartbeats: bool = False,
        kubelet_gates: Mapping[str, bool] | None = None,
    ) -> AsyncIterator[None]:
        """Simulate inside the block; ``kubelet_gates`` differ from those that are usual."""
        on = PROFILE.gates["kubelet"]
        gates = {**PROFILE.gates, "kubelet": on.with_changes(kubelet_gates or {})}
        self.simulated = SimulatedNodes(
            self.client,
            with_gates(PROFILE, gates),
            initial_nodes=nodes_of(default_cluster(count)),
            clock=self.clock,
            rng=random.Random(0),
            heartbeats=heartbeats,
        )
        ready = asyncio.Event()
        task = asyncio.create_task(self.simulated.run(ready=ready.set))
        await ready.wait()
        try:
            yield
        finally:
            if task.done():
                task.result()
            task.cancel()
            await asyncio.wait({task})

    async def add_pod(self, name: str, *, node: str = "node-0", **annotations: str) -> None:
        marks = {f"kubegang.dev/{k.replace('_', '-')}": v for k, v in annotations.items()}
        pod = bare_pod(name, node=node, annotations=marks)
        pod["spec"]["restartPolicy"] = "Never"
        await self.user.create(PODS, pod, NS)

    async def pod(self, name: str) -> JsonObject:
        return await self.user.get(PODS, name, NS)

    async def phase(self, name: str) -> str:
        """Return a pod's phase, or ``gone``."""
        pods = (await self.user.list(PODS, NS)).items
        phases = {pod["metadata"]["name"]: str(pod["status"]["phase"]) for pod in pods}
        return phases.get(name, "gone")

    async def wait(self, seconds: float) -> None:
        await self.clock.sleep(seconds)

    def next_due(self) -> float | None:
        return self.simulated.simulator.next_due() if self.simulated is not None else None

    def _transport(self, api: Api, user: str) -> AsgiTransport:
        return AsgiTransport(api.app, user=user, groups=("system:masters",))


def nodes_test(scenario: Callable[[NodesOnly], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Make a scenario a test."""

    async def main() -> None:
        await scenario(NodesOnly(await Api.start()))

    def test() -> None:
        run_virtual(main())

    test.__name__ = scenario.__name__
    test.__doc__ = scenario.__doc__
    return test
