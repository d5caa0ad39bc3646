"""What becomes of manifests once they are submitted: pods and groups, made by the controllers.

The API server of the release takes the manifests, and its controllers work on them, in memory
and in virtual time; neither scheduler nor nodes run. So a Job becomes what that release makes
of it.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence

import msgspec

from kubegang.apimachinery.manifests import Manifest, ManifestError, load_manifests
from kubegang.apimachinery.objects import GroupVersionKind
from kubegang.apiserver.bootstrap import bootstrap
from kubegang.app.clusterfiles import ReadObject
from kubegang.app.clustersource import Rules
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.errors import BadInputError
from kubegang.app.inputs import (
    InputObject,
    ReadStandardInput,
    read_inputs,
    texts_of,
)
from kubegang.app.loading import Loader
from kubegang.app.options import UpOptions
from kubegang.app.served import scheme_of
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.interface import Resource
from kubegang.client.resources import (
    COMPOSITEPODGROUPS,
    JOBS,
    PODS,
    REPLICASETS,
    RESOURCECLAIMS,
    STATEFULSETS,
    pod_groups_in,
)
from kubegang.store.memory import MemoryStore
from kubegang.tools.cluster.state import ClusterState

_GANG_GROUP = "scheduling.k8s.io"

WORK_SECONDS = 30.0
"""Virtual time in which controllers do all that they do at once."""


class Submitted(msgspec.Struct, frozen=True):
    """What became of manifests.

    Attributes:
        objects: pods, groups and their owners, as the server has them.
        refused: what the server did not take.
    """

    objects: tuple[ReadObject, ...]
    refused: tuple[str, ...]


def submitted(
    paths: Sequence[str],
    state: ClusterState,
    rules: Rules,
    *,
    read_standard_input: ReadStandardInput,
) -> Submitted:
    """Return what manifests become in a cluster.

    Args:
        paths: files, directories, or ``-``.
        state: gives the PriorityClasses and the time.
        rules: of the release.
        read_standard_input: asked for ``-``.

    Raises:
        BadInputError: a file cannot be read or is no manifest; what only this release does not
            take of it is a part of the answer.
    """
    if not paths:
        return Submitted((), ())
    for source, text in texts_of(paths, read_standard_input):
        _refuse_what_is_none(source, text)
    try:
        inputs = read_inputs(paths, rules.version, read_standard_input=read_standard_input)
    except BadInputError as error:
        return Submitted((), tuple(str(error).splitlines()))
    return run_virtual(_submit(inputs.objects, state, rules))


def _refuse_what_is_none(source: str, text: str) -> None:
    """Refuse a text that is no manifests, whatever they say.

    Raises:
        BadInputError: it is none; says where.
    """
    try:
        load_manifests(text, source)
    except ManifestError as error:
        raise BadInputError(str(error)) from error


async def _submit(objects: Sequence[InputObject], state: ClusterState, rules: Rules) -> Submitted:
    clock = VirtualClock(state.taken)
    settings = EmbeddedSettings(
        profile=rules.version,
        config=rules.config,
        configured=rules.configured,
        options=UpOptions(kubernetes_version=rules.version.name),
        components=("apiserver", "controllers"),
    )
    cluster = EmbeddedCluster(settings, store=MemoryStore(), clock=clock, rng=random.Random(0))
    await bootstrap(cluster.app.state.backend)
    loader = Loader(cluster.client)
    background = tuple(_background(state, rules))
    await loader.create_all(background)
    # What the cluster's own objects are refused for is not the question.
    loader.problems.clear()
    await loader.make_namespaces(tuple(objects))
    async with cluster.running():
        await loader.create_all(objects)
        await clock.sleep(WORK_SECONDS)
        found = [read async for read in _read(cluster, rules)]
    return Submitted(tuple(found), tuple(loader.problems))


def _background(state: ClusterState, rules: Rules) -> list[InputObject]:
    """Return the cluster's PriorityClasses: admission looks priorities up in them."""
    row = next(row for row in scheme_of(rules.version).resources() if row.kind == "PriorityClass")
    return [
        InputObject(manifest=Manifest(obj, "cluster"), row=row, text="")
        for key, obj in state.objects.items()
        if key.kind == "PriorityClass" and not key.name.startswith("system-")
    ]


async def _read(cluster: EmbeddedCluster, rules: Rules) -> AsyncIterator[ReadObject]:
    for resource in _made(rules):
        listed = await cluster.client.list(resource)
        gvk = GroupVersionKind(resource.group, resource.version, resource.kind)
        for obj in listed.items:
            yield ReadObject(gvk, obj, complete=True)


def _made(rules: Rules) -> list[Resource]:
    """Return what controllers make that concerns a scheduler, in the release's versions."""
    profile = rules.version.schedulers[0]
    made = [JOBS, PODS, REPLICASETS, RESOURCECLAIMS, STATEFULSETS]
    if profile.pod_group_version:
        made.append(pod_groups_in(profile.pod_group_version))
    if profile.workload_version:
        made.append(Resource(_GANG_GROUP, profile.workload_version, "workloads", "Workload"))
    if profile.gates.enabled_if_known("CompositePodGroup"):
        made.append(COMPOSITEPODGROUPS)
    return made
