"""Makes the Workload and PodGroup of Jobs that are gangs by their shape (``shape``).

Both are in v1alpha2 and never change.
"""

from __future__ import annotations

from typing import Final

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.madeobjects import (
    MadeObjects,
    controller_key,
    index_by_controller_ref,
)
from kubegang.controllers.job.scheduling import never_started, template_of
from kubegang.controllers.job.shape import is_gang, pod_group_for, workload_for

WORKLOADS: Final = Resource("scheduling.k8s.io", "v1alpha2", "workloads", "Workload")
PODGROUPS: Final = Resource("scheduling.k8s.io", "v1alpha2", "podgroups", "PodGroup")


def index_by_workload(group: JsonObject) -> list[str]:
    """Return the index key of a PodGroup: the namespace and name of its Workload."""
    reference = (group["spec"].get("podGroupTemplateRef") or {}).get("workload")
    return [f"{group['metadata']['namespace']}/{reference['workloadName']}"] if reference else []


class ShapedGangs:
    """The Workloads and PodGroups of Jobs; an object that is not the Job's own leaves it alone.

    Users hear of a Workload that was made, and of nothing else (measured on 1.36.3).

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
        self._workloads = MadeObjects(
            client,
            WORKLOADS,
            informer=workloads,
            index_by=index_by_controller_ref,
            recorder=recorder,
            tells_success=True,
            tells_failure=False,
        )
        self._groups = MadeObjects(
            client,
            PODGROUPS,
            informer=pod_groups,
            index_by=index_by_workload,
            recorder=recorder,
            tells_success=False,
            tells_failure=False,
        )
        self.synced = [self._workloads.synced, self._groups.synced]

    async def group_for(self, job: JsonObject, *, pod_count: int) -> str:
        """Return the name of the Job's PodGroup, made if need be; empty for no group.

        Raises:
            ApiError: an object could not be made; no pods may be made then.
        """
        if not is_gang(job):
            return ""
        metadata = job["metadata"]
        key = controller_key(metadata["namespace"], "Job", metadata["name"])
        workload = _only_own(self._workloads, job, key)
        if workload is None and never_started(job, pod_count=pod_count):
            if self._workloads.seen(key):
                return ""
            workload = await self._workloads.make(job, workload_for(job))
        if workload is None or template_of(workload) is None:
            return ""
        return await self._group_of(job, workload)

    def forget(self, job_uid: str) -> None:
        """The Job is gone."""
        self._workloads.forget(job_uid)
        self._groups.forget(job_uid)

    async def _group_of(self, job: JsonObject, workload: JsonObject) -> str:
        key = f"{job['metadata']['namespace']}/{workload['metadata']['name']}"
        group = _only_own(self._groups, job, key)
        if group is None:
            if self._groups.seen(key):
                return ""
            group = await self._groups.make(job, pod_group_for(job, workload))
        return str(group["metadata"]["name"])


def _only_own(objects: MadeObjects, job: JsonObject, key: str) -> JsonObject | None:
    """Return the Job's object if it has one and nobody else has one under the same key."""
    own = objects.own(job, key)
    return own if all(obj is own for obj in objects.seen(key)) else None
