"""All components in one event loop, over the in-process client.

This is what ``run`` and ``up --single-process`` use, and what component tests stand on. The
components are the same as in processes of their own and meet only through the API.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Mapping, Sequence

import msgspec
from starlette.applications import Starlette

from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.api.profile import VersionProfile
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.bootstrap import bootstrap
from kubegang.apiserver.health import Check
from kubegang.app.apiserver import build_api_server, keep_up
from kubegang.app.clusterkeys import ClusterKeys, load_cluster_keys
from kubegang.app.controlleraccounts import account_of
from kubegang.app.controllers.running import Controllers, chosen_controllers
from kubegang.app.gatemixes import scheduler_waits
from kubegang.app.nodes import SimulatedNodes
from kubegang.app.options import COMPONENTS, ComponentName, UpOptions
from kubegang.app.policy import NODES_USER, ensure_roles
from kubegang.app.scheduler import build_scheduler, profiles_of, run_scheduler
from kubegang.base.clock import Clock
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.nodesim.simulator import NodeSimulator
from kubegang.scheduler.scheduler import Scheduler
from kubegang.store.interface import Store

CONTROLLERS_USER = "system:kube-controller-manager"
ADMIN = ("kubernetes-admin", ("system:masters",))


class EmbeddedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What an embedded cluster is made of.

    Attributes:
        config: the scheduler configuration.
        configured: whether the user gave one.
        initial_nodes: Node objects to make at the start.
        heartbeats: whether nodes renew Leases; pointless where nobody watches them.
        pki_dir: where the authority and the key for tokens lie, if anywhere.
        options: flags that concern components, as of ``up``.
    """

    profile: VersionProfile
    config: KubeSchedulerConfiguration
    configured: bool = False
    initial_nodes: Sequence[JsonObject] = ()
    heartbeats: bool = False
    options: UpOptions = UpOptions()
    pki_dir: str = ""
    components: tuple[ComponentName, ...] = COMPONENTS


class EmbeddedCluster:
    """A running cluster in this event loop.

    Attributes:
        app: the API server's application.
        client: the API as an administrator.
        scheduler: the scheduler, ``None`` if it is not among the components.
        nodes: the node simulator, ``None`` likewise.
    """

    def __init__(
        self,
        settings: EmbeddedSettings,
        *,
        store: Store,
        clock: Clock,
        rng: random.Random,
        ready: Mapping[str, Check] | None = None,
    ) -> None:
        """Put the components together; nothing runs yet.

        Raises:
            BadInputError: flags or the configuration ask for what does not exist.
        """
        self._settings = settings
        self._clock = clock
        self._rng = rng
        self.app: Starlette = build_api_server(
            settings.options,
            settings.profile,
            store=store,
            clock=clock,
            rng=rng,
            ready=ready or {},
            pki_dir=settings.pki_dir,
        )
        self.client = self.client_of(*ADMIN)
        self.scheduler: Scheduler | None = None
        self.nodes: NodeSimulator | None = None
        self._simulated: SimulatedNodes | None = None
        self._controllers: Controllers | None = None
        self._build()

    def client_of(self, user: str, groups: tuple[str, ...] = ()) -> ApiClient:
        """Return the API as some user."""
        return ApiClient(AsgiTransport(self.app, user=user, groups=groups), user_agent=user)

    def _controller_client(self, name: str) -> ApiClient:
        """Return the API as a controller's service account; field managers are the manager's."""
        user, groups = account_of(name)
        transport = AsgiTransport(self.app, user=user, groups=groups)
        return ApiClient(transport, user_agent=CONTROLLERS_USER)

    @contextlib.asynccontextmanager
    async def running(self, *, port: int = 443) -> AsyncIterator[None]:
        """Run everything inside the block; yields when all components do their work."""
        await bootstrap(self.app.state.backend, port=port)
        await ensure_roles(self.app, self._settings.profile)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(keep_up(self.app))]
            events = [asyncio.Event() for _ in range(3)]
            if self._simulated is not None:
                run = self._simulated.run(ready=events[0].set)
                tasks.append(group.create_task(run))
                await events[0].wait()
            if self._controllers is not None:
                run = self._controllers.run(ready=events[1].set)
                tasks.append(group.create_task(run))
                await events[1].wait()
            scheduling = None
            if self.scheduler is not None:
                run = run_scheduler(self.scheduler, ready=events[2].set)
                scheduling = group.create_task(run)
                if scheduler_waits(self._settings.profile):
                    # It is as ready as it will ever be.
                    events[2].set()
                await events[2].wait()
            try:
                yield
            finally:
                if self.scheduler is not None and scheduling is not None:
                    self.scheduler.stop()
                    await asyncio.wait({scheduling})
                for task in tasks:
                    task.cancel()

    def _keys(self) -> ClusterKeys:
        known = load_cluster_keys(self._settings.pki_dir)
        return ClusterKeys(known.certificate, self.app.state.backend.signing_key)

    def _build(self) -> None:
        settings = self._settings
        if "controllers" in settings.components:
            self._controllers = Controllers(
                self.client_of(CONTROLLERS_USER),
                settings.profile,
                chosen=chosen_controllers(
                    settings.options.controllers,
                    simulated_nodes="nodes" in settings.components,
                ),
                heartbeats=settings.heartbeats,
                clock=self._clock,
                rng=self._rng,
                client_for=self._controller_client,
                keys=self._keys(),
            )
        if "nodes" in settings.components:
            self._simulated = SimulatedNodes(
                self.client_of(NODES_USER, ("system:nodes",)),
                settings.profile,
                initial_nodes=settings.initial_nodes,
                clock=self._clock,
                rng=self._rng,
                heartbeats=settings.heartbeats,
            )
            self.nodes = self._simulated.simulator
        if "scheduler" in settings.components:
            profiles = profiles_of(
                settings.profile, settings.config, configured=settings.configured
            )
            self.scheduler = build_scheduler(
                self.client_of("system:kube-scheduler"),
                profiles,
                settings.config,
                clock=self._clock,
                rng=self._rng,
            )
