"""A cluster read through its API. Lists only: nothing is ever written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.app.errors import ClusterUnreachableError
from kubegang.client.interface import (
    Client,
    RawList,
    Request,
    Resource,
    Transport,
    UnreachableError,
)
from kubegang.client.resources import (
    COMPOSITEPODGROUPS,
    CORE_EVENTS,
    CSIDRIVERS,
    CSINODES,
    CSISTORAGECAPACITIES,
    DEVICECLASSES,
    JOBS,
    NAMESPACES,
    NODES,
    PERSISTENTVOLUMECLAIMS,
    PERSISTENTVOLUMES,
    PODDISRUPTIONBUDGETS,
    PODS,
    PRIORITYCLASSES,
    REPLICASETS,
    REPLICATIONCONTROLLERS,
    RESOURCECLAIMS,
    RESOURCESLICES,
    SERVICES,
    STATEFULSETS,
    STORAGECLASSES,
    VOLUMEATTACHMENTS,
)
from kubegang.tools.cluster.facts import release_of_version
from kubegang.tools.cluster.state import Unseen

UNFINISHED: Final = "status.phase!=Succeeded,status.phase!=Failed"
WARNINGS: Final = "type=Warning"

GANG_GROUP: Final = "scheduling.k8s.io"
_DEPLOYMENTS: Final = Resource("apps", "v1", "deployments", "Deployment")
_DAEMONSETS: Final = Resource("apps", "v1", "daemonsets", "DaemonSet")
_QUOTAS: Final = Resource("", "v1", "resourcequotas", "ResourceQuota")
_MPIJOBS: Final = Resource("kubeflow.org", "v2beta1", "mpijobs", "MPIJob")
_JOBSETS: Final = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet")

READ: Final[tuple[Resource, ...]] = (
    NODES,
    PODS,
    NAMESPACES,
    PRIORITYCLASSES,
    PODDISRUPTIONBUDGETS,
    JOBS,
    REPLICASETS,
    STATEFULSETS,
    REPLICATIONCONTROLLERS,
    _DEPLOYMENTS,
    _DAEMONSETS,
    SERVICES,
    _QUOTAS,
    PERSISTENTVOLUMECLAIMS,
    PERSISTENTVOLUMES,
    STORAGECLASSES,
    CSINODES,
    CSIDRIVERS,
    CSISTORAGECAPACITIES,
    VOLUMEATTACHMENTS,
    DEVICECLASSES,
    RESOURCESLICES,
    RESOURCECLAIMS,
    CORE_EVENTS,
)
"""Served by every release; gang objects are added in the version that the server has."""

OPTIONAL: Final = (_MPIJOBS, _JOBSETS)
"""Kinds of others that make pods, where they are installed."""

SELECTED: Final = {PODS: UNFINISHED, CORE_EVENTS: WARNINGS}
"""Of these resources only a part is read: the field selector says which."""


class LiveCluster(msgspec.Struct, frozen=True, kw_only=True):
    """What a cluster's API showed.

    Attributes:
        lists: objects that are still bytes, by what they are.
        release: of the server, ``1.37``.
        gang_versions: the versions of scheduling.k8s.io that it serves.
        unseen: what it does not let us read.
    """

    lists: tuple[tuple[Resource, RawList], ...]
    release: str
    gang_versions: tuple[str, ...]
    unseen: tuple[Unseen, ...]


async def read_live(
    client: Client, transport: Transport, *, progress: Callable[[str], None]
) -> LiveCluster:
    """Read everything that scheduling depends on.

    Args:
        client: the API.
        transport: the way to it, for what is no resource.
        progress: told what is being read.

    Raises:
        ClusterUnreachableError: it does not answer, or says that it does not know us.
    """
    try:
        release = await _release(transport)
        versions = await _gang_versions(transport)
        resources = (*READ, *_gang_resources(versions), *OPTIONAL)
        progress(f"reading {len(resources)} resources")
        answers = await asyncio.gather(*(_read(client, resource) for resource in resources))
    except UnreachableError as error:
        raise ClusterUnreachableError(f"cannot use the cluster: {error}") from error
    if all(isinstance(answer, Unseen) for answer in answers):
        first = next(answer for answer in answers if isinstance(answer, Unseen))
        raise ClusterUnreachableError(f"cannot use the cluster: {first.why}")
    return LiveCluster(
        lists=tuple(
            (resource, answer)
            for resource, answer in zip(resources, answers, strict=True)
            if isinstance(answer, RawList)
        ),
        release=release,
        gang_versions=versions,
        unseen=tuple(answer for answer in answers if isinstance(answer, Unseen)),
    )


def kind_of(resource: Resource) -> GroupVersionKind:
    """Return the kind of a resource's objects."""
    return GroupVersionKind(resource.group, resource.version, resource.kind)


async def _read(client: Client, resource: Resource) -> RawList | Unseen | None:
    """Return a list; ``None`` if the server does not have the resource."""
    try:
        return await client.list_raw(resource, field_selector=SELECTED.get(resource, ""))
    except NotFoundError:
        return None
    except ApiError as error:
        return Unseen(resource.plural, error.message)


async def _release(transport: Transport) -> str:
    document = await _document(transport, "/version")
    return release_of_version(str(document.get("gitVersion") or ""))


async def _gang_versions(transport: Transport) -> tuple[str, ...]:
    document = await _document(transport, f"/apis/{GANG_GROUP}")
    return tuple(str(entry.get("version")) for entry in document.get("versions") or ())


async def _document(transport: Transport, path: str) -> JsonObject:
    """Return a document of discovery; empty if we may not see it."""
    response = await transport.send(Request("GET", path, headers=(("accept", "application/json"),)))
    if response.status >= 300:
        return {}
    try:
        return msgspec.json.decode(response.body, type=JsonObject)
    except msgspec.DecodeError as error:
        raise UnreachableError(f"the answer to {path} is no JSON: {error}") from error


def _gang_resources(versions: Sequence[str]) -> list[Resource]:
    """Return PodGroups and so on in the newest version that has them."""
    found: list[Resource] = []
    if "v1alpha3" in versions:
        found.append(COMPOSITEPODGROUPS)
    newest = next((v for v in ("v1beta1", "v1alpha3", "v1alpha2") if v in versions), "")
    if newest:
        found.append(Resource(GANG_GROUP, newest, "podgroups", "PodGroup"))
    workloads = newest or ("v1alpha1" if "v1alpha1" in versions else "")
    if workloads:
        found.append(Resource(GANG_GROUP, workloads, "workloads", "Workload"))
    return found
