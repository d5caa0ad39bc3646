"""The objects of a trace's jobs, in the form that the scheduler keeps. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kubegang.api.profile import SchedulerProfile
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.workloadgroups import WorkloadInfo
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.tools.cluster.reading import StateReader
from kubegang.tools.replaying.trace import TraceJob

NAMESPACE = "default"

_POD = GroupVersionKind("", "v1", "Pod")
_GROUP = GroupVersionKind("scheduling.k8s.io", "v1beta1", "PodGroup")
_WORKLOAD = GroupVersionKind("scheduling.k8s.io", "v1alpha1", "Workload")
_MEMBERS = "pods"


class JobObjects(msgspec.Struct, frozen=True):
    """Pods of a job, and its group if it is a gang (1.35: with the Workload that has it)."""

    pods: Sequence[PodInfo]
    groups: Sequence[PodGroupInfo]
    workloads: Sequence[WorkloadInfo]

    @property
    def entity(self) -> EntityKey:
        """What is decided about together."""
        return self.groups[0].key if self.groups else self.pods[0].uid


class ObjectMaker:
    """Makes the objects of jobs as one release has them."""

    def __init__(self, profile: SchedulerProfile, gates: FeatureGates) -> None:
        """Take what names and fields depend on.

        Args:
            profile: whose pods they are.
            gates: of the API server.
        """
        self._profile = profile
        self._gates = gates

    def objects_of(self, job: TraceJob, *, number: int, attempt: int, now: float) -> JobObjects:
        """Return a job's objects, created now.

        Args:
            job: what it asks for.
            number: tells jobs of one name apart.
            attempt: grows when it must begin anew.
            now: seconds since the epoch.
        """
        name = f"{job.name}-{number}-{attempt}"
        reader = StateReader(self._gates)
        if job.gang and self._profile.workload_version:
            reader.add(_WORKLOAD, _workload(name, job, now))
        elif job.gang:
            reader.add(_GROUP, _group(name, job, now))
        for index in range(job.pods):
            reader.add(_POD, self._pod(f"{name}-{index}", name, job, now))
        state = reader.state(taken=now)
        return JobObjects(
            tuple(state.pods_for(self._profile)),
            tuple(state.group_records(self._profile)),
            state.workloads,
        )

    def _pod(self, name: str, group: str, job: TraceJob, now: float) -> JsonObject:
        resources = {"requests": dict(job.requests), "limits": dict(job.requests)}
        spec: JsonObject = {
            "schedulerName": self._profile.scheduler_name,
            "priority": job.priority,
            "containers": [{"name": "main", "image": "job", "resources": resources}],
        }
        if job.gang and self._profile.workload_version:
            spec["workloadRef"] = {"name": group, "podGroup": _MEMBERS}
        elif job.gang:
            spec["schedulingGroup"] = {"podGroupName": group}
        return {"metadata": _metadata(name, now), "spec": spec}


def _group(name: str, job: TraceJob, now: float) -> JsonObject:
    spec: JsonObject = {
        "schedulingPolicy": {"gang": {"minCount": job.pods}},
        "priority": job.priority,
    }
    if job.topology_key:
        spec["schedulingConstraints"] = {"topology": [{"key": job.topology_key}]}
    return {"metadata": _metadata(name, now), "spec": spec}


def _workload(name: str, job: TraceJob, now: float) -> JsonObject:
    groups = [{"name": _MEMBERS, "policy": {"gang": {"minCount": job.pods}}}]
    return {"metadata": _metadata(name, now), "spec": {"podGroups": groups}}


def _metadata(name: str, now: float) -> JsonObject:
    return {
        "name": name,
        "namespace": NAMESPACE,
        "uid": name,
        "creationTimestamp": format_time(now),
    }
