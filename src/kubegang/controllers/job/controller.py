"""Brings each Job's pods, status and scheduling objects to what its spec asks for.

One sync of one Job reads like this:

    1. count its pods            tally.tally
    2. has it ended?             verdict.judge
    3. its Workload and group    objects.SchedulingObjects
    4. remove and make pods      plan.plan_pods, podactions.PodActions
    5. name pods that ended      status.first_status, written
    6. let those pods go         their finalizer is removed
    7. count them                status.second_status, written

Every step can be lost to a crash and is found again by the next sync.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from kubegang.apimachinery.errors import ApiError, ConflictError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.localcopy import is_newer
from kubegang.client.resources import JOBS
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.backoff import Backoff
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.job.jobs import (
    deadline_of,
    is_being_deleted,
    is_finished,
    is_managed_elsewhere,
    is_suspended,
    limits_each_index,
    started_at,
    uid,
)
from kubegang.controllers.job.objects import SchedulingObjects
from kubegang.controllers.job.plan import PodPlan, plan_pods
from kubegang.controllers.job.podactions import Failure, PodActions
from kubegang.controllers.job.pods import has_finalizer, is_deleted, is_ready
from kubegang.controllers.job.podtemplate import pods_for
from kubegang.controllers.job.status import Present, StatusChange, first_status, second_status
from kubegang.controllers.job.tally import Tally, tally
from kubegang.controllers.job.verdict import Verdict, completion, judge
from kubegang.controllers.owners import controller_of

BY_OWNER = "owner"
WORKERS = 5

BATCH_SECONDS = 1.0
"""News of pods waits so long for more: a Job of a thousand pods is not looked at for each."""

FIRST_RETRY_SECONDS = 1.0
LONGEST_RETRY_SECONDS = 60.0
"""For the work queue: pauses after a sync that failed."""

Key = tuple[str, str]

_log = logger(__name__)


def index_by_owner(pod: JsonObject) -> list[str]:
    """Return the index key of a pod: its controller's uid."""
    owner = controller_of(pod)
    return [owner["uid"]] if owner is not None and owner["kind"] == "Job" else []


