"""What the Deployment controller writes through the API, told to users as events."""

from __future__ import annotations

from kubegang.apimachinery.errors import AlreadyExistsError, ApiError, ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.interface import Client
from kubegang.client.resources import DEPLOYMENTS, REPLICASETS
from kubegang.controllers.deployment.annotations import REVISION, size_annotations
from kubegang.controllers.deployment.replicasets import is_same_template
from kubegang.controllers.deployment.status import (
    PROGRESSING,
    SET_REFUSED,
    condition,
    conditions_of,
    with_condition,
)
from kubegang.controllers.deployment.strategy import progress_deadline
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.owners import is_controlled_by
from kubegang.controllers.workloads.objects import (
    annotations_of,
    name_of,
    replicas_of,
    status_of,
    uid_of,
)
from kubegang.controllers.workloads.podactions import namespace_goes
from kubegang.controllers.workloads.statuses import StatusWriter


class DeploymentWriter:
    """Writes Deployments and their ReplicaSets."""

    def __init__(self, client: Client, *, recorder: EventRecorder, clock: Clock) -> None:
        self._client = client
        self._recorder = recorder
        self._clock = clock
        self.statuses = StatusWriter(client, DEPLOYMENTS, clock=clock)

    async def write_status(
        self, deployment: JsonObject, status: JsonObject, *, revision: str = ""
    ) -> JsonObject:
        """Write a status, and with it the Deployment's revision; nothing if both are there."""
        metadata = deployment["metadata"]
        if revision and annotations_of(deployment).get(REVISION) != revision:
            annotations = {**annotations_of(deployment), REVISION: revision}
            metadata = {**metadata, "annotations": annotations}
        if status == status_of(deployment) and metadata is deployment["metadata"]:
            return deployment
        return await self.statuses.write(deployment, status, metadata=metadata)

    async def write_conditions(
        self, deployment: JsonObject, conditions: list[JsonObject], *, revision: str = ""
    ) -> JsonObject:
        """Write conditions and leave the rest of the status as it is."""
        status = {**status_of(deployment), "conditions": conditions}
        if not conditions:
            del status["conditions"]
        return await self.write_status(deployment, status, revision=revision)

    async def create(self, deployment: JsonObject, wanted: JsonObject) -> tuple[JsonObject, bool]:
        """Create a ReplicaSet; return it, and whether it is a new one.

        Raises:
            ApiError: it was refused, or its name is taken by one of another template; then
                the Deployment says so, and the next attempt has another name.
        """
        namespace = deployment["metadata"]["namespace"]
        try:
            made = await self._client.create(REPLICASETS, wanted, namespace)
        except AlreadyExistsError:
            return await self._existing(deployment, wanted), False
        except ApiError as failure:
            if not namespace_goes(failure):
                await self._tell_refused(deployment, wanted, failure)
            raise
        size = replicas_of(made)
        if size:
            self._tell(deployment, f"Scaled up replica set {name_of(made)} from 0 to {size}")
        return made, True

    async def resize(
        self, deployment: JsonObject, replica_set: JsonObject, size: int, *, notes: bool
    ) -> JsonObject:
        """Give a ReplicaSet a size; with ``notes`` its annotations are kept up even so."""
        noted = {**annotations_of(replica_set), **size_annotations(deployment)}
        former = replicas_of(replica_set)
        if former == size and (not notes or noted == annotations_of(replica_set)):
            return replica_set
        changed = {
            **replica_set,
            "metadata": {**replica_set["metadata"], "annotations": noted},
            "spec": {**replica_set["spec"], "replicas": size},
        }
        stored = await self.replace(changed)
        if former != size:
            way = "up" if former < size else "down"
            name = name_of(replica_set)
            self._tell(deployment, f"Scaled {way} replica set {name} from {former} to {size}")
        return stored

    async def replace(self, replica_set: JsonObject) -> JsonObject:
        """Write a changed ReplicaSet.

        Raises:
            ConflictError: it has changed, or is gone.
        """
        try:
            return await self._client.update(REPLICASETS, replica_set)
        except NotFoundError as error:
            raise ConflictError(error.message) from error

    async def delete(self, replica_set: JsonObject) -> None:
        """Delete an old ReplicaSet."""
        try:
            await self._client.delete(
                REPLICASETS, name_of(replica_set), replica_set["metadata"]["namespace"]
            )
        except NotFoundError:
            return

    async def _existing(self, deployment: JsonObject, wanted: JsonObject) -> JsonObject:
        """Return the ReplicaSet that has the name already, if it is ours after all."""
        namespace = deployment["metadata"]["namespace"]
        found = await self._client.get(REPLICASETS, name_of(wanted), namespace)
        if is_controlled_by(found, uid_of(deployment)) and is_same_template(deployment, found):
            return found
        collisions = (status_of(deployment).get("collisionCount") or 0) + 1
        status = {**status_of(deployment), "collisionCount": collisions}
        await self.statuses.write(deployment, status)
        raise ConflictError(f"the name of replica set {name_of(wanted)} is taken")

    async def _tell_refused(
        self, deployment: JsonObject, wanted: JsonObject, failure: ApiError
    ) -> None:
        message = f'Failed to create new replica set "{name_of(wanted)}": {failure}'
        if progress_deadline(deployment) is not None:
            told = condition(PROGRESSING, "False", SET_REFUSED, message, now=self._clock.now())
            await self.write_conditions(deployment, with_condition(conditions_of(deployment), told))
        self._recorder.record(deployment, type_="Warning", reason=SET_REFUSED, message=message)

    def _tell(self, deployment: JsonObject, message: str) -> None:
        self._recorder.record(
            deployment, type_="Normal", reason="ScalingReplicaSet", message=message
        )
