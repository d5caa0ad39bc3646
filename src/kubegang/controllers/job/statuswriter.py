"""Writes the status of Jobs, and knows which Jobs have been seen as they were written."""

from __future__ import annotations

from kubegang.apimachinery.errors import ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.interface import Client
from kubegang.client.localcopy import is_newer
from kubegang.client.resources import JOBS
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.jobs import status_of, uid
from kubegang.controllers.job.status import StatusChange

PATIENCE_SECONDS = 30.0
"""So long is waited to see what was written; a server that was restored from a backup may
never show it."""


class StatusWriter:
    """Writes a status only if it differs, then tells the events that belong to it."""

    def __init__(self, client: Client, *, recorder: EventRecorder, clock: Clock) -> None:
        self._client = client
        self._recorder = recorder
        self._clock = clock
        # By Job: the resourceVersion of the last write, and when it was.
        self._written: dict[str, tuple[str, float]] = {}

    async def write(self, job: JsonObject, change: StatusChange) -> JsonObject:
        """Write a status; return the Job as stored.

        Raises:
            ConflictError: the Job has changed, or is gone.
            ApiError: the status was refused.
        """
        if change.status != status_of(job):
            changed = {**job, "status": change.status}
            try:
                job = await self._client.update(JOBS, changed, subresource="status")
            except NotFoundError as error:
                raise ConflictError(error.message) from error
            version = job["metadata"]["resourceVersion"]
            self._written[uid(job)] = (version, self._clock.steady())
        for event in change.events:
            self._recorder.record(job, type_=event.type, reason=event.reason, message=event.message)
        return job

    def is_outdated(self, job: JsonObject) -> bool:
        """Return whether a Job is older than our own last write of it."""
        version, at = self._written.get(uid(job), ("0", 0.0))
        if self._clock.steady() - at > PATIENCE_SECONDS:
            return False
        return is_newer(version, job["metadata"]["resourceVersion"])

    def forget(self, job_uid: str) -> None:
        """The Job is gone."""
        self._written.pop(job_uid, None)
