"""A configuration as kube-scheduler shows it at ``/configz``: every default filled in. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kubegang.api.config.arguments import completed_arguments
from kubegang.api.config.durations import duration_seconds
from kubegang.api.config.internal import internal_form
from kubegang.api.config.plugins import merged_plugins
from kubegang.api.config.schema import ARGUMENTS
from kubegang.api.config.types import (
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    LeaderElection,
    Plugin,
    Plugins,
)
from kubegang.api.profile import PluginWeight, VersionProfile
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import go_duration

_NOT_ASKED = frozenset({"podGroupPostFilter"})
"""A point whose plugins get no default arguments for being named there (upstream's list)."""


def completed_configuration(
    config: KubeSchedulerConfiguration, version: VersionProfile
) -> JsonObject:
    """Return the whole configuration in the form of the wire, upstream's order of members."""
    client = config.client_connection
    completed: JsonObject = {
        "kind": config.kind,
        "apiVersion": config.api_version,
        "parallelism": config.parallelism,
        "leaderElection": _election(config.leader_election),
        "clientConnection": msgspec.to_builtins(client) | {"qps": _go_float(client.qps)},
        "enableProfiling": config.enable_profiling,
        "enableContentionProfiling": bool(config.enable_contention_profiling),
        "percentageOfNodesToScore": config.percentage_of_nodes_to_score,
        "podInitialBackoffSeconds": config.pod_initial_backoff_seconds,
        "podMaxBackoffSeconds": config.pod_max_backoff_seconds,
        "profiles": [_profile(profile, version) for profile in config.profiles],
    }
    if config.delay_cache_until_active:
        completed["delayCacheUntilActive"] = True
    return completed


def shown_configuration(config: KubeSchedulerConfiguration, version: VersionProfile) -> JsonObject:
    """Return the configuration as ``/configz`` of the release shows it."""
    completed = completed_configuration(config, version)
    if version.internal_configz:
        return internal_form(completed, version.extension_points)
    return completed


def _election(election: LeaderElection) -> JsonObject:
    form: JsonObject = msgspec.to_builtins(election)
    for name in ("leaseDuration", "renewDeadline", "retryPeriod"):
        form[name] = go_duration(duration_seconds(form[name]))
    return form


def _go_float(number: float) -> float | int:
    return int(number) if number == int(number) else number


def _profile(profile: KubeSchedulerProfile, version: VersionProfile) -> JsonObject:
    plugins = _plugins(profile.plugins, version)
    completed: JsonObject = {"schedulerName": profile.name}
    if profile.percentage_of_nodes_to_score is not None:
        completed["percentageOfNodesToScore"] = profile.percentage_of_nodes_to_score
    return {
        **completed,
        "plugins": plugins,
        "pluginConfig": _plugin_config(profile, plugins, version),
    }


def _plugins(changes: Plugins, version: VersionProfile) -> JsonObject:
    defaults = version.schedulers[0].plugins
    everywhere = merged_plugins(defaults, changes.multi_point)
    fields = {field.encode_name: field.name for field in msgspec.structs.fields(Plugins)}
    completed = {
        "multiPoint": _plugin_set(everywhere, changes.multi_point.disabled),
    }
    for point in version.extension_points:
        own = getattr(changes, fields[point])
        completed[point] = _plugin_set(own.enabled, own.disabled)
    return completed


def _plugin_set(enabled: Sequence[Plugin | PluginWeight], disabled: Iterable[Plugin]) -> JsonObject:
    form: JsonObject = {}
    if enabled:
        form["enabled"] = [{"name": plugin.name, "weight": plugin.weight} for plugin in enabled]
    unwanted = [{"name": plugin.name, "weight": 0} for plugin in disabled]
    if unwanted:
        form["disabled"] = unwanted
    return form


def _plugin_config(
    profile: KubeSchedulerProfile, plugins: JsonObject, version: VersionProfile
) -> list[JsonObject]:
    """Return the arguments that are given, then those of all other plugins that have some."""
    gates = version.gates["scheduler"]
    given = [_entry(entry.name, entry.args) for entry in profile.plugin_config]
    named = {
        plugin["name"]
        for point, changes in plugins.items()
        if point not in _NOT_ASKED
        for plugin in changes.get("enabled", ())
    }
    missing = named.intersection(ARGUMENTS).difference(entry["name"] for entry in given)
    defaults = [_entry(name, completed_arguments(name, None, gates)) for name in sorted(missing)]
    return [*given, *defaults]


def _entry(name: str, args: object) -> JsonObject:
    return {"name": name, "args": args}
