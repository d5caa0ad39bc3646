"""What upstream refuses in a KubeSchedulerConfiguration, in its words and order.

Measured on 1.37.2. Extenders are refused whatever they say: they are not supported here. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from kubegang.api.config.argument_checks import argument_errors, fit_errors
from kubegang.api.config.durations import duration_seconds
from kubegang.api.config.types import (
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    LeaderElection,
    PluginSet,
)
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
)
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import go_duration
from kubegang.base.feature_gates import FeatureGates

_Errors = Iterator[FieldError]

_GONE: Final = frozenset({"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"})
_WITHOUT_CHECK: Final = frozenset({"multi_point", "placement_generate", "placement_score"})
"""Where upstream does not look for plugins that have gone."""


def configuration_errors(config: KubeSchedulerConfiguration, gates: FeatureGates) -> _Errors:
    """Yield what is wrong with a configuration whose defaults are filled in."""
    if config.client_connection.burst < 0:
        path = Path("clientConnection").child("burst")
        yield invalid_value(path, config.client_connection.burst, "must be non-negative")
    if config.leader_election.leader_elect:
        yield from _election_errors(config.leader_election, Path("leaderElection"))
    if config.parallelism <= 0:
        detail = "should be an integer value greater than zero"
        yield invalid_value(Path("parallelism"), config.parallelism, detail)
    yield from _profile_errors(config.profiles, config.api_version, gates)
    yield from _queue_sort_errors(config.profiles)
    yield from _percentage_errors(
        Path("percentageOfNodesToScore"), config.percentage_of_nodes_to_score
    )
    yield from _backoff_errors(config)
    yield from _extender_errors(config.extenders, Path("extenders"))
    if config.extenders:
        yield forbidden_field(Path("extenders"), "extenders are not supported")


def late_errors(config: KubeSchedulerConfiguration) -> Iterator[tuple[str, str]]:
    """Yield what upstream refuses when it makes its plugins: where, and the whole text."""
    for i, profile in enumerate(config.profiles):
        for j, entry in enumerate(profile.plugin_config):
            if entry.name != "NodeResourcesFit":
                continue
            errors = [f"{error.field}: {error.message}" for error in fit_errors(entry.args)]
            if errors:
                joined = errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
                creating = f"creating profile for scheduler name {profile.name}"
                yield (
                    f"profiles[{i}].pluginConfig[{j}].args",
                    f'initializing profiles: {creating}: initializing plugin "{entry.name}": '
                    f"{joined}",
                )


def _election_errors(election: LeaderElection, path: Path) -> _Errors:
    times = {
        "leaseDuration": duration_seconds(election.lease_duration),
        "renewDeadline": duration_seconds(election.renew_deadline),
        "retryPeriod": duration_seconds(election.retry_period),
    }
    for name, seconds in times.items():
        if seconds <= 0:
            text = go_duration(seconds)
            yield invalid_value(path.child(name), text, "must be greater than zero")
    if times["leaseDuration"] <= times["renewDeadline"]:
        # The value that upstream prints here is the other one's.
        text = go_duration(times["renewDeadline"])
        detail = "must be greater than `RenewDeadline`"
        yield invalid_value(path.child("leaseDuration"), text, detail)
    if election.resource_lock != "leases":
        detail = 'resourceLock value must be "leases"'
        yield invalid_value(path.child("resourceLock"), election.resource_lock, detail)


def _percentage_errors(path: Path, percentage: int | None) -> _Errors:
    if percentage is not None and not 0 <= percentage <= 100:
        yield invalid_value(path, percentage, "not in valid range [0-100]")


def _backoff_errors(config: KubeSchedulerConfiguration) -> _Errors:
    initial, longest = config.pod_initial_backoff_seconds, config.pod_max_backoff_seconds
    if initial <= 0:
        yield invalid_value(Path("podInitialBackoffSeconds"), initial, "must be greater than 0")
    if longest < initial:
        detail = "must be greater than or equal to PodInitialBackoffSeconds"
        yield invalid_value(Path("podMaxBackoffSeconds"), longest, detail)


def _profile_errors(
    profiles: Sequence[KubeSchedulerProfile], version: str, gates: FeatureGates
) -> _Errors:
    seen: set[str] = set()
    for position, profile in enumerate(profiles):
        path = Path("profiles").index(position)
        name = path.child("schedulerName")
        if not profile.name:
            yield required(name)
        yield from _percentage_errors(
            path.child("percentageOfNodesToScore"), profile.percentage_of_nodes_to_score
        )
        yield from _gone_errors(profile, version, path.child("plugins"))
        yield from _plugin_config_errors(profile, version, path.child("pluginConfig"), gates=gates)
        if profile.name in seen:
            # Upstream prints a path as a value, which comes out like this.
            yield duplicate(name, {})
        seen.add(profile.name)


def _gone_errors(profile: KubeSchedulerProfile, version: str, path: Path) -> _Errors:
    for field in profile.plugins.__struct_fields__:
        if field in _WITHOUT_CHECK:
            continue
        changes: PluginSet = getattr(profile.plugins, field)
        first, *rest = field.split("_")
        where = path.child(first + "".join(word.title() for word in rest), "enabled")
        for position, plugin in enumerate(changes.enabled):
            if plugin.name in _GONE:
                yield _gone(where.index(position), plugin.name, version)


def _plugin_config_errors(
    profile: KubeSchedulerProfile, version: str, path: Path, *, gates: FeatureGates
) -> _Errors:
    seen: set[str] = set()
    for position, entry in enumerate(profile.plugin_config):
        where = path.index(position)
        if entry.name in seen:
            yield duplicate(where, entry.name)
        seen.add(entry.name)
        if entry.name in _GONE:
            yield _gone(where, entry.name, version)
        else:
            yield from argument_errors(entry.name, entry.args, where.child("args"), gates=gates)


def _gone(path: Path, name: str, version: str) -> FieldError:
    detail = f'was invalid in version "v1" (KubeSchedulerConfiguration is version "{version}")'
    return invalid_value(path, name, detail)


def _queue_sort_errors(profiles: Sequence[KubeSchedulerProfile]) -> _Errors:
    first = profiles[0].plugins.queue_sort
    if len(first.enabled) > 1:
        where = Path("profiles").index(0).child("plugins", "queueSort", "Enabled")
        yield invalid_value(where, len(first.enabled), "only one queue sort plugin can be enabled")
    sorter = first.enabled[0].name if first.enabled else ""
    for position, profile in enumerate(profiles[1:], start=1):
        path = Path("profiles").index(position)
        own = profile.plugins.queue_sort
        if own != first:
            where = path.child("plugins", "queueSort")
            yield invalid_value(where, _go_form(own), "must be the same for all profiles")
        args = profile.arguments.get(sorter)
        if sorter and args is not None and args != profiles[0].arguments.get(sorter):
            where = path.child("pluginConfig", "args")
            yield invalid_value(where, args, "queueSort must be the same for all profiles")


def _go_form(changes: PluginSet) -> JsonObject:
    """Return a plugin set as Go prints its internal form."""

    def form(plugins: Any) -> list[JsonObject] | None:
        return [{"Name": plugin.name, "Weight": plugin.weight} for plugin in plugins] or None

    return {"Enabled": form(changes.enabled), "Disabled": form(changes.disabled)}


def _extender_errors(extenders: Sequence[JsonObject], path: Path) -> _Errors:
    seen: set[str] = set()
    for position, extender in enumerate(extenders):
        where = path.index(position)
        if extender.get("prioritizeVerb") and extender.get("weight", 0) <= 0:
            detail = "must have a positive weight applied to it"
            yield invalid_value(where.child("weight"), extender.get("weight", 0), detail)
        for place, resource in enumerate(extender.get("managedResources") or ()):
            name = where.child("managedResources").index(place).child("name")
            yield from _managed_errors(resource.get("name", ""), name)
            if resource.get("name", "") in seen:
                detail = "duplicate extender managed resource name"
                yield invalid_value(name, resource.get("name", ""), detail)
            seen.add(resource.get("name", ""))
    binders = sum(1 for extender in extenders if extender.get("bindVerb"))
    if binders > 1:
        found = f"found {binders} extenders implementing bind"
        yield invalid_value(path, found, "only one extender can implement bind")


def _managed_errors(name: str, path: Path) -> _Errors:
    problems = is_qualified_name(name)
    for problem in problems:
        yield invalid_value(path, name, problem)
    native = "/" not in name or "kubernetes.io/" in name or name.startswith("requests.")
    if not problems and native:
        yield invalid_value(path, name, "is an invalid extended resource name")
