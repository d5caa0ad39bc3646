"""Scheduler profiles as a KubeSchedulerConfiguration changes them.

The rules of merging are upstream's: a disabled default goes, an enabled one that is there
already keeps its place and gets the new weight, others are appended.
"""

from __future__ import annotations

import msgspec

from kubegang.api.config import (
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    Plugin,
    Plugins,
    PluginSet,
)
from kubegang.api.profile import PluginWeight, SchedulerProfile

EXTENSION_POINTS = (
    "preEnqueue",
    "queueSort",
    "preFilter",
    "filter",
    "postFilter",
    "preScore",
    "score",
    "reserve",
    "permit",
    "preBind",
    "bind",
    "postBind",
    "placementGenerate",
    "placementScore",
    "podGroupPostFilter",
)
"""The extension points that a configuration can name."""

_MEMBERS = {
    field.encode_name: field.name
    for field in msgspec.structs.fields(Plugins)
    if field.encode_name in EXTENSION_POINTS
}


def configured_profiles(
    config: KubeSchedulerConfiguration, base: SchedulerProfile
) -> tuple[SchedulerProfile, ...]:
    """Return one scheduler profile for each profile of the configuration.

    ``base`` gives everything that a configuration does not speak of.
    """
    return tuple(_configured(profile, config, base) for profile in config.profiles)


def _configured(
    profile: KubeSchedulerProfile, config: KubeSchedulerConfiguration, base: SchedulerProfile
) -> SchedulerProfile:
    percentage = profile.percentage_of_nodes_to_score
    if percentage is None:
        percentage = config.percentage_of_nodes_to_score
    return msgspec.structs.replace(
        base,
        scheduler_name=profile.scheduler_name,
        plugins=merged_plugins(base.plugins, profile.plugins),
        percentage_of_nodes_to_score=percentage,
    )


def merged_plugins(
    defaults: tuple[PluginWeight, ...], changes: Plugins
) -> tuple[PluginWeight, ...]:
    """Return the default plugins after a configuration's changes."""
    merged = _merged(defaults, changes.multi_point)
    for point, member in _MEMBERS.items():
        merged = _merged_at(merged, getattr(changes, member), point)
    return merged


def _merged(defaults: tuple[PluginWeight, ...], changes: PluginSet) -> tuple[PluginWeight, ...]:
    disabled = {plugin.name for plugin in changes.disabled}
    enabled = {plugin.name: plugin for plugin in changes.enabled}
    kept = []
    for default in defaults:
        if "*" in disabled or default.name in disabled:
            continue
        change = enabled.pop(default.name, None)
        kept.append(
            default if change is None else msgspec.structs.replace(default, weight=change.weight)
        )
    return (*kept, *(PluginWeight(plugin.name, plugin.weight) for plugin in enabled.values()))


def _merged_at(
    plugins: tuple[PluginWeight, ...], changes: PluginSet, point: str
) -> tuple[PluginWeight, ...]:
    """Apply the changes at a single extension point."""
    disabled = {plugin.name for plugin in changes.disabled}
    enabled = {plugin.name: plugin for plugin in changes.enabled}
    kept = [
        _changed_at(
            plugin,
            point,
            change=enabled.pop(plugin.name, None),
            disabled="*" in disabled or plugin.name in disabled,
        )
        for plugin in plugins
    ]
    added = [
        PluginWeight(plugin.name, plugin.weight, points=frozenset({point}))
        for plugin in enabled.values()
    ]
    return (*kept, *added)


def _changed_at(
    plugin: PluginWeight, point: str, *, change: Plugin | None, disabled: bool
) -> PluginWeight:
    points = frozenset(EXTENSION_POINTS) if plugin.points is None else plugin.points
    if change is not None:
        # Disabling and enabling in one go is how a weight is changed.
        weight = change.weight or plugin.weight
        return msgspec.structs.replace(plugin, weight=weight, points=points | {point})
    if disabled:
        return msgspec.structs.replace(plugin, points=points - {point})
    return plugin
