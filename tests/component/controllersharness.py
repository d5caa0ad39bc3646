"""An API server and the controllers in this process, in virtual time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import Any

from kubegang.app.controllers.running import Controllers, chosen_controllers
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.interface import Transport
from kubegang.client.testing import RecordingClient
from tests.component.apiharness import START, Api

WITHOUT_HEARTBEATS = chosen_controllers("*", simulated_nodes=False)
"""Every controller but the one that looks after nodes: here they send no heartbeats."""


class ControlledCluster:
    """An API server, an administrator's client, and controllers that a test starts and ends.

    Attributes:
        user: the API as the administrator.
        client: what the controllers use unless a test says otherwise; records what they send.
    """

    def __init__(self, api: Api) -> None:
        self.clock = VirtualClock(START)
        self.user = ApiClient(self._transport(api, "admin"), user_agent="kubectl")
        self._api = api
        self.client = RecordingClient(self.transport())
        self._running: asyncio.Task[None] | None = None
        self._starts = 0

    def transport(self) -> Transport:
        """Return a way to the API as the controllers."""
        return self._transport(self._api, "system:kube-controller-manager")

    async def start(
        self, client: ApiClient | None = None, *, chosen: frozenset[str] = WITHOUT_HEARTBEATS
    ) -> None:
        """Start the controllers and wait until they have seen the cluster."""
        self._starts += 1
        controllers = Controllers(
            client or self.client,
            profile_named("1.37"),
            chosen=chosen,
            clock=self.clock,
            # Another one each time, or names with chance in them would come again.
            rng=random.Random(self._starts),
        )
        ready = asyncio.Event()
        self._running = asyncio.create_task(controllers.run(ready=ready.set))
        await ready.wait()

    async def kill(self) -> None:
        """End the controllers as a kill would: nothing that was begun is finished.

        Controllers that ended before by themselves have broken down: that is raised.
        """
        running, self._running = self._running, None
        if running is None:
            return
        if running.done():
            running.result()
        running.cancel()
        await asyncio.wait({running})

    async def wait(self, seconds: float) -> None:
        """Let virtual time pass."""
        await self.clock.sleep(seconds)

    def _transport(self, api: Api, user: str) -> AsgiTransport:
        return AsgiTransport(api.app, user=user, groups=("system:masters",))


Scenario = Callable[[ControlledCluster], Coroutine[Any, Any, None]]


def run_scenario(scenario: Scenario) -> None:
    """Play a scenario on a fresh cluster, in virtual time."""

    async def main() -> None:
        cluster = ControlledCluster(await Api.start())
        try:
            await scenario(cluster)
        finally:
            await cluster.kill()

    run_virtual(main())


def controllers_test(scenario: Scenario) -> Callable[[], None]:
    """Make a scenario a test."""

    def test() -> None:
        run_scenario(scenario)

    test.__name__ = scenario.__name__
    test.__doc__ = scenario.__doc__
    return test
