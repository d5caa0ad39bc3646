"""Brings each Job's pods, status and scheduling objects to what its spec asks for.

One sync of one Job reads like this:

    1. count its pods            tally.tally
    2. has it ended?             decide.judge
    3. its Workload and group    objects.SchedulingObjects
    4. remove and make pods      decide.plan_pods
    5. write the status          status.next_status
    6. let counted pods go       their finalizer is removed

Every step can be lost to a crash and is found again by the next sync.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from kubegang.apimachinery.errors import ApiError, ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import JOBS, PODS
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.decide import (
    Backoff,
    Verdict,
    deadline_of,
    is_finished,
    judge,
    next_backoff,
    plan_pods,
)
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.job.objects import SchedulingObjects
from kubegang.controllers.job.podtemplate import pod_for
from kubegang.controllers.job.status import next_status
from kubegang.controllers.job.tally import (
    TRACKING_FINALIZER,
    Tally,
    has_finalizer,
    is_deleted,
    tally,
    uid,
)
from kubegang.controllers.owners import controller_of, is_controlled_by

BY_OWNER = "owner"
WORKERS = 5

Key = tuple[str, str]

_log = logger(__name__)


def index_by_owner(pod: JsonObject) -> list[str]:
    """Return the index key of a pod: its controller's uid."""
    owner = controller_of(pod)
    return [owner["uid"]] if owner is not None and owner["kind"] == "Job" else []


