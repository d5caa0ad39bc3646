"""KubeSchedulerConfiguration v1, as kube-scheduler takes it from a file.

Files written for upstream are accepted unchanged. A field that the configuration does not
have is an error that names it and its line; so are values that upstream refuses, with its
texts, and extenders, which are not supported. Defaults are those of 1.37.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from kubegang.api.config_document import ConfigurationError, Document
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
)
from kubegang.apimachinery.objects import JsonObject

API_VERSION = "kubescheduler.config.k8s.io/v1"
KIND = "KubeSchedulerConfiguration"
DEFAULT_SCHEDULER_NAME = "default-scheduler"

__all__ = [
    "ConfigurationError",
    "KubeSchedulerConfiguration",
    "KubeSchedulerProfile",
    "duration_seconds",
    "load_scheduler_configuration",
]


class ConfigForm(
    msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True
):
    """A part of the configuration; a field that it does not have is an error."""


class LeaderElection(ConfigForm, frozen=True, kw_only=True):
    """``leaderElection``; times in Go's form, such as ``15s``."""

    leader_elect: bool = True
    lease_duration: str = "15s"
    renew_deadline: str = "10s"
    retry_period: str = "2s"
    resource_lock: str = "leases"
    resource_name: str = "kube-scheduler"
    resource_namespace: str = "kube-system"


class ClientConnection(ConfigForm, frozen=True, kw_only=True):
    """``clientConnection``: how the scheduler reaches the API server."""

    kubeconfig: str = ""
    accept_content_types: str = ""
    content_type: str = ""
    qps: float = 50.0
    burst: int = 100


class Plugin(ConfigForm, frozen=True, kw_only=True):
    """A plugin that is enabled or disabled; weight 0 means 1 where it scores."""

    name: str
    weight: int = 0


class PluginSet(ConfigForm, frozen=True, kw_only=True):
    """Changes to the default plugins; disabling ``*`` disables all of them."""

    enabled: tuple[Plugin, ...] = ()
    disabled: tuple[Plugin, ...] = ()


class Plugins(ConfigForm, frozen=True, kw_only=True):
    """``profiles[].plugins``: changes at all extension points (multiPoint) or at single ones."""

    multi_point: PluginSet = PluginSet()
    pre_enqueue: PluginSet = PluginSet()
    queue_sort: PluginSet = PluginSet()
    pre_filter: PluginSet = PluginSet()
    filter: PluginSet = PluginSet()
    post_filter: PluginSet = PluginSet()
    pre_score: PluginSet = PluginSet()
    score: PluginSet = PluginSet()
    reserve: PluginSet = PluginSet()
    permit: PluginSet = PluginSet()
    pre_bind: PluginSet = PluginSet()
    bind: PluginSet = PluginSet()
    post_bind: PluginSet = PluginSet()
    placement_generate: PluginSet = PluginSet()
    placement_score: PluginSet = PluginSet()
    pod_group_post_filter: PluginSet = PluginSet()


class PluginConfig(ConfigForm, frozen=True, kw_only=True):
    """Arguments of one plugin, as given; the plugin itself knows which it takes."""

    name: str
    args: dict[str, Any] = msgspec.field(default_factory=dict)


class KubeSchedulerProfile(ConfigForm, frozen=True, kw_only=True):
    """One scheduler name and its plugins."""

    scheduler_name: str = ""
    percentage_of_nodes_to_score: int | None = None
    plugins: Plugins = Plugins()
    plugin_config: tuple[PluginConfig, ...] = ()

    @property
    def arguments(self) -> dict[str, dict[str, Any]]:
        """The arguments that are given, by plugin."""
        return {entry.name: entry.args for entry in self.plugin_config}


class KubeSchedulerConfiguration(ConfigForm, frozen=True, kw_only=True):
    """The whole file, defaults filled in."""

    api_version: str = API_VERSION
    kind: str = KIND
    parallelism: int = 16
    leader_election: LeaderElection = LeaderElection()
    client_connection: ClientConnection = ClientConnection()
    enable_profiling: bool = True
    enable_contention_profiling: bool = True
    percentage_of_nodes_to_score: int = 0
    pod_initial_backoff_seconds: int = 1
    pod_max_backoff_seconds: int = 10
    profiles: tuple[KubeSchedulerProfile, ...] = ()
    extenders: tuple[JsonObject, ...] = ()
    delay_cache_until_active: bool = False


