"""Writes statuses, and knows which objects have been seen as they were written."""

from __future__ import annotations

from kubegang.apimachinery.errors import ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.interface import Client, Resource
from kubegang.client.localcopy import is_newer
from kubegang.controllers.workloads.objects import uid_of

PATIENCE_SECONDS = 30.0
"""So long is waited to see what was written; a server that was restored from a backup may
never show it."""


class StatusWriter:
    """Writes the status of one kind."""

    def __init__(self, client: Client, resource: Resource, *, clock: Clock) -> None:
        self._client = client
        self._resource = resource
        self._clock = clock
        # By object: the resourceVersion of the last write, and when it was.
        self._written: dict[str, tuple[str, float]] = {}

    async def write(
        self, obj: JsonObject, status: JsonObject, *, metadata: JsonObject | None = None
    ) -> JsonObject:
        """Write a status; return the object as stored.

        Args:
            obj: the object as it was seen.
            status: its new status.
            metadata: what its metadata becomes, if that changes as well.

        Raises:
            ConflictError: the object has changed, or is gone.
            ApiError: the status was refused.
        """
        changed = {**obj, "status": status, "metadata": metadata or obj["metadata"]}
        try:
            stored = await self._client.update(self._resource, changed, subresource="status")
        except NotFoundError as error:
            raise ConflictError(error.message) from error
        self.wrote(stored)
        return stored

    def wrote(self, obj: JsonObject) -> None:
        """Remember an object that was written otherwise."""
        version = obj["metadata"]["resourceVersion"]
        self._written[uid_of(obj)] = (version, self._clock.steady())

    def is_outdated(self, obj: JsonObject) -> bool:
        """Return whether an object is older than our own last write of it."""
        version, at = self._written.get(uid_of(obj), ("0", 0.0))
        if self._clock.steady() - at > PATIENCE_SECONDS:
            return False
        return is_newer(version, obj["metadata"]["resourceVersion"])

    def forget(self, uid: str) -> None:
        """The object is gone."""
        self._written.pop(uid, None)
