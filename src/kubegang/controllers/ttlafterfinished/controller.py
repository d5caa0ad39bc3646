"""Deletes finished Jobs when their ``spec.ttlSecondsAfterFinished`` is over (KEP-592)."""

from __future__ import annotations

from kubegang.apimachinery.conditions import is_true
from kubegang.apimachinery.errors import ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import JOBS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue

WORKERS = 5

Key = tuple[str, str]


def expires_at(job: JsonObject) -> float | None:
    """Return when a Job is to be deleted, ``None`` if it stays or is going already."""
    ttl = job["spec"].get("ttlSecondsAfterFinished")
    if ttl is None or job["metadata"].get("deletionTimestamp"):
        return None
    conditions = (job.get("status") or {}).get("conditions") or ()
    for condition in conditions:
        if condition["type"] in ("Complete", "Failed") and is_true(conditions, condition["type"]):
            return parse_time(condition["lastTransitionTime"]) + float(ttl)
    return None


class TtlAfterFinished:
    """Reconciles Jobs, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        jobs: Informer[JsonObject],
        queue: WorkQueue[Key],
        clock: Clock,
    ) -> None:
        self._client = client
        self._jobs = jobs
        self._queue = queue
        self._clock = clock
        jobs.add_handler(on_add=self._changed, on_update=lambda _old, new: self._changed(new))

    async def run(self) -> None:
        """Reconcile until cancelled, once the informer has its first listing."""
        await self._jobs.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="job not cleaned up, retrying"
        )

    def _changed(self, job: JsonObject) -> None:
        due = expires_at(job)
        if due is not None:
            key = (job["metadata"]["namespace"], job["metadata"]["name"])
            self._queue.add_after(key, due - self._clock.now())

    async def _reconcile(self, key: Key) -> None:
        namespace, name = key
        known = self._jobs.get(namespace, name)
        due = expires_at(known) if known is not None else None
        if due is None:
            return
        left = due - self._clock.now()
        if left > 0:
            self._queue.add_after(key, left)
            return
        await self._delete(namespace, name)

    async def _delete(self, namespace: str, name: str) -> None:
        try:
            # The Job as it is now: its user may have changed the time meanwhile.
            live = await self._client.get(JOBS, name, namespace)
            due = expires_at(live)
            if due is None or due > self._clock.now():
                return
            await self._client.delete(
                JOBS,
                name,
                namespace,
                propagation_policy="Foreground",
                precondition_uid=live["metadata"]["uid"],
                precondition_resource_version=live["metadata"]["resourceVersion"],
            )
        except NotFoundError:
            return
        except ConflictError:
            # It was changed in this moment; the news of that brings it here again.
            return
