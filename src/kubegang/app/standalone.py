"""``kubegang scheduler``: the scheduler alone, against any cluster that speaks the API.

It serves only ``schedulerName: kubegang`` unless told otherwise, so it is safe beside
kube-scheduler. With leader election it decides nothing before it holds the Lease, and ends
when it loses it: whoever started it starts it again.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
from pathlib import Path

import msgspec
import uvloop

from kubegang.api.config import KubeSchedulerConfiguration, duration_seconds
from kubegang.api.profile import SchedulerProfile
from kubegang.app.configuration import resolve_profile, scheduler_configuration
from kubegang.app.errors import BadInputError, ComponentFailedError
from kubegang.app.options import DEFAULT_VERSION, GateFlags, UpOptions
from kubegang.app.reaching import check_reachable
from kubegang.app.scheduler import (
    build_scheduler,
    check_release,
    named_profiles,
    profiles_of,
    run_scheduler,
)
from kubegang.base.clock import RealClock
from kubegang.base.logging import configure_logging, logger
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.kubeconfig import KubeConfigError, load_kubeconfig
from kubegang.client.leaderelection import LeaderElector, LeaseSettings
from kubegang.scheduler.scheduler import Scheduler

OWN_NAME = "kubegang"
OWN_LEASE = "kubegang-scheduler"

_log = logger(__name__)


class SchedulerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of ``kubegang scheduler``.

    Attributes:
        kubeconfig: a path; empty looks where kubectl and in-cluster programs look.
        scheduler_names: names to serve; empty for the configuration's or ``kubegang``.
        config: path of a KubeSchedulerConfiguration, or empty.
        leader_elect: whether to wait for the Lease; ``None`` leaves it to the configuration.
    """

    kubeconfig: str = ""
    scheduler_names: tuple[str, ...] = ()
    config: str = ""
    kubernetes_version: str = DEFAULT_VERSION
    gates: GateFlags = GateFlags()
    leader_elect: bool | None = None
    log_level: str = "info"
    log_json: bool = False


def run_standalone(options: SchedulerOptions) -> None:
    """Schedule until SIGINT or SIGTERM.

    Raises:
        BadInputError: a flag or a file is wrong.
        ClusterUnreachableError: the cluster cannot be reached, or does not let us in.
        ComponentFailedError: the Lease was lost to another scheduler.
    """
    configure_logging(component="scheduler", json=options.log_json, level=options.log_level)
    config = scheduler_configuration(options.config)
    profiles = _profiles(options, config)
    try:
        path = options.kubeconfig or config.client_connection.kubeconfig
        kubeconfig = load_kubeconfig(Path(path) if path else None)
    except KubeConfigError as error:
        raise BadInputError(str(error)) from error
    client = ApiClient(HttpTransport(kubeconfig), user_agent="kubegang-scheduler")
    uvloop.run(_run(options, config, profiles, client))


def _profiles(
    options: SchedulerOptions, config: KubeSchedulerConfiguration
) -> tuple[SchedulerProfile, ...]:
    version = resolve_profile(
        UpOptions(kubernetes_version=options.kubernetes_version, gates=options.gates)
    )
    check_release(version)
    if options.scheduler_names:
        return named_profiles(version, options.scheduler_names)
    if options.config:
        chosen = {profile.scheduler_name for profile in config.profiles}
        every = profiles_of(version, config, configured=True)
        return tuple(profile for profile in every if profile.scheduler_name in chosen)
    return named_profiles(version, (OWN_NAME,))


async def _run(
    options: SchedulerOptions,
    config: KubeSchedulerConfiguration,
    profiles: tuple[SchedulerProfile, ...],
    client: ApiClient,
) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    clock = RealClock()
    try:
        await check_reachable(client)
        scheduler = build_scheduler(client, profiles, config, clock=clock, rng=random.Random())
        wanted = options.leader_elect
        if wanted is None:
            wanted = config.leader_election.leader_elect
        if wanted:
            await _lead(scheduler, client, config, stop)
        else:
            await _schedule(scheduler, stop)
    finally:
        await client.close()


async def _schedule(scheduler: Scheduler, stop: asyncio.Event) -> None:
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


async def _lead(
    scheduler: Scheduler,
    client: ApiClient,
    config: KubeSchedulerConfiguration,
    stop: asyncio.Event,
) -> None:
    """Schedule while we hold the Lease; give it back at a clean end.

    Raises:
        ComponentFailedError: the Lease was lost.
    """
    election = config.leader_election
    name = election.resource_name
    elector = LeaderElector(
        client,
        LeaseSettings(
            # The upstream scheduler's Lease is its own: we may run beside it.
            name=OWN_LEASE if name == "kube-scheduler" else name,
            namespace=election.resource_namespace,
            lease_seconds=duration_seconds(election.lease_duration),
            renew_seconds=duration_seconds(election.renew_deadline),
            retry_seconds=duration_seconds(election.retry_period),
        ),
        identity=f"{socket.gethostname()}_{os.getpid()}",
        clock=RealClock(),
        rng=random.Random(),
    )
    stopping = asyncio.create_task(stop.wait())
    leading = asyncio.create_task(elector.run(lambda: _schedule(scheduler, stop)))
    try:
        await asyncio.wait({leading, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if leading.done():
            leading.result()
            if not stop.is_set():
                raise ComponentFailedError("the Lease was lost to another scheduler")
    finally:
        stopping.cancel()
        leading.cancel()
        await asyncio.gather(leading, return_exceptions=True)
