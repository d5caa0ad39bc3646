"""Which cluster a tool is asked about, and by which release's rules: flags become a stage.

``explain``, ``dump`` and ``what-if`` read a cluster in the same ways: from files, or through
its API. Which release it is follows from the server, the dump or the objects, unless the
flags say it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.api.profile import VersionProfile
from kubegang.app.clusterfiles import ReadFiles, read_cluster_files, state_of
from kubegang.app.clusterlive import LiveCluster, kind_of, read_live
from kubegang.app.configuration import resolve_profile, scheduler_configuration
from kubegang.app.errors import BadInputError
from kubegang.app.inputs import ReadStandardInput
from kubegang.app.options import DEFAULT_VERSION, GateFlags, UpOptions
from kubegang.app.profiles.table import RELEASES
from kubegang.app.scheduler import (
    UPSTREAM_NAME,
    check_profiles,
    named_profiles,
    plugin_arguments,
    profiles_of,
)
from kubegang.app.thirdparty import plugins_for
from kubegang.base.clock import Clock
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.interface import Resource, Transport
from kubegang.client.kubeconfig import KubeConfigError, load_kubeconfig
from kubegang.scheduler.plugins.registry import PLUGINS
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.tools.cluster.facts import release_of_objects
from kubegang.tools.cluster.reading import StateReader
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.rehearsal.deciders import Deciders
from kubegang.tools.rehearsal.stage import Stage

COMPOSITES = "CompositePodGroup"


class SourceOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags that the tools share.

    Attributes:
        files: dumps and manifests; without any a live cluster is read.
        kubeconfig: of the live cluster; empty looks where kubectl looks.
        kubernetes_version: whose rules apply; empty finds out.
        feature_gates: edits that release's gates.
        config: path of a KubeSchedulerConfiguration, or empty.
    """

    files: tuple[str, ...] = ()
    kubeconfig: str = ""
    context: str = ""
    kubernetes_version: str = ""
    feature_gates: str = ""
    config: str = ""


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """By whose rules is decided.

    Attributes:
        version: the release with its gates.
        config: the scheduler's configuration.
    """

    version: VersionProfile
    config: KubeSchedulerConfiguration
    configured: bool

    @property
    def backoff(self) -> BackoffPolicy:
        """How long whoever failed pauses."""
        return BackoffPolicy(
            initial_seconds=float(self.config.pod_initial_backoff_seconds),
            max_seconds=float(self.config.pod_max_backoff_seconds),
        )

    def deciders(self, names: Iterable[str]) -> Deciders:
        """Return what decides for the schedulerNames that occur.

        A name that is neither configured nor ours is served as kube-scheduler's.
        """
        served = profiles_of(self.version, self.config, configured=self.configured)
        wanted = tuple(dict.fromkeys(name for name in names if name)) or (UPSTREAM_NAME,)
        known = {profile.scheduler_name: profile for profile in served}
        profiles = tuple(
            known.get(name) or named_profiles(self.version, (name,))[0] for name in wanted
        )
        # Only a configuration can name plugins of others; looking for them takes a while.
        plugins = plugins_for(self.config) if self.configured else PLUGINS
        return Deciders(profiles, args=plugin_arguments(self.config), plugins=plugins)


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster, and by whose rules is decided about it."""

    state: ClusterState
    rules: Rules

    def stage(self) -> Stage:
        """Return the cluster as something in which things can be supposed."""
        return stage_of(self.state, self.rules)


def stage_of(state: ClusterState, rules: Rules) -> Stage:
    """Return a cluster under some rules as something in which things can be supposed."""
    names = (pod.scheduler_name for pod in state.pods if not pod.node_name)
    return Stage(state, rules.deciders(names), chance=chance)


def chance() -> random.Random:
    """Return a source of chance that is the same each time."""
    return random.Random(0)


def rules_of(options: SourceOptions, release: str, *, gates: str = "") -> Rules:
    """Return the rules of a release with the flags applied.

    Args:
        options: the flags.
        release: the one that applies.
        gates: edits that come before those of the flags.

    Raises:
        BadInputError: there is no such release or gate, or the configuration is wrong.
    """
    every = ",".join(text for text in (gates, options.feature_gates) if text)
    version = resolve_profile(UpOptions(kubernetes_version=release, gates=GateFlags(all=every)))
    config = scheduler_configuration(options.config, version)
    if options.config:
        check_profiles(version, config)
    return Rules(version=version, config=config, configured=bool(options.config))


def load_source(
    options: SourceOptions,
    *,
    read_standard_input: ReadStandardInput,
    progress: Callable[[str], None],
    clock: Clock,
) -> Source:
    """Read a cluster.

    Raises:
        BadInputError: a flag or a file is wrong.
        ClusterUnreachableError: the cluster does not answer.
    """
    if options.files:
        read = read_cluster_files(options.files, read_standard_input=read_standard_input)
        return source_of_files(options, read)
    return asyncio.run(_load_live(options, progress=progress, clock=clock))


def source_of_files(options: SourceOptions, read: ReadFiles) -> Source:
    """Return the cluster that files describe.

    Raises:
        BadInputError: an object or a flag is wrong.
    """
    release = (
        options.kubernetes_version
        or read.facts.kubernetes_version
        or release_of_objects(one.gvk for one in read.objects)
        or DEFAULT_VERSION
    )
    rules = rules_of(options, release, gates=read.facts.feature_gates)
    state = state_of(
        read.objects,
        read.facts,
        gates=rules.version.gates["apiserver"],
        release=rules.version.name,
    )
    return Source(state=state, rules=rules)


async def _load_live(
    options: SourceOptions, *, progress: Callable[[str], None], clock: Clock
) -> Source:
    transport = live_transport(options)
    client = ApiClient(transport, user_agent="kubegang")
    try:
        live = await read_live(client, transport, progress=progress)
    finally:
        await client.close()
    return source_of_live(options, live, now=clock.now())


def live_transport(options: SourceOptions) -> Transport:
    """Return the way to the cluster that the flags name.

    Raises:
        BadInputError: there is no usable kubeconfig.
    """
    path = options.kubeconfig
    try:
        config = load_kubeconfig(Path(path) if path else None, context=options.context)
        return HttpTransport(config)
    except KubeConfigError as error:
        raise BadInputError(str(error)) from error


def source_of_live(options: SourceOptions, live: LiveCluster, *, now: float) -> Source:
    """Return the cluster that an API showed.

    Raises:
        BadInputError: a flag is wrong.
    """
    bodies = ((resource, (item.body for item in listed.items)) for resource, listed in live.lists)
    return source_of_bodies(rules_of_live(options, live), live, bodies, now=now)


def rules_of_live(options: SourceOptions, live: LiveCluster) -> Rules:
    """Return the rules of the release that a server has, with the flags applied.

    Raises:
        BadInputError: a flag is wrong.
    """
    release = options.kubernetes_version or known_release(live.release)
    return rules_of(options, release, gates=_gates_of(live))


def source_of_bodies(
    rules: Rules,
    live: LiveCluster,
    bodies: Iterable[tuple[Resource, Iterable[bytes]]],
    *,
    now: float,
) -> Source:
    """Return a cluster whose objects are those at hand.

    Args:
        rules: by which is decided about it.
        live: what the server is; its lists do not count.
        bodies: the objects of each resource, as JSON.
        now: when they are so.
    """
    reader = StateReader(rules.version.gates["apiserver"])
    for resource, objects in bodies:
        gvk = kind_of(resource)
        for body in objects:
            reader.add(gvk, body)
    state = reader.state(taken=now, unseen=live.unseen, release=live.release)
    return Source(state=state, rules=rules)


def known_release(release: str) -> str:
    """Return the release whose rules come nearest: the newest for one that is not known."""
    known = [profile.name for profile in RELEASES]
    return release if release in known else known[-1]


def _gates_of(live: LiveCluster) -> str:
    """Return which gates are off, as far as what the server serves tells that.

    Composites are alpha: a server that does not serve them has no scheduler that knows them.
    """
    release = next(p for p in RELEASES if p.name == known_release(live.release))
    is_known = any(gate.name == COMPOSITES for gate in release.known_gates)
    return f"{COMPOSITES}=false" if is_known and "v1alpha3" not in live.gang_versions else ""
