"""The Workload and PodGroup of Jobs that are gangs by their shape, as Kubernetes 1.36 has it.

A Job says nothing about scheduling there. One whose pods all have to run at once, each with an
index of its own, gets a Workload and a PodGroup for all of them; other Jobs get none
(measured on 1.36.3). Both are in v1alpha2 and never change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.jobs import is_indexed
from kubegang.controllers.job.names import pod_group_name, template_name, workload_name
from kubegang.controllers.job.objects import BY_CONTROLLER_REF, index_by_controller_ref
from kubegang.controllers.job.scheduling import never_started
from kubegang.controllers.owners import controller_reference, is_controlled_by, owner_reference

WORKLOADS: Final = Resource("scheduling.k8s.io", "v1alpha2", "workloads", "Workload")
PODGROUPS: Final = Resource("scheduling.k8s.io", "v1alpha2", "podgroups", "PodGroup")

BY_WORKLOAD = "workload"


def is_gang(job: JsonObject) -> bool:
    """Return whether a Job gets a group: whoever owns it, and unless its pods name one."""
    spec = job["spec"]
    parallelism = spec.get("parallelism", 1)
    return (
        parallelism > 1
        and is_indexed(job)
        and spec.get("completions") == parallelism
        and not spec["template"]["spec"].get("schedulingGroup")
    )


def workload_for(job: JsonObject) -> JsonObject:
    """Return the Workload to create for a Job; the pods' priority class is not copied."""
    name = job["metadata"]["name"]
    policy = {"gang": {"minCount": job["spec"]["parallelism"]}}
    return {
        "apiVersion": WORKLOADS.api_version,
        "kind": WORKLOADS.kind,
        "metadata": {
            "name": workload_name(name, job["metadata"]["uid"]),
            "namespace": job["metadata"]["namespace"],
            "ownerReferences": [controller_reference(job)],
        },
        "spec": {
            "controllerRef": {"apiGroup": "batch", "kind": "Job", "name": name},
            "podGroupTemplates": [{"name": template_name(name), "schedulingPolicy": policy}],
        },
    }


def pod_group_for(job: JsonObject, workload: JsonObject) -> JsonObject:
    """Return the PodGroup to create from a Job's Workload."""
    name, template = workload["metadata"]["name"], workload["spec"]["podGroupTemplates"][0]
    reference = {"workloadName": name, "podGroupTemplateName": template["name"]}
    return {
        "apiVersion": PODGROUPS.api_version,
        "kind": PODGROUPS.kind,
        "metadata": {
            "name": pod_group_name(name, template["name"]),
            "namespace": job["metadata"]["namespace"],
            "ownerReferences": [controller_reference(job), owner_reference(workload)],
        },
        "spec": {
            "podGroupTemplateRef": {"workload": reference},
            "schedulingPolicy": template["schedulingPolicy"],
        },
    }


def index_by_workload(group: JsonObject) -> list[str]:
    """Return the index key of a PodGroup: the namespace and name of its Workload."""
    reference = (group["spec"].get("podGroupTemplateRef") or {}).get("workload")
    return [f"{group['metadata']['namespace']}/{reference['workloadName']}"] if reference else []


class ShapedGangs:
    """The Workloads and PodGroups of Jobs; an object that is not the Job's own leaves it alone.

    Attributes:
        synced: set when all objects there are have been seen.
    """

    def __init__(
        self,
        client: Client,
        *,
        workloads: Informer[JsonObject],
        pod_groups: Informer[JsonObject],
        recorder: EventRecorder,
    ) -> None:
        self.synced = [workloads.synced, pod_groups.synced]
        self._client = client
        self._workloads = workloads
        self._groups = pod_groups
        self._recorder = recorder
        # Made by us, not yet seen by the informers; keyed by the Job's uid.
        self._made_workloads: dict[str, JsonObject] = {}
        self._made_groups: dict[str, JsonObject] = {}
        workloads.index(BY_CONTROLLER_REF, index_by_controller_ref)
        pod_groups.index(BY_WORKLOAD, index_by_workload)

    async def group_for(self, job: JsonObject, *, pod_count: int) -> str:
        """Return the name of the Job's PodGroup, made if need be; empty for no group.

        Raises:
            ApiError: an object could not be made; no pods may be made then.
        """
        if not is_gang(job):
            return ""
        workload = await self._workload(job, may_create=never_started(job, pod_count=pod_count))
        if workload is None or len(workload["spec"].get("podGroupTemplates") or ()) != 1:
            return ""
        group = await self._group(job, workload)
        return "" if group is None else str(group["metadata"]["name"])

    def forget(self, job_uid: str) -> None:
        """The Job is gone."""
        self._made_workloads.pop(job_uid, None)
        self._made_groups.pop(job_uid, None)

    async def _workload(self, job: JsonObject, *, may_create: bool) -> JsonObject | None:
        metadata = job["metadata"]
        key = f"{metadata['namespace']}/Job/{metadata['name']}"
        found = self._workloads.by_index(BY_CONTROLLER_REF, key)
        if found:
            self._made_workloads.pop(metadata["uid"], None)
            return _only_own(found, job)
        made = self._made_workloads.get(metadata["uid"])
        if made is not None or not may_create:
            return made
        made = await self._client.create(WORKLOADS, workload_for(job), metadata["namespace"])
        self._made_workloads[metadata["uid"]] = made
        self._recorder.record(
            job,
            type_="Normal",
            reason="WorkloadCreated",
            message=f"Created Workload {made['metadata']['name']} for Job {metadata['name']}",
        )
        return made

    async def _group(self, job: JsonObject, workload: JsonObject) -> JsonObject | None:
        metadata = job["metadata"]
        key = f"{metadata['namespace']}/{workload['metadata']['name']}"
        found = self._groups.by_index(BY_WORKLOAD, key)
        if found:
            self._made_groups.pop(metadata["uid"], None)
            return _only_own(found, job)
        made = self._made_groups.get(metadata["uid"])
        if made is None:
            group = pod_group_for(job, workload)
            made = await self._client.create(PODGROUPS, group, metadata["namespace"])
            self._made_groups[metadata["uid"]] = made
        return made


def _only_own(found: Sequence[JsonObject], job: JsonObject) -> JsonObject | None:
    """Return the one object if there is one and the Job controls it; else there is no group."""
    if len(found) != 1 or not is_controlled_by(found[0], job["metadata"]["uid"]):
        return None
    return found[0]
