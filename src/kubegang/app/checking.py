"""``kubegang check``: manifests or a live cluster are read, and the rules applied per version."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from kubegang.api.config.types import KIND as CONFIGURATION_KIND
from kubegang.api.facts import load_facts
from kubegang.apimachinery.manifests import Manifest, ManifestError, load_manifests
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.places import place_of
from kubegang.app.clusterlive import LiveCluster, kind_of, read_live
from kubegang.app.clustersource import SourceOptions, known_release, live_transport
from kubegang.app.configuration import (
    node_file_field,
    resolve_profile,
    scheduler_configuration,
)
from kubegang.app.errors import BadInputError
from kubegang.app.inputs import ReadStandardInput, raise_if_any, texts_of
from kubegang.app.options import GateFlags, UpOptions
from kubegang.app.profiles.gate_flags import GateFlagError, parse_gates
from kubegang.app.profiles.table import RELEASES
from kubegang.app.scheduler import check_profiles, plugin_arguments, profiles_of
from kubegang.app.served import scheme_of
from kubegang.app.thirdparty import plugins_for
from kubegang.client.api import ApiClient
from kubegang.nodesim.node_file import KIND as CLUSTER_KIND
from kubegang.nodesim.node_file import NodeFileError, nodes_of, parse_node_file
from kubegang.scheduler.plugins.registry import PLUGINS
from kubegang.tools.checking.check import Setting, check_release
from kubegang.tools.checking.foreign import is_foreign
from kubegang.tools.checking.joining import Place, joined
from kubegang.tools.checking.makers import is_operators
from kubegang.tools.checking.model import Release, Written
from kubegang.tools.checking.report import CheckReport
from kubegang.tools.checking.serving import known_kinds
from kubegang.tools.rehearsal.deciders import Deciders

_NODE = GroupVersionKind("", "v1", "Node")
_EVENTS = "Event"


class CheckOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags.

    Attributes:
        files: manifests, directories or ``-``.
        kubeconfig: of the live cluster; empty looks where kubectl looks.
        versions: the Kubernetes versions to check for; none means all.
        gates: edit the gates, which are all on that belong to gang scheduling.
        scheduler_names: further schedulers that somebody runs.
        ignore_unknown: pass over kinds that nobody knows here.
        config: a KubeSchedulerConfiguration, or empty.
    """

    files: tuple[str, ...] = ()
    kubeconfig: str = ""
    context: str = ""
    versions: tuple[str, ...] = ()
    gates: GateFlags = GateFlags()
    scheduler_names: tuple[str, ...] = ()
    ignore_unknown: bool = False
    config: str = ""


class _Inputs(msgspec.Struct, kw_only=True):
    """What was read.

    Attributes:
        sources: by the position of an object, where it stands.
    """

    objects: list[Written] = []
    sources: dict[int, tuple[str, Manifest]] = {}
    problems: list[str] = []
    skipped: dict[str, None] = {}
    unseen: list[str] = []


def check(options: CheckOptions, *, read_standard_input: ReadStandardInput) -> CheckReport:
    """Check files.

    Raises:
        BadInputError: a file, a flag or a kind is wrong; says all that is.
    """
    settings = [_setting(options, version) for version in _versions(options)]
    known = frozenset().union(*(known_kinds(one.release.facts) for one in settings))
    reader = _Reader(known, ignore_unknown=options.ignore_unknown)
    for source, text in texts_of(options.files, read_standard_input):
        reader.read(source, text)
    return _checked(reader, settings)


def check_cluster(options: CheckOptions, *, progress: Callable[[str], None]) -> CheckReport:
    """Check what is in the live cluster, for its own version unless others are asked for.

    Raises:
        BadInputError: a flag is wrong.
        ClusterUnreachableError: the cluster does not answer.
    """
    live = asyncio.run(_live(options, progress))
    progress("checking")
    return check_live(options, live)


def check_live(options: CheckOptions, live: LiveCluster) -> CheckReport:
    """Check what an API showed.

    Raises:
        BadInputError: a flag is wrong.
    """
    if not options.versions:
        options = msgspec.structs.replace(options, versions=(known_release(live.release),))
    settings = [_setting(options, version) for version in _versions(options)]
    reader = _Reader((), ignore_unknown=True)
    reader.read_cluster(live)
    return _checked(reader, settings)


def _checked(reader: _Reader, settings: Sequence[Setting]) -> CheckReport:
    inputs = reader.inputs
    raise_if_any(inputs.problems)
    return joined(
        [check_release(inputs.objects, setting) for setting in settings],
        reader.locate,
        objects=len(inputs.objects),
        skipped=inputs.skipped,
        unseen=inputs.unseen,
    )


