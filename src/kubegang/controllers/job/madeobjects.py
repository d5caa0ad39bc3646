"""Scheduling objects of one kind that are made for Jobs: found where they are, or made.

An object that was made a moment ago may not have been seen by the informer yet. It is
remembered until it is, so that no Job gets a second one.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.apimachinery.errors import AlreadyExistsError, ApiError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.localcopy import IndexFunction
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.owners import is_controlled_by


def controller_key(namespace: str, kind: str, name: str) -> str:
    """Return the key under which the Workload that stands for an object is found."""
    return f"{namespace}/{kind}/{name}"


def index_by_controller_ref(workload: JsonObject) -> list[str]:
    """Return the index key of a Workload: the object that it stands for."""
    reference = workload["spec"].get("controllerRef")
    if not reference:
        return []
    namespace = workload["metadata"]["namespace"]
    return [controller_key(namespace, reference["kind"], reference["name"])]


INDEX = "for-jobs"


class MadeObjects:
    """The Workloads or the PodGroups of Jobs; a Job's own are those that it controls.

    Attributes:
        synced: set when all objects there are have been seen.
    """

    def __init__(
        self,
        client: Client,
        resource: Resource,
        *,
        informer: Informer[JsonObject],
        index_by: IndexFunction[JsonObject],
        recorder: EventRecorder,
        tells_success: bool,
        tells_failure: bool,
    ) -> None:
        """Begin to index the objects.

        Args:
            client: makes and changes them.
            resource: their resource, in the version to use.
            informer: knows those that were seen.
            index_by: returns the keys under which an object is looked for.
            recorder: of the Job controller.
            tells_success: whether there is an event when one was made.
            tells_failure: whether there is one when the API refused it.
        """
        self.synced = informer.synced
        self._client = client
        self._resource = resource
        self._informer = informer
        self._recorder = recorder
        self._tells_success = tells_success
        self._tells_failure = tells_failure
        # Made, but not yet seen by the informer; keyed by the Job's uid.
        self._new: dict[str, JsonObject] = {}
        informer.index(INDEX, index_by)

    def seen(self, key: str) -> Sequence[JsonObject]:
        """Return the objects under a key of the index, whoever controls them."""
        return self._informer.by_index(INDEX, key)

    def own(self, job: JsonObject, key: str) -> JsonObject | None:
        """Return the object under a key that the Job controls, if there is one."""
        uid = job["metadata"]["uid"]
        for obj in self.seen(key):
            if is_controlled_by(obj, uid):
                self._new.pop(uid, None)
                return obj
        return self._new.get(uid)

    async def make(self, job: JsonObject, obj: JsonObject) -> JsonObject:
        """Create an object for a Job and remember it.

        Raises:
            ApiError: the API refuses it; no pods may be made then.
        """
        kind, name = self._resource.kind, job["metadata"]["name"]
        try:
            made = await self._client.create(self._resource, obj, job["metadata"]["namespace"])
        except AlreadyExistsError:
            # Made by an earlier attempt whose answer was lost, or by somebody else.
            raise
        except ApiError as error:
            if self._tells_failure:
                message = f"Failed to create {kind} for Job {name}: {error.message}"
                self._tell(job, "Warning", f"Failed{kind}Create", message)
            raise
        self._new[job["metadata"]["uid"]] = made
        if self._tells_success:
            message = f"Created {kind} {made['metadata']['name']} for Job {name}"
            self._tell(job, "Normal", f"{kind}Created", message)
        return made

    async def patch(self, obj: JsonObject, patch: JsonObject) -> None:
        """Change an object by a merge patch.

        Raises:
            ApiError: the API refuses it.
        """
        metadata = obj["metadata"]
        await self._client.patch(
            self._resource, metadata["name"], metadata["namespace"], patch=patch
        )

    def forget(self, job_uid: str) -> None:
        """The Job is gone."""
        self._new.pop(job_uid, None)

    def _tell(self, job: JsonObject, kind: str, reason: str, message: str) -> None:
        self._recorder.record(job, type_=kind, reason=reason, message=message)
