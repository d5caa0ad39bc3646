"""Scheduler profiles as a KubeSchedulerConfiguration changes them.

The rules of merging are upstream's: of the plugins that run everywhere (``multiPoint``) a
disabled default goes, an enabled one that is there already keeps its place and gets the new
weight, others are appended. What is said about a single extension point stands beside them.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kubegang.api.config.types import (
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    Plugin,
    Plugins,
    PluginSet,
)
from kubegang.api.profile import (
    EXTENSION_POINTS,
    PluginWeight,
    PointChanges,
    SchedulerProfile,
)

_MEMBERS = {field.encode_name: field.name for field in msgspec.structs.fields(Plugins)}


def configured_profiles(
    config: KubeSchedulerConfiguration, bases: Sequence[SchedulerProfile]
) -> tuple[SchedulerProfile, ...]:
    """Return one scheduler profile for each profile of the configuration.

    Args:
        config: the configuration.
        bases: a release's profiles, upstream's first. What a configuration does not speak of
            comes from the one of the same name, or else from the first.
    """
    by_name = {base.scheduler_name: base for base in bases}
    return tuple(
        _configured(profile, config, by_name.get(profile.name, bases[0]))
        for profile in config.profiles
    )


def _configured(
    profile: KubeSchedulerProfile, config: KubeSchedulerConfiguration, base: SchedulerProfile
) -> SchedulerProfile:
    percentage = profile.percentage_of_nodes_to_score
    if percentage is None:
        percentage = config.percentage_of_nodes_to_score
    return msgspec.structs.replace(
        base,
        scheduler_name=profile.name,
        plugins=merged_plugins(base.plugins, profile.plugins.multi_point),
        points=point_changes(profile.plugins),
        percentage_of_nodes_to_score=percentage,
    )


def merged_plugins(
    defaults: tuple[PluginWeight, ...], changes: PluginSet
) -> tuple[PluginWeight, ...]:
    """Return the plugins that run everywhere, after a configuration's changes."""
    disabled = {plugin.name for plugin in changes.disabled}
    # Of a plugin that is enabled twice the last one counts, but both stay: that is refused later.
    enabled = {plugin.name: plugin for plugin in changes.enabled}
    replacing: set[int] = set()
    kept = []
    for default in () if "*" in disabled else defaults:
        change = enabled.get(default.name)
        if default.name in disabled:
            continue
        if change is None:
            kept.append(default)
        else:
            replacing.add(id(change))
            kept.append(_weighed(change))
    added = [_weighed(plugin) for plugin in changes.enabled if id(plugin) not in replacing]
    return (*kept, *added)


def point_changes(plugins: Plugins) -> dict[str, PointChanges]:
    """Return what a configuration says about single extension points."""
    sets = {point: getattr(plugins, _MEMBERS[point]) for point in EXTENSION_POINTS}
    return {
        point: PointChanges(
            enabled=tuple(_weighed(plugin) for plugin in changes.enabled),
            disabled=frozenset(plugin.name for plugin in changes.disabled),
        )
        for point, changes in sets.items()
        if changes.enabled or changes.disabled
    }


def _weighed(plugin: Plugin) -> PluginWeight:
    return PluginWeight(plugin.name, plugin.weight)
