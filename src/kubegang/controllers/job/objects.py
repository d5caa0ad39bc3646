"""Finds or makes the Workload and PodGroup of a Job, by the rules of Kubernetes 1.37."""

from __future__ import annotations

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import PODGROUPS, WORKLOADS
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.madeobjects import (
    MadeObjects,
    controller_key,
    index_by_controller_ref,
)
from kubegang.controllers.job.scheduling import (
    TEMPLATE_ANNOTATION,
    index_by_workload,
    management,
    min_count_of,
    never_started,
    pod_group_change,
    pod_group_for,
    template_of,
    wanted_min_count,
    workload_change,
    workload_for,
)
from kubegang.controllers.owners import controller_of

_log = logger(__name__)


class SchedulingObjects:
    """The Workloads and PodGroups of Jobs.

    Objects are told by their controller's uid, never by name: one that a user made and that
    only points at the Job is ignored.

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
        self._client = client
        self._workloads = MadeObjects(
            client,
            WORKLOADS,
            informer=workloads,
            index_by=index_by_controller_ref,
            recorder=recorder,
            tells_success=True,
            tells_failure=True,
        )
        self._groups = MadeObjects(
            client,
            PODGROUPS,
            informer=pod_groups,
            index_by=index_by_workload,
            recorder=recorder,
            tells_success=True,
            tells_failure=False,
        )
        self.synced = [self._workloads.synced, self._groups.synced]

    async def group_for(self, job: JsonObject, *, pod_count: int) -> str:
        """Return the name of the Job's PodGroup, made if need be; empty for no group.

        Raises:
            ApiError: an object could not be made or read; no pods may be made then.
        """
        may_create = never_started(job, pod_count=pod_count)
        match management(job):
            case "none":
                return ""
            case "both":
                group = await self._with_workload(job, may_create=may_create)
            case "pod-group-only":
                group = await self._delegated(job, may_create=may_create)
        return str(group["metadata"]["name"]) if group is not None else ""

    def forget(self, job_uid: str) -> None:
        """The Job is gone."""
        self._workloads.forget(job_uid)
        self._groups.forget(job_uid)

    async def _with_workload(self, job: JsonObject, *, may_create: bool) -> JsonObject | None:
        """Return the group of a Job that has a Workload of its own."""
        metadata = job["metadata"]
        key = controller_key(metadata["namespace"], "Job", metadata["name"])
        workload = self._workloads.own(job, key)
        if workload is None and may_create:
            workload = await self._workloads.make(job, workload_for(job))
        if workload is None:
            return None
        template = template_of(workload)
        group = await self._group(job, workload, template, may_create=may_create)
        if group is not None:
            await self._follow(job, workload, group, wanted_min_count(job))
        return group

    async def _delegated(self, job: JsonObject, *, may_create: bool) -> JsonObject | None:
        """Return the group of a Job that names a template of its owner's Workload."""
        workload = await self._workload_of_owner(job, may_create=may_create)
        if workload is None:
            return None
        wanted = job["metadata"]["annotations"][TEMPLATE_ANNOTATION]
        template = template_of(workload, wanted)
        group = await self._group(job, workload, template, may_create=may_create)
        if group is not None and template is not None:
            await self._follow(job, None, group, min_count_of(template))
        return group

    async def _workload_of_owner(self, job: JsonObject, *, may_create: bool) -> JsonObject | None:
        owner = controller_of(job)
        if owner is None:
            return None
        namespace = job["metadata"]["namespace"]
        key = controller_key(namespace, owner["kind"], owner["name"])
        found = self._workloads.seen(key)
        if not found and may_create:
            # Whoever made it just before the Job must not see pods without a group because
            # the news of it is late.
            listed = (await self._client.list(WORKLOADS, namespace)).items
            found = [workload for workload in listed if key in index_by_controller_ref(workload)]
        return found[0] if len(found) == 1 else None

    async def _group(
        self,
        job: JsonObject,
        workload: JsonObject,
        template: JsonObject | None,
        *,
        may_create: bool,
    ) -> JsonObject | None:
        if template is None:
            return None
        key = f"{job['metadata']['namespace']}/{workload['metadata']['name']}"
        group = self._groups.own(job, key)
        if group is None and may_create:
            group = await self._groups.make(job, pod_group_for(job, workload, template))
        return group

    async def _follow(
        self,
        job: JsonObject,
        workload: JsonObject | None,
        group: JsonObject,
        minimum: int | None,
    ) -> None:
        """Carry a changed minimum into the Job's own Workload, and into the PodGroup."""
        try:
            if workload is not None:
                change = workload_change(workload, minimum)
                if change is not None:
                    await self._workloads.patch(workload, change.patch)
            change = pod_group_change(group, minimum)
            if change is not None:
                await self._groups.patch(group, change.patch)
        except NotFoundError as error:
            # Deleted under us: the Job goes on with the pods it has.
            _log.info("scheduling object is gone", job=job["metadata"]["name"], error=str(error))
