"""The scheduler put together: the same one for the embedded cluster and for any other."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence

import msgspec
from prometheus_client import CollectorRegistry

from kubegang.api.config import KubeSchedulerConfiguration
from kubegang.api.config_plugins import configured_profiles
from kubegang.api.profile import SchedulerProfile, VersionProfile
from kubegang.app.errors import BadInputError
from kubegang.base.clock import Clock
from kubegang.client.interface import Client
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.plugins.registry import PLUGINS
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.scheduler import PluginArgs, Scheduler, SchedulerSettings

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
        return tuple(_with_known_plugins(profile) for profile in version.schedulers)
    base = {profile.scheduler_name: profile for profile in version.schedulers}
    chosen = configured_profiles(config, base[UPSTREAM_NAME])
    own = [
        profile
        for name, profile in base.items()
        if name != UPSTREAM_NAME and all(name != c.scheduler_name for c in chosen)
    ]
    return tuple(_with_known_plugins(profile) for profile in (*chosen, *own))


def check_release(version: VersionProfile) -> None:
    """Refuse a release whose group cycle is not built yet.

    Raises:
        BadInputError: it is not; says what can be run of that release.
    """
    if any(profile.group_cycle != "entity" for profile in version.schedulers):
        raise BadInputError(
            f"the scheduler of Kubernetes {version.name} is not there yet, only that of 1.37; "
            f"without it {version.name} runs with --components apiserver,controllers,nodes"
        )


def named_profiles(version: VersionProfile, names: Sequence[str]) -> tuple[SchedulerProfile, ...]:
    """Return one profile per scheduler name; a name of neither profile is served as upstream's."""
    base = {profile.scheduler_name: profile for profile in version.schedulers}
    return tuple(
        _with_known_plugins(
            base.get(name) or msgspec.structs.replace(base[UPSTREAM_NAME], scheduler_name=name)
        )
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
    settings = SchedulerSettings(
        backoff=BackoffPolicy(
            initial_seconds=float(config.pod_initial_backoff_seconds),
            max_seconds=float(config.pod_max_backoff_seconds),
        ),
        plugin_args=_arguments(config),
    )
    try:
        return Scheduler(
            client,
            profiles,
            clock=clock,
            rng=rng,
            registry=registry or CollectorRegistry(),
            settings=settings,
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


def _arguments(config: KubeSchedulerConfiguration) -> Mapping[str, PluginArgs]:
    return {
        profile.scheduler_name: {
            entry.name: entry.args for entry in profile.plugin_config if entry.name in PLUGINS
        }
        for profile in config.profiles
    }


def _with_known_plugins(profile: SchedulerProfile) -> SchedulerProfile:
    """Leave out the default plugins that this program does not have yet.

    docs/reference/plugins.md lists them. A plugin that a configuration adds and that nobody
    has is an error all the same, since only upstream's own names are passed over.
    """
    plugins = tuple(
        plugin
        for plugin in profile.plugins
        if plugin.name in PLUGINS or plugin.name not in PLUGINS_TO_COME
    )
    return msgspec.structs.replace(profile, plugins=plugins)


PLUGINS_TO_COME = frozenset(
    {
        "VolumeRestrictions",
        "NodeVolumeLimits",
        "VolumeBinding",
        "VolumeZone",
        "NodeDeclaredFeatures",
    }
)
"""Upstream's default plugins that have no counterpart here yet."""