def load_scheduler_configuration(text: str, source: str) -> KubeSchedulerConfiguration:
    """Read a configuration from YAML or JSON; ``source`` is its name in errors.

    An object without any member is the default configuration.

    Raises:
        ConfigurationError: it cannot be used.
    """
    document = Document(text, source)
    _check_kind(document)
    config = document.convert(KubeSchedulerConfiguration)
    config = _with_profiles(config)
    for error in _errors(config):
        raise document.error(error.field, error.message)
    return config


def duration_seconds(text: str) -> float:
    """Return the seconds of a duration in Go's form, such as ``1m30s``.

    Raises:
        ValueError: it is none; the text is Go's.
    """
    units = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
    if text == "0":
        return 0.0
    part = r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)"
    if not re.fullmatch(f"[+-]?(?:{part})+", text):
        raise ValueError(f'time: invalid duration "{text}"')
    seconds = sum(float(number) * units[unit] for number, unit in re.findall(part, text))
    return -seconds if text.startswith("-") else seconds


def _check_kind(document: Document) -> None:
    if not document.data:
        return
    found = (document.data.get("apiVersion"), document.data.get("kind"))
    if found != (API_VERSION, KIND):
        raise document.error(
            "apiVersion", f"needed {API_VERSION}, kind {KIND}; found {found[0]}, kind {found[1]}"
        )


def _with_profiles(config: KubeSchedulerConfiguration) -> KubeSchedulerConfiguration:
    """Fill in the one profile, or the name of the only one, as upstream does."""
    profiles = config.profiles or (KubeSchedulerProfile(),)
    if len(profiles) == 1 and not profiles[0].scheduler_name:
        named = msgspec.structs.replace(profiles[0], scheduler_name=DEFAULT_SCHEDULER_NAME)
        profiles = (named,)
    return msgspec.structs.replace(config, profiles=profiles)


def _errors(config: KubeSchedulerConfiguration) -> Iterator[FieldError]:
    """Yield the values that upstream's validation refuses."""
    if config.extenders:
        yield forbidden_field(Path("extenders"), "extenders are not supported")
    if config.parallelism <= 0:
        detail = "should be an integer value greater than zero"
        yield invalid_value(Path("parallelism"), config.parallelism, detail)
    yield from _percentage_errors(
        Path("percentageOfNodesToScore"), config.percentage_of_nodes_to_score
    )
    initial, longest = config.pod_initial_backoff_seconds, config.pod_max_backoff_seconds
    if initial <= 0:
        yield invalid_value(Path("podInitialBackoffSeconds"), initial, "must be greater than 0")
    if longest < initial:
        detail = "must be greater than or equal to PodInitialBackoffSeconds"
        yield invalid_value(Path("podMaxBackoffSeconds"), longest, detail)
    yield from _duration_errors(config.leader_election)
    yield from _profile_errors(config.profiles)


def _percentage_errors(path: Path, percentage: int | None) -> Iterator[FieldError]:
    if percentage is not None and not 0 <= percentage <= 100:
        yield invalid_value(path, percentage, "not in valid range [0-100]")


def _duration_errors(election: LeaderElection) -> Iterator[FieldError]:
    for name, text in (
        ("leaseDuration", election.lease_duration),
        ("renewDeadline", election.renew_deadline),
        ("retryPeriod", election.retry_period),
    ):
        try:
            duration_seconds(text)
        except ValueError as error:
            yield invalid_value(Path("leaderElection").child(name), text, str(error))


def _profile_errors(profiles: Iterable[KubeSchedulerProfile]) -> Iterator[FieldError]:
    seen: set[str] = set()
    for position, profile in enumerate(profiles):
        path = Path("profiles").index(position)
        name = path.child("schedulerName")
        if not profile.scheduler_name:
            yield required(name)
        elif profile.scheduler_name in seen:
            yield duplicate(name, profile.scheduler_name)
        seen.add(profile.scheduler_name)
        yield from _percentage_errors(
            path.child("percentageOfNodesToScore"), profile.percentage_of_nodes_to_score
        )
        configured: set[str] = set()
        for place, entry in enumerate(profile.plugin_config):
            if entry.name in configured:
                yield duplicate(path.child("pluginConfig").index(place), entry.name)
            configured.add(entry.name)
