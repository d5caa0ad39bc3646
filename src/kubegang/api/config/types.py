"""KubeSchedulerConfiguration v1: its typed form, with kube-scheduler's defaults.

Reading a file is the matter of ``loading``; the defaults of plugin arguments are in
``arguments``.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kubegang.apimachinery.objects import JsonObject

API_VERSION = "kubescheduler.config.k8s.io/v1"
KIND = "KubeSchedulerConfiguration"
DEFAULT_SCHEDULER_NAME = "default-scheduler"


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

    name: str = ""
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
    """Arguments of one plugin; what a plugin of others gets may have any form."""

    name: str = ""
    args: Any = None


class KubeSchedulerProfile(ConfigForm, frozen=True, kw_only=True):
    """One scheduler name and its plugins."""

    scheduler_name: str | None = None
    percentage_of_nodes_to_score: int | None = None
    plugins: Plugins = Plugins()
    plugin_config: tuple[PluginConfig, ...] = ()

    @property
    def arguments(self) -> dict[str, dict[str, Any]]:
        """The arguments by plugin."""
        return {e.name: e.args for e in self.plugin_config if isinstance(e.args, dict)}

    @property
    def name(self) -> str:
        """The scheduler name; empty if there is none."""
        return self.scheduler_name or ""


class KubeSchedulerConfiguration(ConfigForm, frozen=True, kw_only=True):
    """The whole file, defaults filled in."""

    api_version: str = API_VERSION
    kind: str = KIND
    parallelism: int = 16
    leader_election: LeaderElection = LeaderElection()
    client_connection: ClientConnection = ClientConnection()
    enable_profiling: bool = True
    enable_contention_profiling: bool | None = None
    percentage_of_nodes_to_score: int = 0
    pod_initial_backoff_seconds: int = 1
    pod_max_backoff_seconds: int = 10
    profiles: tuple[KubeSchedulerProfile, ...] = ()
    extenders: tuple[JsonObject, ...] = ()
    delay_cache_until_active: bool = False
