"""``kubegang scheduler``: the scheduler alone, against any cluster that speaks the API.

It serves only ``schedulerName: kubegang`` unless told otherwise, so it is safe beside
kube-scheduler. With leader election it decides nothing before it holds the Lease, and ends
when it loses it: whoever started it starts it again.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import uvloop
from prometheus_client import CollectorRegistry

from kubegang.api.config.completed import shown_configuration
from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.api.profile import SchedulerProfile, VersionProfile
from kubegang.apiserver.health import Check
from kubegang.app.access import Access
from kubegang.app.configuration import resolve_profile, scheduler_configuration
from kubegang.app.endpoints import Endpoints
from kubegang.app.errors import BadInputError
from kubegang.app.leading import Leadership, lead
from kubegang.app.options import DEFAULT_VERSION, GateFlags, UpOptions
from kubegang.app.reaching import check_reachable, without_unserved_composites
from kubegang.app.scheduler import build_scheduler, named_profiles, profiles_of, run_scheduler
from kubegang.app.secureserving import ServingOptions, secure_serving
from kubegang.app.shownmetrics import ShownMetrics, register_component
from kubegang.base.clock import Clock, RealClock
from kubegang.base.logging import configure_logging, logger
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.interface import Transport
from kubegang.client.kubeconfig import KubeConfigError, load_kubeconfig
from kubegang.client.ratelimit import RateLimitedTransport
from kubegang.scheduler.scheduler import Scheduler

OWN_NAME = "kubegang"
RENEWAL_TOLERANCE_SECONDS = 20.0
"""How long after its expiry an unrenewed Lease of ours makes us unhealthy (upstream's)."""

_log = logger(__name__)


class SchedulerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of ``kubegang scheduler``.

    Attributes:
        kubeconfig: a path; empty looks where kubectl and in-cluster programs look.
        scheduler_names: names to serve; empty for the configuration's or ``kubegang``.
        config: path of a KubeSchedulerConfiguration, or empty.
        leader_elect: whether to wait for the Lease; ``None`` leaves it to the configuration.
        serving: where health, metrics and the configuration are shown.
    """

    kubeconfig: str = ""
    scheduler_names: tuple[str, ...] = ()
    config: str = ""
    kubernetes_version: str = DEFAULT_VERSION
    gates: GateFlags = GateFlags()
    leader_elect: bool | None = None
    serving: ServingOptions = ServingOptions()
    log_level: str = "info"
    log_json: bool = False


class _Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What was made of the flags and files."""

    options: SchedulerOptions
    version: VersionProfile
    config: KubeSchedulerConfiguration
    profiles: tuple[SchedulerProfile, ...]


def run_standalone(options: SchedulerOptions) -> None:
    """Schedule until SIGINT or SIGTERM.

    Raises:
        BadInputError: a flag or a file is wrong.
        ClusterUnreachableError: the cluster cannot be reached, or does not let us in.
        ComponentFailedError: the Lease was lost to another scheduler.
    """
    configure_logging(component="scheduler", json=options.log_json, level=options.log_level)
    version = resolve_profile(
        UpOptions(kubernetes_version=options.kubernetes_version, gates=options.gates)
    )
    config = scheduler_configuration(options.config, version)
    if options.leader_elect is not None:
        # As upstream: this flag wins over the file.
        election = msgspec.structs.replace(
            config.leader_election, leader_elect=options.leader_elect
        )
        config = msgspec.structs.replace(config, leader_election=election)
    parts = _Parts(
        options=options,
        version=version,
        config=config,
        profiles=_profiles(options, version, config),
    )
    uvloop.run(_run(parts, _transport(options, config), RealClock()))


def _profiles(
    options: SchedulerOptions, version: VersionProfile, config: KubeSchedulerConfiguration
) -> tuple[SchedulerProfile, ...]:
    if not options.config:
        return named_profiles(version, options.scheduler_names or (OWN_NAME,))
    every = profiles_of(version, config, configured=True)
    configured = {profile.scheduler_name: profile for profile in every}
    if options.scheduler_names:
        return tuple(
            configured.get(name) or named_profiles(version, (name,))[0]
            for name in options.scheduler_names
        )
    return tuple(configured[profile.name] for profile in config.profiles)


def _transport(options: SchedulerOptions, config: KubeSchedulerConfiguration) -> Transport:
    """Return the way to the cluster; a configuration file also limits the rate of requests."""
    path = options.kubeconfig or config.client_connection.kubeconfig
    try:
        transport = HttpTransport(load_kubeconfig(Path(path) if path else None))
    except KubeConfigError as error:
        raise BadInputError(str(error)) from error
    if not options.config:
        return transport
    connection = config.client_connection
    return RateLimitedTransport(
        transport, qps=connection.qps, burst=connection.burst, clock=RealClock()
    )


async def _run(parts: _Parts, transport: Transport, clock: Clock) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    client = ApiClient(transport, user_agent="kubegang-scheduler")
    try:
        await check_reachable(client)
        profiles = await without_unserved_composites(client, parts.profiles)
        parts = msgspec.structs.replace(parts, profiles=profiles)
        registry = CollectorRegistry()
        scheduler = build_scheduler(
            client,
            parts.profiles,
            parts.config,
            clock=clock,
            rng=random.Random(),
            registry=registry,
        )
        leadership = _leadership(parts, client, clock)
        register_component(registry, parts.version, leadership)
        async with _endpoints(
            parts,
            client,
            clock=clock,
            registry=registry,
            leading=_leading_checks(leadership),
            ready=_ready_checks(scheduler, stop),
        ):
            await _schedule(parts, scheduler, leadership, stop=stop)
    finally:
        await client.close()


def _leadership(parts: _Parts, client: ApiClient, clock: Clock) -> Leadership | None:
    election = parts.config.leader_election
    if not election.leader_elect:
        return None
    name = parts.profiles[0].scheduler_name
    return Leadership(client, election, scheduler_name=name, clock=clock, rng=random.Random())


async def _schedule(
    parts: _Parts, scheduler: Scheduler, leadership: Leadership | None, *, stop: asyncio.Event
) -> None:
    if leadership is not None:
        delay = parts.config.delay_cache_until_active
        await lead(scheduler, leadership, stop, delay_cache=delay)
        return
    running = asyncio.create_task(
        run_scheduler(scheduler, ready=lambda: _log.info("in sync with the cluster"))
    )
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        scheduler.stop()
        await running


@contextlib.asynccontextmanager
async def _endpoints(
    parts: _Parts,
    client: ApiClient,
    *,
    clock: Clock,
    registry: CollectorRegistry,
    leading: dict[str, Check],
    ready: dict[str, Check],
) -> AsyncIterator[None]:
    serving = parts.options.serving
    if serving.port == 0:
        yield
        return
    app = Endpoints(
        access=Access(client, clock=clock, open_paths=serving.open_paths),
        metrics=ShownMetrics(registry, parts.version),
        configuration=shown_configuration(parts.config, parts.version),
        leading=leading,
        ready=ready,
    )
    async with secure_serving(app, serving, now=clock.now()):
        yield


def _leading_checks(leadership: Leadership | None) -> dict[str, Check]:
    if leadership is None:
        return {}
    elector = leadership.elector
    return {"leaderElection": lambda: elector.problem(tolerated_seconds=RENEWAL_TOLERANCE_SECONDS)}


def _ready_checks(scheduler: Scheduler, stop: asyncio.Event) -> dict[str, Check]:
    return {
        "shutdown": lambda: "process is shutting down" if stop.is_set() else "",
        "sched-handler-sync": lambda: (
            "" if scheduler.is_synced else "handlers are not fully synchronized"
        ),
    }
