"""The scheduler put together: the same one for the embedded cluster and for any other."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence

import msgspec
from prometheus_client import CollectorRegistry

from kubegang.api.config.plugins import configured_profiles
from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.api.profile import SchedulerProfile, VersionProfile
from kubegang.app.errors import BadInputError
from kubegang.app.thirdparty import plugins_for
from kubegang.base.clock import Clock
from kubegang.client.interface import Client
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.frameworks import PluginArgs, build_frameworks
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.scheduler import Scheduler, SchedulerSettings

UPSTREAM_NAME = "default-scheduler"


def profiles_of(
    version: VersionProfile, config: KubeSchedulerConfiguration, *, configured: bool
) -> tuple[SchedulerProfile, ...]:
    """Return the scheduler profiles to serve.

    Args:
        version: the release.
        config: the scheduler configuration.
        configured: whether the user gave one; it then says which names are served.
    """
    if not configured:
        return version.schedulers
    base = {profile.scheduler_name: profile for profile in version.schedulers}
    chosen = configured_profiles(config, version.schedulers)
    # One queue has one order, so the profile that is always there takes the configured one.
    sorting = {k: v for k, v in chosen[0].points.items() if k == "queueSort"}
    own = [
        msgspec.structs.replace(profile, points=sorting)
        for name, profile in base.items()
        if name != UPSTREAM_NAME and all(name != c.scheduler_name for c in chosen)
    ]
    return (*chosen, *own)


def named_profiles(version: VersionProfile, names: Sequence[str]) -> tuple[SchedulerProfile, ...]:
    """Return one profile per scheduler name; a name of neither profile is served as upstream's."""
    base = {profile.scheduler_name: profile for profile in version.schedulers}
    return tuple(
        base.get(name) or msgspec.structs.replace(base[UPSTREAM_NAME], scheduler_name=name)
        for name in names
    )


def build_scheduler(
    client: Client,
    profiles: Sequence[SchedulerProfile],
    config: KubeSchedulerConfiguration,
    *,
    clock: Clock,
    rng: random.Random,
    registry: CollectorRegistry | None = None,
) -> Scheduler:
    """Put a scheduler together.

    Raises:
        BadInputError: the configuration names plugins or arguments that do not exist.
    """
    try:
        return Scheduler(
            client,
            profiles,
            clock=clock,
            rng=rng,
            registry=registry or CollectorRegistry(),
            settings=_settings(config),
        )
    except PluginConfigError as error:
        raise BadInputError(str(error)) from error


async def run_scheduler(scheduler: Scheduler, *, ready: Callable[[], None]) -> None:
    """Schedule until cancelled; what was begun is finished first. Call ``ready`` when synced."""
    running = asyncio.create_task(scheduler.run())
    syncing = asyncio.create_task(scheduler.wait_synced())
    try:
        await asyncio.wait({running, syncing}, return_when=asyncio.FIRST_COMPLETED)
        if syncing.done() and not running.done():
            ready()
        await asyncio.shield(running)
    finally:
        syncing.cancel()
        scheduler.stop()
        await running


def plugin_arguments(config: KubeSchedulerConfiguration) -> Mapping[str, PluginArgs]:
    """Return the arguments of every profile's plugins."""
    return {profile.name: profile.arguments for profile in config.profiles}


def check_profiles(version: VersionProfile, config: KubeSchedulerConfiguration) -> None:
    """Refuse a configuration whose profiles make no scheduler.

    Raises:
        BadInputError: they do not; the text is upstream's.
    """
    try:
        profiles, settings = configured_profiles(config, version.schedulers), _settings(config)
        build_frameworks(profiles, args=settings.plugin_args, plugins=settings.plugins)
    except PluginConfigError as error:
        raise BadInputError(str(error)) from error


def _settings(config: KubeSchedulerConfiguration) -> SchedulerSettings:
    return SchedulerSettings(
        backoff=BackoffPolicy(
            initial_seconds=float(config.pod_initial_backoff_seconds),
            max_seconds=float(config.pod_max_backoff_seconds),
        ),
        plugin_args=plugin_arguments(config),
        plugins=plugins_for(config),
    )
