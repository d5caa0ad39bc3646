"""The objects of a cluster at one moment, as far as scheduling depends on them.

The records are those that the scheduler's cache keeps; beside them stands what only people
ask about: who owns a pod, what a Job was told. A state is a value: an edited one is a new
one. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from kubegang.api.profile import SchedulerProfile
from kubegang.api.scheduling.types import CompositePodGroup, PodGroup
from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.devices import DeviceObject
from kubegang.scheduler.framework.groupconversion import composite_pod_group_info, pod_group_info
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.storage import StorageObject
from kubegang.scheduler.framework.workloadgroups import WorkloadInfo, group_name
from kubegang.scheduler.framework.workloads import ControllerInfo, NamespaceInfo, ServiceInfo


class ObjectKey(NamedTuple):
    """Kind, namespace and name of an object."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Unseen(msgspec.Struct, frozen=True):
    """A resource that could not be read, so that an answer may be wrong about it.

    Attributes:
        why: what the API server said, or ``not in the dump``.
    """

    resource: str
    why: str


class ClusterState(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster at one moment.

    Attributes:
        taken: the moment, seconds since the epoch.
        pods: those that are not finished, in the order of their creation.
        groups: PodGroups in the form of all releases.
        workloads: those whose entries are groups (1.35).
        objects: Jobs and other owners, PriorityClasses, Workloads, quotas as they were read.
        owners: the object that controls a pod, by the pod's uid.
        warnings: the last Warning event about an object.
        changed_groups: groups as somebody supposes them to be, whatever was read.
        unseen: what could not be read.
        release: the release that the server or the dump names, ``1.37``; empty if it is not
            known.
    """

    taken: float
    nodes: tuple[NodeInfo, ...] = ()
    pods: tuple[PodInfo, ...] = ()
    groups: tuple[PodGroup, ...] = ()
    composites: tuple[CompositePodGroup, ...] = ()
    workloads: tuple[WorkloadInfo, ...] = ()
    namespaces: tuple[NamespaceInfo, ...] = ()
    services: tuple[ServiceInfo, ...] = ()
    controllers: tuple[ControllerInfo, ...] = ()
    budgets: tuple[DisruptionBudget, ...] = ()
    storage: tuple[StorageObject, ...] = ()
    devices: tuple[DeviceObject, ...] = ()
    objects: Mapping[ObjectKey, JsonObject] = {}
    owners: Mapping[PodUid, ObjectKey] = {}
    warnings: Mapping[ObjectKey, str] = {}
    changed_groups: Mapping[PodGroupKey, PodGroupInfo] = {}
    unseen: tuple[Unseen, ...] = ()
    release: str = ""

    def group_records(self, profile: SchedulerProfile) -> Iterator[PodGroupInfo]:
        """Yield all groups as a scheduler of one release sees them."""
        for group in self._read_groups(profile):
            if group.key not in self.changed_groups:
                yield group
        yield from self.changed_groups.values()

    def _read_groups(self, profile: SchedulerProfile) -> Iterator[PodGroupInfo]:
        if profile.workload_version:
            yield from self._workload_groups()
            return
        with_trees = profile.gates.enabled_if_known("CompositePodGroup")
        for group in self.groups:
            yield pod_group_info(
                group,
                condition_type=profile.initially_scheduled_condition,
                with_parent=with_trees,
            )
        if with_trees:
            for composite in self.composites:
                yield composite_pod_group_info(composite)

    def pods_for(self, profile: SchedulerProfile) -> Iterator[PodInfo]:
        """Yield all pods as a release has them: it knows one way to name a group.

        A server drops the field that its release does not have.
        """
        by_workload = bool(profile.workload_version)
        for pod in self.pods:
            if pod.pod_group is not None and (pod.workload_ref is not None) != by_workload:
                yield msgspec.structs.replace(pod, pod_group=None, workload_ref=None)
            else:
                yield pod

    def _workload_groups(self) -> Iterator[PodGroupInfo]:
        """Yield the groups that some pod names, of the Workloads that exist (1.35)."""
        known = {(w.namespace, w.name): w for w in self.workloads}
        seen: set[PodGroupKey] = set()
        for pod in self.pods:
            key = pod.pod_group
            name = group_name(key) if key is not None else None
            if key is None or name is None or key in seen:
                continue
            seen.add(key)
            workload = known.get((key.namespace, name.workload))
            group = None if workload is None else workload.group(key, pod)
            if group is not None:
                yield group
