"""From what scheduler profiles name to the plugins that run, sorted by what they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.plugins.registry import PLUGINS, PluginFactory, build_plugins
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.points import Points

PluginArgs = Mapping[str, Mapping[str, Any]]
"""``pluginConfig`` arguments by plugin."""


def build_frameworks(
    profiles: Sequence[SchedulerProfile],
    *,
    args: Mapping[str, PluginArgs],
    plugins: Mapping[str, PluginFactory],
) -> dict[str, Framework]:
    """Return the plugins of every profile, by the profile's name.

    Args:
        profiles: name the plugins.
        args: per schedulerName the arguments of its plugins.
        plugins: what may be named.

    Raises:
        PluginConfigError: some cannot be built, or profiles sort the queue differently; the
            texts are kube-scheduler's (measured on 1.37.2).
    """
    frameworks: dict[str, Framework] = {}
    for profile in profiles:
        name = profile.scheduler_name
        try:
            frameworks[name] = build_framework(profile, args.get(name, {}), plugins=plugins)
            frameworks[name].check_complete(name)
        except PluginConfigError as error:
            raise PluginConfigError(
                f"initializing profiles: creating profile for scheduler name {name}: {error}"
            ) from error
    _require_one_order(frameworks)
    return frameworks


def _require_one_order(frameworks: Mapping[str, Framework]) -> None:
    """Refuse profiles that disagree about the order of the one queue that they share."""
    sorters = {name: fw.queue_sort_plugin.NAME for name, fw in frameworks.items()}
    first = next(iter(sorters.values()), "")
    for name, sorter in sorters.items():
        if sorter != first:
            raise PluginConfigError(
                f'initializing profiles: different queue sort plugins for profile "{name}": '
                f'"{sorter}", first: "{first}"'
            )


def build_framework(
    profile: SchedulerProfile,
    args: PluginArgs,
    *,
    plugins: Mapping[str, PluginFactory] = PLUGINS,
) -> Framework:
    """Return a profile's plugins, sorted by what they do.

    Args:
        profile: names the plugins.
        args: their arguments.
        plugins: what may be named.

    Raises:
        PluginConfigError: a plugin is unknown, or its arguments cannot be used.
    """
    everywhere = profile.plugins
    named = (*everywhere, *(p for changes in profile.points.values() for p in changes.enabled))
    names = [name for name in dict.fromkeys(plugin.name for plugin in named) if name in plugins]
    built = build_plugins(
        names, gates=profile.gates, args=args, plugins=plugins, rules=profile.rules
    )
    return Framework(
        built,
        weights={},
        points=Points(built, everywhere=everywhere, changes=profile.points),
        scheduler_name=profile.scheduler_name,
    )
