"""Groups that are entries of a Workload, told to cache and queue as if they were objects (1.35).

A group is there while its Workload is and some pod names it; so a replica key becomes a group
with its first pod. Nobody behind the handlers knows that there is no PodGroup.
"""

from __future__ import annotations

from typing import Any

from kubegang.api.meta import decode
from kubegang.api.scheduling import v1alpha1
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.scheduler.eventhandlers import EventHandlers
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.workloadgroups import (
    WorkloadInfo,
    group_name,
    workload_info,
)

_WorkloadKey = tuple[str, str]


class WorkloadHandlers:
    """Handlers for Workloads, and for pods that name them."""

    def __init__(self, handlers: EventHandlers) -> None:
        """Pass everything on to ``handlers``."""
        self._handlers = handlers
        self._workloads: dict[_WorkloadKey, WorkloadInfo] = {}
        self._pods: dict[PodGroupKey, dict[PodUid, PodInfo]] = {}
        self._groups: dict[PodGroupKey, PodGroupInfo] = {}

    # --- pods ----------------------------------------------------------------------------

    def pod_added(self, pod: PodInfo) -> None:
        """See a pod; it may be the first of its group."""
        self._see(pod)
        self._handlers.pod_added(pod)

    def pod_updated(self, old: PodInfo, new: PodInfo) -> None:
        """Follow a pod."""
        if old.uid != new.uid:
            self.pod_deleted(old)
            self.pod_added(new)
            return
        self._handlers.pod_updated(old, new)
        if new.finished:
            self._forget(new)

    def pod_deleted(self, pod: PodInfo) -> None:
        """Forget a pod; it may have been the last of its group."""
        self._handlers.pod_deleted(pod)
        self._forget(pod)

    # --- Workloads -----------------------------------------------------------------------

    def workload_added(self, workload: WorkloadInfo) -> None:
        """Let the groups of a Workload appear, as far as pods name them."""
        self._workloads[workload.namespace, workload.name] = workload
        self._handlers.workload_known(workload.namespace, workload.name)
        for key in self._keys_of(workload):
            self._bring(workload, key)

    def workload_updated(self, old: WorkloadInfo, new: WorkloadInfo) -> None:
        """Take over a newer form of a Workload."""
        if old.uid != new.uid:
            self.workload_deleted(old)
        self.workload_added(new)

    def workload_deleted(self, workload: WorkloadInfo) -> None:
        """Let the groups of a Workload go."""
        self._workloads.pop((workload.namespace, workload.name), None)
        self._handlers.workload_forgotten(workload.namespace, workload.name)
        for key in self._keys_of(workload):
            self._take_away(key)

    # --- steps ---------------------------------------------------------------------------

    def _see(self, pod: PodInfo) -> None:
        key = pod.pod_group
        name = group_name(key) if key is not None else None
        if key is None or name is None:
            return
        self._pods.setdefault(key, {})[pod.uid] = pod
        workload = self._workloads.get((key.namespace, name.workload))
        if workload is not None and key not in self._groups:
            self._bring(workload, key)

    def _forget(self, pod: PodInfo) -> None:
        key = pod.pod_group
        members = self._pods.get(key) if key is not None else None
        if key is None or members is None:
            return
        members.pop(pod.uid, None)
        if not members:
            del self._pods[key]
            self._take_away(key)

    def _keys_of(self, workload: WorkloadInfo) -> list[PodGroupKey]:
        return [
            key
            for key in self._pods
            if key.namespace == workload.namespace
            and (name := group_name(key)) is not None
            and name.workload == workload.name
        ]

    def _bring(self, workload: WorkloadInfo, key: PodGroupKey) -> None:
        known = self._groups.get(key)
        group = workload.group(key, next(iter(self._pods[key].values())))
        if group is None:
            self._take_away(key)
            return
        self._groups[key] = group
        if known is None:
            self._handlers.pod_group_added(group)
        else:
            self._handlers.pod_group_updated(known, group)

    def _take_away(self, key: PodGroupKey) -> None:
        group = self._groups.pop(key, None)
        if group is not None:
            self._handlers.pod_group_deleted(group)


def make_workload_informers(
    client: Client, handlers: WorkloadHandlers | None, *, version: str, clock: Clock
) -> tuple[Informer[Any], ...]:
    """Return the informer of Workloads that feeds the handlers, if there are any."""
    if handlers is None:
        return ()

    def decoded(body: bytes) -> WorkloadInfo:
        return workload_info(decode(bytes(body), v1alpha1.Workload).to_internal())

    resource = Resource("scheduling.k8s.io", version, "workloads", "Workload")
    informer = Informer(client, resource, clock=clock, decode_bytes=decoded)
    informer.add_handler(
        handlers.workload_added, handlers.workload_updated, handlers.workload_deleted
    )
    return (informer,)
