"""An API server and the controllers in this process, in virtual time.

Roles decide there, and each controller works under its own service account: a controller that
writes what its bootstrap role does not allow fails here as it does in a cluster.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any

import msgspec

from kubegang.app.controlleraccounts import account_of
from kubegang.app.controllers.running import Controllers, chosen_controllers
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.interface import Request, Response, Transport
from kubegang.client.testing import RecordingClient
from tests.component.apiharness import START, Api
from tests.component.preparedroles import cluster_with_roles

WITHOUT_HEARTBEATS = chosen_controllers("*", simulated_nodes=False)
"""Every controller but the one that looks after nodes: here they send no heartbeats."""


RELEASE = "1.37"
MANAGER = "system:kube-controller-manager"


class ActingAs:
    """Passes requests on as somebody else, as an administrator may.

    What that user has no right to do is noted in ``refused``.
    """

    def __init__(
        self, inner: Transport, user: str, groups: tuple[str, ...], *, refused: list[str]
    ) -> None:
        self._inner = inner
        self._refused = refused
        self._headers = (
            ("impersonate-user", user),
            *(("impersonate-group", group) for group in groups),
        )

    async def send(self, request: Request) -> Response:
        response = await self._inner.send(self._as_them(request))
        if response.status == 403 and _NO_RIGHT in response.body:
            self._refused.append(response.body.decode())
        return response

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        async with aclosing(self._inner.stream(self._as_them(request))) as lines:
            async for line in lines:
                yield line

    async def close(self) -> None:
        await self._inner.close()

    def _as_them(self, request: Request) -> Request:
        return msgspec.structs.replace(request, headers=(*request.headers, *self._headers))


_NO_RIGHT = b"is forbidden: User "


class ControlledCluster:
    """An API server, an administrator's client, and controllers that a test starts and ends.

    Attributes:
        user: the API as the administrator.
        client: what the controllers send through, unless a test gives them another way to
            the API; records what they send and fails where a test says so.
        profile: the controllers' release; a test may change it before it starts them.
    """

    def __init__(self, api: Api, *, release: str = RELEASE) -> None:
        self.release = release
        self.profile = profile_named(release)
        self.clock = VirtualClock(START)
        self.user = ApiClient(self._transport(api, "admin"), user_agent="kubectl")
        self._api = api
        self.client = RecordingClient(self.transport())
        self._running: asyncio.Task[None] | None = None
        self._refused: list[str] = []
        self._starts = 0

    def transport(self) -> Transport:
        """Return a way to the API as an administrator."""
        return self._transport(self._api, "admin")

    async def start(
        self, transport: Transport | None = None, *, chosen: frozenset[str] = WITHOUT_HEARTBEATS
    ) -> None:
        """Start the controllers and wait until they have seen the cluster.

        They may use another way to the API than ``client``, an administrator's.
        """
        self._starts += 1
        way = transport or self.client.recording
        controllers = Controllers(
            self._client_as(way, MANAGER, ()),
            self.profile,
            client_for=lambda name: self._client_as(way, *account_of(name)),
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

    def check_rights(self) -> None:
        """Check that no controller asked for what its role does not allow."""
        assert self._refused == []

    async def wait(self, seconds: float) -> None:
        """Let virtual time pass."""
        await self.clock.sleep(seconds)

    def _client_as(self, way: Transport, user: str, groups: tuple[str, ...]) -> ApiClient:
        acting = ActingAs(way, user, groups, refused=self._refused)
        return ApiClient(acting, user_agent=MANAGER)

    def _transport(self, api: Api, user: str) -> AsgiTransport:
        return AsgiTransport(api.app, user=user, groups=("system:masters",))


async def start_cluster(release: str = RELEASE) -> ControlledCluster:
    """Return a fresh cluster with its roles, controllers not started."""
    return ControlledCluster(await cluster_with_roles(release), release=release)


Scenario = Callable[[ControlledCluster], Coroutine[Any, Any, None]]


def run_scenario(scenario: Scenario, *, release: str = RELEASE) -> None:
    """Play a scenario on a fresh cluster, in virtual time."""

    async def main() -> None:
        cluster = await start_cluster(release)
        try:
            await scenario(cluster)
            cluster.check_rights()
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
