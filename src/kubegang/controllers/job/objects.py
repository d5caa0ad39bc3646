"""Finds or makes the Workload and PodGroup of a Job through the API."""

from __future__ import annotations

from kubegang.apimachinery.errors import AlreadyExistsError, ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import PODGROUPS, WORKLOADS
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.scheduling import (
    TEMPLATE_ANNOTATION,
    management,
    never_started,
    pod_group_change,
    pod_group_for,
    wanted_min_count,
    workload_change,
    workload_for,
)
from kubegang.controllers.owners import controller_of, is_controlled_by

BY_CONTROLLER_REF = "controller-ref"
BY_WORKLOAD = "workload"

_log = logger(__name__)


def index_by_controller_ref(workload: JsonObject) -> list[str]:
    """Return the index key of a Workload: the namespace, kind and name it stands for."""
    reference = workload["spec"].get("controllerRef")
    if not reference:
        return []
    return [f"{workload['metadata']['namespace']}/{reference['kind']}/{reference['name']}"]


def index_by_workload(group: JsonObject) -> list[str]:
    """Return the index key of a PodGroup: the namespace and name of its Workload."""
    reference = group["spec"].get("workloadRef")
    return [f"{group['metadata']['namespace']}/{reference['workloadName']}"] if reference else []


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
            ApiError: an object could not be made or read; no pods may be made then.
        """
        how = management(job)
        if how == "none":
            return ""
        may_create = never_started(job, pod_count=pod_count)
        if how == "both":
            workload = await self._own_workload(job, may_create=may_create)
            template_wanted = ""
        else:
            workload = await self._workload_of_owner(job, may_create=may_create)
            template_wanted = job["metadata"]["annotations"][TEMPLATE_ANNOTATION]
        if workload is None:
            return ""
        template = _template(workload, template_wanted)
        if template is None:
            return ""
        minimum = wanted_min_count(job) if how == "both" else _min_count(template)
        group = await self._own_group(job, workload, template, may_create=may_create)
        if group is None:
            return ""
        await self._follow(job, workload if how == "both" else None, group, minimum)
        return str(group["metadata"]["name"])

    def forget(self, job_uid: str) -> None:
        """The Job is gone."""
        self._made_workloads.pop(job_uid, None)
        self._made_groups.pop(job_uid, None)

    async def _own_workload(self, job: JsonObject, *, may_create: bool) -> JsonObject | None:
        metadata = job["metadata"]
        key = f"{metadata['namespace']}/Job/{metadata['name']}"
        for workload in self._workloads.by_index(BY_CONTROLLER_REF, key):
            if is_controlled_by(workload, metadata["uid"]):
                self._made_workloads.pop(metadata["uid"], None)
                return workload
        made = self._made_workloads.get(metadata["uid"])
        if made is not None or not may_create:
            return made
        return await self._create_workload(job)

    async def _create_workload(self, job: JsonObject) -> JsonObject:
        name, namespace = job["metadata"]["name"], job["metadata"]["namespace"]
        try:
            made = await self._client.create(WORKLOADS, workload_for(job), namespace)
        except AlreadyExistsError:
            raise
        except ApiError as error:
            self._recorder.record(
                job,
                type_="Warning",
                reason="FailedWorkloadCreate",
                message=f"Failed to create Workload for Job {name}: {error.message}",
            )
            raise
        self._made_workloads[job["metadata"]["uid"]] = made
        self._recorder.record(
            job,
            type_="Normal",
            reason="WorkloadCreated",
            message=f"Created Workload {made['metadata']['name']} for Job {name}",
        )
        return made

    async def _workload_of_owner(self, job: JsonObject, *, may_create: bool) -> JsonObject | None:
        owner = controller_of(job)
        if owner is None:
            return None
        namespace = job["metadata"]["namespace"]
        key = f"{namespace}/{owner['kind']}/{owner['name']}"
        found = self._workloads.by_index(BY_CONTROLLER_REF, key)
        if not found and may_create:
            # Whoever made it just before the Job must not see pods without a group because
            # the news of it is late.
            listed = (await self._client.list(WORKLOADS, namespace)).items
            found = [workload for workload in listed if key in index_by_controller_ref(workload)]
        return found[0] if len(found) == 1 else None

    async def _own_group(
        self, job: JsonObject, workload: JsonObject, template: JsonObject, *, may_create: bool
    ) -> JsonObject | None:
        metadata = job["metadata"]
        key = f"{metadata['namespace']}/{workload['metadata']['name']}"
        for group in self._groups.by_index(BY_WORKLOAD, key):
            if is_controlled_by(group, metadata["uid"]):
                self._made_groups.pop(metadata["uid"], None)
                return group
        made = self._made_groups.get(metadata["uid"])
        if made is not None or not may_create:
            return made
        group = pod_group_for(job, workload, template)
        made = await self._client.create(PODGROUPS, group, metadata["namespace"])
        self._made_groups[metadata["uid"]] = made
        self._recorder.record(
            job,
            type_="Normal",
            reason="PodGroupCreated",
            message=f"Created PodGroup {made['metadata']['name']} for Job {metadata['name']}",
        )
        return made

    async def _follow(
        self,
        job: JsonObject,
        workload: JsonObject | None,
        group: JsonObject,
        minimum: int | None,
    ) -> None:
        """Carry a changed minimum into the Workload and the PodGroup."""
        namespace = job["metadata"]["namespace"]
        try:
            if workload is not None:
                change = workload_change(workload, minimum)
                if change is not None:
                    name = workload["metadata"]["name"]
                    await self._client.patch(WORKLOADS, name, namespace, patch=change.patch)
            change = pod_group_change(group, minimum)
            if change is not None:
                name = group["metadata"]["name"]
                await self._client.patch(PODGROUPS, name, namespace, patch=change.patch)
        except NotFoundError as error:
            # Deleted under us: the Job goes on with the pods it has.
            _log.info("scheduling object is gone", job=job["metadata"]["name"], error=str(error))


def _template(workload: JsonObject, wanted: str) -> JsonObject | None:
    templates = workload["spec"].get("podGroupTemplates") or []
    if not wanted:
        return templates[0] if len(templates) == 1 else None
    return next((template for template in templates if template["name"] == wanted), None)


def _min_count(template: JsonObject) -> int | None:
    gang = template["schedulingPolicy"].get("gang")
    return None if gang is None else int(gang["minCount"])