class _Reader:
    """Collects objects, and remembers where each one stands."""

    def __init__(self, known: Iterable[tuple[str, str]], *, ignore_unknown: bool) -> None:
        self._known = frozenset(known)
        self._ignore_unknown = ignore_unknown
        self.inputs = _Inputs()

    def read(self, source: str, text: str) -> None:
        """Take in one file."""
        try:
            manifests = load_manifests(text, source)
        except ManifestError as error:
            self.inputs.problems.append(str(error))
            return
        for manifest in manifests:
            if manifest.object["kind"] == CLUSTER_KIND:
                self._add_nodes(manifest, text)
            else:
                self._add(manifest.object, text, manifest)

    def read_cluster(self, live: LiveCluster) -> None:
        """Take in what an API showed; nothing of it has a place in a file."""
        for resource, listed in live.lists:
            gvk = kind_of(resource)
            if gvk.kind == _EVENTS:
                continue
            for item in listed.items:
                obj = {"apiVersion": str(gvk.group_version), "kind": gvk.kind}
                self._take(gvk, {**obj, **msgspec.json.decode(item.body)})
        self.inputs.unseen += [f"{one.resource}: {one.why}" for one in live.unseen]

    def locate(self, written: Written, field: str) -> Place:
        """Return where a field stands."""
        found = self.inputs.sources.get(written.index)
        if found is None:
            return Place()
        text, manifest = found
        source, line, column = place_of(text, manifest, field).rsplit(":", 2)
        return Place(source, int(line), int(column))

    def _add(self, obj: JsonObject, text: str, manifest: Manifest) -> None:
        gvk = GroupVersionKind.of(obj)
        is_known = (gvk.group, gvk.kind) in self._known
        if is_known or is_foreign(gvk) or is_operators(gvk):
            metadata = obj.get("metadata")
            if metadata is not None and not isinstance(metadata, dict):
                place = place_of(text, manifest, "metadata")
                self.inputs.problems.append(f"{place}: metadata must be a mapping")
                return
            self.inputs.sources[len(self.inputs.objects)] = (text, manifest)
            self._take(gvk, obj)
        elif self._ignore_unknown or gvk.kind == CONFIGURATION_KIND:
            self.inputs.skipped[f"{gvk.kind} ({gvk.group_version})"] = None
        else:
            place = place_of(text, manifest, "kind")
            self.inputs.problems.append(
                f"{place}: unknown kind {gvk.kind!r} in {gvk.group_version}; --ignore-unknown "
                "passes over such objects"
            )

    def _add_nodes(self, manifest: Manifest, text: str) -> None:
        try:
            nodes = nodes_of(parse_node_file(manifest.object))
        except NodeFileError as error:
            self.inputs.problems.append(
                f"{place_of(text, manifest, node_file_field(error))}: {error}"
            )
            return
        for node in nodes:
            self.inputs.sources[len(self.inputs.objects)] = (text, manifest)
            self._take(_NODE, node)

    def _take(self, gvk: GroupVersionKind, obj: JsonObject) -> None:
        position = len(self.inputs.objects)
        self.inputs.objects.append(Written(gvk=gvk, object=obj, index=position))


async def _live(options: CheckOptions, progress: Callable[[str], None]) -> LiveCluster:
    source = SourceOptions(kubeconfig=options.kubeconfig, context=options.context)
    transport = live_transport(source)
    client = ApiClient(transport, user_agent="kubegang")
    try:
        return await read_live(client, transport, progress=progress)
    finally:
        await client.close()


# --- whose rules -----------------------------------------------------------------------------


def _versions(options: CheckOptions) -> Sequence[str]:
    names = [name.removeprefix("v") for name in options.versions]
    return list(dict.fromkeys(names)) or [release.name for release in RELEASES]


def _setting(options: CheckOptions, version: str) -> Setting:
    profile = resolve_profile(
        UpOptions(kubernetes_version=version, gates=_gates_for(options, version))
    )
    config = scheduler_configuration(options.config, profile)
    if options.config:
        check_profiles(profile, config)
    is_configured = bool(options.config)
    return Setting(
        release=Release(profile=profile, scheme=scheme_of(profile), facts=load_facts(profile.name)),
        deciders=Deciders(
            profiles_of(profile, config, configured=is_configured),
            args=plugin_arguments(config),
            plugins=plugins_for(config) if is_configured else PLUGINS,
        ),
        schedulers=frozenset(options.scheduler_names),
        chance=lambda: random.Random(0),
    )


def _gates_for(options: CheckOptions, version: str) -> GateFlags:
    """Return the gate flags without gates that only other versions of this check know.

    Raises:
        BadInputError: a flag cannot be read.
    """
    known = {release.name: {gate.name for gate in release.known_gates} for release in RELEASES}
    anywhere = set().union(*(known.get(name, set()) for name in _versions(options)))

    def kept(text: str) -> str:
        try:
            gates = parse_gates(text)
        except GateFlagError as error:
            raise BadInputError(str(error)) from error
        left = _without(gates, anywhere - known.get(version, set()))
        return ",".join(f"{name}={str(value).lower()}" for name, value in left.items())

    gates = options.gates
    return GateFlags(
        all=kept(gates.all),
        apiserver=kept(gates.apiserver),
        controllers=kept(gates.controllers),
        scheduler=kept(gates.scheduler),
        kubelet=kept(gates.kubelet),
    )


def _without(gates: Mapping[str, bool], names: Iterable[str]) -> dict[str, bool]:
    dropped = frozenset(names)
    return {name: value for name, value in gates.items() if name not in dropped}