class _Moved(msgspec.Struct, frozen=True):
    """What a sync did to the pods."""

    present: Present
    failure: Failure | None = None


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
        expectations: Expectations,
        actions: PodActions,
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
        self._expectations = expectations
        self._actions = actions
        self._backoffs: dict[str, Backoff] = {}
        # The version that our last write of each Job gave: an older one is not acted on.
        self._written: dict[str, str] = {}
        pods.index(BY_OWNER, index_by_owner)
        self._listen()

    async def run(self) -> None:
        """Reconcile until cancelled, once every informer has its first listing."""
        for event in self._synced:
            await event.wait()
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._work())

    # Being told

    def _listen(self) -> None:
        self._jobs.add_handler(
            on_add=self._job_added, on_update=self._job_changed, on_delete=self._job_gone
        )
        self._pods.add_handler(
            on_add=self._pod_added,
            on_update=lambda _old, new: self._pod_changed(new),
            on_delete=self._pod_gone,
        )

    def _job_added(self, job: JsonObject) -> None:
        self._queue.add(_key(job))

    def _job_changed(self, old: JsonObject, new: JsonObject) -> None:
        if old["metadata"].get("generation") == new["metadata"].get("generation"):
            # Only the status, mostly written by ourselves because of pods.
            self._queue.add_after(_key(new), BATCH_SECONDS)
        else:
            self._queue.add(_key(new))

    def _job_gone(self, job: JsonObject) -> None:
        self._expectations.forget(uid(job))
        if self._scheduling is not None:
            self._scheduling.forget(uid(job))
        self._backoffs.pop(uid(job), None)
        self._written.pop(uid(job), None)

    def _pod_added(self, pod: JsonObject) -> None:
        owner = controller_of(pod)
        if owner is not None:
            self._expectations.saw_created(owner["uid"], uid(pod))
        self._pod_changed(pod)

    def _pod_changed(self, pod: JsonObject) -> None:
        owner = controller_of(pod)
        if owner is None or owner["kind"] != "Job":
            return
        if is_deleted(pod):
            self._expectations.saw_deleted(owner["uid"], uid(pod))
        if not has_finalizer(pod):
            self._expectations.saw_released(owner["uid"], uid(pod))
        self._queue.add_after((pod["metadata"]["namespace"], owner["name"]), BATCH_SECONDS)

    def _pod_gone(self, pod: JsonObject) -> None:
        owner = controller_of(pod)
        if owner is not None:
            self._expectations.saw_deleted(owner["uid"], uid(pod))
            self._expectations.saw_released(owner["uid"], uid(pod))
        self._pod_changed(pod)

    # Working

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
        job = self._jobs.get(*key)
        if job is None or is_managed_elsewhere(job):
            return
        written = self._written.get(uid(job))
        if written is not None and is_newer(written, job["metadata"]["resourceVersion"]):
            # The news of our own write is on its way and brings the Job here again.
            return
        if is_finished(job):
            self._backoffs.pop(uid(job), None)
            return
        await self._sync_unfinished(job, key)

    async def _sync_unfinished(self, job: JsonObject, key: Key) -> None:
        now = self._clock.now()
        started = started_at(job)
        if started is None and not is_suspended(job):
            started = now
        pods = self._pods.by_index(BY_OWNER, uid(job))
        counts = tally(job, pods, released=self._expectations.released(uid(job)))
        backoff = self._backoffs.get(uid(job), Backoff())
        backoff = backoff.after(counts.new_succeeded, counts.new_failed)

        ending = judge(job, counts, started=started, now=now)
        if ending is not None:
            moved = await self._clear(job, counts)
        else:
            moved = await self._manage(job, counts, backoff, key=key)
            ending = completion(job, counts, active=moved.present.active)

        await self._report(job, counts, moved.present, backoff, ending=ending)
        deadline = deadline_of(job, started=started)
        if ending is None and deadline is not None:
            self._queue.add_after(key, deadline - now)
        if moved.failure is not None:
            raise moved.failure

    async def _clear(self, job: JsonObject, counts: Tally) -> _Moved:
        """Remove the active pods of a Job that ends."""
        done = await self._actions.delete(job, counts.active)
        return _Moved(_present(counts, deleted=done.pods), done.failure)

    async def _manage(
        self, job: JsonObject, counts: Tally, backoff: Backoff, *, key: Key
    ) -> _Moved:
        """Bring the pods to the number that the Job asks for."""
        up_to_date = self._expectations.satisfied(uid(job), now=self._clock.now())
        if is_being_deleted(job) or not up_to_date:
            return _Moved(_present(counts, decided=False))
        group = ""
        if self._scheduling is not None:
            group = await self._scheduling.group_for(job, pod_count=len(counts.pods))
        plan = plan_pods(job, counts, backoff=backoff, now=self._clock.now())
        if plan.wait:
            self._queue.add_after(key, plan.wait)
        return await self._carry_out(job, counts, plan, group)

    async def _carry_out(
        self, job: JsonObject, counts: Tally, plan: PodPlan, group: str
    ) -> _Moved:
        if plan.delete:
            done = await self._actions.give_up(job, plan.delete)
            return _Moved(_present(counts, deleted=done.pods), done.failure)
        remembered = None
        if limits_each_index(job) and counts.indexes is not None:
            remembered = counts.indexes.last_failures
        pods = pods_for(job, plan.create, pod_group=group, last_failures=remembered)
        done = await self._actions.create(job, pods)
        return _Moved(_present(counts, created=len(done.pods)), done.failure)

    # Reporting

    async def _report(
        self,
        job: JsonObject,
        counts: Tally,
        present: Present,
        backoff: Backoff,
        *,
        ending: Verdict | None,
    ) -> None:
        """Name ended pods in the status, let them go, count them."""
        first = first_status(job, counts, present, ending=ending, now=self._clock.now())
        job = await self._write(job, first)
        # Only now: a failure that is seen again must not count twice.
        self._backoffs[uid(job)] = backoff
        done = await self._actions.release(job, first.release)
        holding = {uid(pod) for pod in counts.holding} - {uid(pod) for pod in done.pods}
        second = second_status(
            job, first.status, holding=holding, ending=ending, now=self._clock.now()
        )
        await self._write(job, second)
        if done.failure is not None:
            raise done.failure

    async def _write(self, job: JsonObject, change: StatusChange) -> JsonObject:
        """Write a status if it differs, then tell the events; return the Job as stored."""
        if change.status != (job.get("status") or {}):
            job = await self._client.update(
                JOBS, {**job, "status": change.status}, subresource="status"
            )
            self._written[uid(job)] = job["metadata"]["resourceVersion"]
        for event in change.events:
            self._recorder.record(
                job, type_=event.type, reason=event.reason, message=event.message
            )
        return job


def _present(
    counts: Tally,
    *,
    created: int = 0,
    deleted: Sequence[JsonObject] = (),
    decided: bool = True,
) -> Present:
    return Present(
        active=len(counts.active) + created - len(deleted),
        ready=counts.ready - sum(1 for pod in deleted if is_ready(pod)),
        terminating=counts.terminating + len(deleted),
        decided=decided,
    )


def _key(job: JsonObject) -> Key:
    return job["metadata"]["namespace"], job["metadata"]["name"]