class JobController:
    """Reconciles Jobs, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        jobs: Informer[JsonObject],
        pods: Informer[JsonObject],
        scheduling: SchedulingObjects | None,
        synced: Sequence[asyncio.Event],
        recorder: EventRecorder,
        queue: WorkQueue[Key],
        clock: Clock,
    ) -> None:
        self._client = client
        self._jobs = jobs
        self._pods = pods
        self._scheduling = scheduling
        self._synced = synced
        self._recorder = recorder
        self._queue = queue
        self._clock = clock
        self._expectations = Expectations()
        self._backoffs: dict[str, Backoff] = {}
        # Failures already in the backoff, so that a repeated look does not count twice.
        self._judged: dict[str, set[str]] = {}
        pods.index(BY_OWNER, index_by_owner)
        self._listen()

    async def run(self) -> None:
        """Reconcile until cancelled, once every informer has its first listing."""
        for event in self._synced:
            await event.wait()
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._work())

    def _listen(self) -> None:
        self._jobs.add_handler(
            on_add=self._job_changed,
            on_update=lambda _old, new: self._job_changed(new),
            on_delete=self._job_gone,
        )
        self._pods.add_handler(
            on_add=self._pod_added,
            on_update=lambda _old, new: self._pod_changed(new),
            on_delete=self._pod_gone,
        )

    def _job_changed(self, job: JsonObject) -> None:
        self._queue.add((job["metadata"]["namespace"], job["metadata"]["name"]))

    def _job_gone(self, job: JsonObject) -> None:
        self._forget(uid(job))
        self._job_changed(job)

    def _pod_added(self, pod: JsonObject) -> None:
        owner = controller_of(pod)
        if owner is not None:
            self._expectations.saw_created(owner["uid"], uid(pod))
        self._pod_changed(pod)

    def _pod_gone(self, pod: JsonObject) -> None:
        owner = controller_of(pod)
        if owner is not None:
            self._expectations.saw_deleted(owner["uid"], uid(pod))
        self._pod_changed(pod)

    def _pod_changed(self, pod: JsonObject) -> None:
        owner = controller_of(pod)
        if owner is None or owner["kind"] != "Job":
            return
        if is_deleted(pod):
            self._expectations.saw_deleted(owner["uid"], uid(pod))
        self._queue.add((pod["metadata"]["namespace"], owner["name"]))

    async def _work(self) -> None:
        while True:
            key = await self._queue.get()
            try:
                await self._sync(key)
            except (ApiError, UnreachableError) as error:
                if not isinstance(error, ConflictError):
                    _log.warning("job not synced, retrying", job=key, error=str(error))
                self._queue.add_rate_limited(key)
            else:
                self._queue.forget(key)
            finally:
                self._queue.done(key)

    async def _sync(self, key: Key) -> None:
        namespace, name = key
        job = self._jobs.get(namespace, name)
        if job is None:
            await self._release_orphans(namespace, name)
            return
        pods = [p for p in self._pods.by_index(BY_OWNER, uid(job)) if is_controlled_by(p, uid(job))]
        if is_finished(job):
            await self._release([pod for pod in pods if has_finalizer(pod)])
            return
        if job["spec"].get("managedBy", "kubernetes.io/job-controller") != (
            "kubernetes.io/job-controller"
        ):
            return
        await self._sync_running(job, pods, key)

    async def _sync_running(self, job: JsonObject, pods: list[JsonObject], key: Key) -> None:
        now = self._clock.now()
        counts = tally(job, pods)
        backoff = self._update_backoff(job, counts, now=now)
        verdict = judge(job, counts, now=now)
        active = len(counts.active)
        deleting = bool(job["metadata"].get("deletionTimestamp"))
        if verdict is not None and counts.active:
            active -= await self._delete(job, counts.active)
        elif verdict is None and not deleting and self._expectations.satisfied(uid(job), now=now):
            active += await self._manage(job, counts, backoff, key=key, pod_count=len(pods))
        await self._write_status(job, counts, active=active, verdict=verdict)
        deadline = deadline_of(job)
        if deadline is not None and deadline > now:
            self._queue.add_after(key, deadline - now)

    async def _manage(
        self, job: JsonObject, counts: Tally, backoff: Backoff, *, key: Key, pod_count: int
    ) -> int:
        """Remove and make pods; return by how many the active ones changed."""
        group = ""
        if self._scheduling is not None:
            group = await self._scheduling.group_for(job, pod_count=pod_count)
        now = self._clock.now()
        plan = plan_pods(job, counts, backoff=backoff, now=now)
        if plan.delete:
            # Let go first: pods that the Job itself gives up do not count as failed.
            await self._release([pod for pod in plan.delete if has_finalizer(pod)])
            return -await self._delete(job, plan.delete)
        if plan.retry_at:
            self._queue.add_after(key, plan.retry_at - now)
        return await self._create(job, plan.create, group) if plan.create else 0

    async def _create(self, job: JsonObject, indexes: Sequence[int | None], group: str) -> int:
        """Make pods in batches of 1, 2, 4, …: a template that is refused costs one attempt."""
        made, size = 0, 1
        while made < len(indexes):
            batch = indexes[made : made + size]
            results = await asyncio.gather(
                *(self._create_one(job, index, group) for index in batch), return_exceptions=True
            )
            failures = [result for result in results if isinstance(result, BaseException)]
            made += len(batch) - len(failures)
            if failures:
                if made == 0 or not isinstance(failures[0], ApiError):
                    raise failures[0]
                self._queue.add_rate_limited(
                    (job["metadata"]["namespace"], job["metadata"]["name"])
                )
                return made
            size *= 2
        return made

    async def _create_one(self, job: JsonObject, index: int | None, group: str) -> None:
        namespace = job["metadata"]["namespace"]
        try:
            pod = await self._client.create(
                PODS, pod_for(job, index=index, pod_group=group), namespace
            )
        except ApiError as error:
            await self._recorder.record(
                job,
                type_="Warning",
                reason="FailedCreate",
                message=f"Error creating: {error.message}",
            )
            raise
        known = {uid(p) for p in self._pods.by_index(BY_OWNER, uid(job))}
        if uid(pod) not in known:
            self._expectations.expect_created(uid(job), [uid(pod)], now=self._clock.now())
        await self._recorder.record(
            job,
            type_="Normal",
            reason="SuccessfulCreate",
            message=f"Created pod: {pod['metadata']['name']}",
        )

    async def _delete(self, job: JsonObject, pods: Sequence[JsonObject]) -> int:
        """Delete pods; return how many."""
        self._expectations.expect_deleted(
            uid(job), [uid(pod) for pod in pods], now=self._clock.now()
        )
        await asyncio.gather(*(self._delete_one(job, pod) for pod in pods))
        return len(pods)

    async def _delete_one(self, job: JsonObject, pod: JsonObject) -> None:
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        try:
            await self._client.delete(PODS, name, namespace, precondition_uid=uid(pod))
        except (NotFoundError, ConflictError):
            self._expectations.saw_deleted(uid(job), uid(pod))
            return
        await self._recorder.record(
            job, type_="Normal", reason="SuccessfulDelete", message=f"Deleted pod: {name}"
        )

    async def _write_status(
        self, job: JsonObject, counts: Tally, *, active: int, verdict: Verdict | None
    ) -> None:
        change = next_status(job, counts, active=active, verdict=verdict, now=self._clock.now())
        if change.status != (job.get("status") or {}):
            await self._client.update(JOBS, {**job, "status": change.status}, subresource="status")
        for event in change.events:
            await self._recorder.record(
                job, type_=event.type, reason=event.reason, message=event.message
            )
        await self._release(
            [*counts.counted_holding, *counts.ended_succeeded, *counts.ended_failed]
        )

    async def _release(self, pods: Sequence[JsonObject]) -> None:
        """Take the tracking finalizer off pods whose uid stands in the status."""
        await asyncio.gather(*(self._release_one(pod) for pod in pods))

    async def _release_one(self, pod: JsonObject) -> None:
        patch = {
            "metadata": {
                "uid": uid(pod),
                "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER],
            }
        }
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        try:
            await self._client.patch(PODS, name, namespace, patch=patch, patch_type="strategic")
        except (NotFoundError, ConflictError):
            # Gone, or another pod of that name: nothing of ours is held.
            return

    async def _release_orphans(self, namespace: str, job_name: str) -> None:
        """Let the pods of a Job that is gone go; nobody will count them."""
        orphans = [
            pod
            for pod in self._pods.items()
            if has_finalizer(pod)
            and pod["metadata"]["namespace"] == namespace
            and (controller_of(pod) or {}).get("name") == job_name
        ]
        await self._release(orphans)

    def _update_backoff(self, job: JsonObject, counts: Tally, *, now: float) -> Backoff:
        judged = self._judged.setdefault(uid(job), set())
        fresh = [pod for pod in counts.ended_failed if uid(pod) not in judged]
        judged.update(uid(pod) for pod in fresh)
        old = self._backoffs.get(uid(job), Backoff())
        new = next_backoff(old, msgspec.structs.replace(counts, ended_failed=tuple(fresh)), now=now)
        self._backoffs[uid(job)] = new
        return new

    def _forget(self, job_uid: str) -> None:
        self._expectations.forget(job_uid)
        if self._scheduling is not None:
            self._scheduling.forget(job_uid)
        self._backoffs.pop(job_uid, None)
        self._judged.pop(job_uid, None)
