"""Writes the status of Jobs, and knows which Jobs have been seen as they were written."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Client
from kubegang.client.localcopy import is_newer
from kubegang.client.resources import JOBS
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.jobs import status_of, uid
from kubegang.controllers.job.status import StatusChange


class StatusWriter:
    """Writes a status only if it differs, then tells the events that belong to it."""

    def __init__(self, client: Client, *, recorder: EventRecorder) -> None:
        self._client = client
        self._recorder = recorder
        self._written: dict[str, str] = {}

    async def write(self, job: JsonObject, change: StatusChange) -> JsonObject:
        """Write a status; return the Job as stored."""
        if change.status != status_of(job):
            changed = {**job, "status": change.status}
            job = await self._client.update(JOBS, changed, subresource="status")
            self._written[uid(job)] = job["metadata"]["resourceVersion"]
        for event in change.events:
            self._recorder.record(job, type_=event.type, reason=event.reason, message=event.message)
        return job

    def is_outdated(self, job: JsonObject) -> bool:
        """Return whether a Job is older than our own last write of it."""
        written = self._written.get(uid(job))
        return written is not None and is_newer(written, job["metadata"]["resourceVersion"])

    def forget(self, job_uid: str) -> None:
        """The Job is gone."""
        self._written.pop(job_uid, None)
