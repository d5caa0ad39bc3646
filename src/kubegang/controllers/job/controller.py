"""Brings each Job's pods, status and scheduling objects to what its spec asks for.

One sync of one Job reads like this:

    1. count its pods            tally.tally
    2. its Workload and group    objects.SchedulingObjects, shapedgangs.ShapedGangs
    3. has it ended?             verdict.judge
    4. remove and make pods      plan.plan_pods, podactions.PodActions
    5. name pods that ended      status.first_status, written
    6. let those pods go         their finalizer is removed
    7. count them                status.second_status, written

Of a Job that ends, pods that still work are removed between 5 and 6. Every step can be lost
to a crash and is found again by the next sync.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.backoff import Backoff
from kubegang.controllers.job.claims import Key, PodClaims
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
from kubegang.controllers.job.plan import plan_pods
from kubegang.controllers.job.podactions import Failure, PodActions
from kubegang.controllers.job.pods import has_finalizer, is_deleted, is_ready
from kubegang.controllers.job.podtemplate import pods_for
from kubegang.controllers.job.shapedgangs import ShapedGangs
from kubegang.controllers.job.status import Present, first_status, second_status
from kubegang.controllers.job.statuswriter import PATIENCE_SECONDS, StatusWriter
from kubegang.controllers.job.tally import Tally, tally
from kubegang.controllers.job.verdict import Verdict, completion, judge
from kubegang.controllers.owners import controller_of

WORKERS = 5

BATCH_SECONDS = 1.0
"""News of pods waits so long for more: a Job of a thousand pods is not looked at for each."""

FIRST_RETRY_SECONDS = 1.0
"""For the work queue: the pause after a first sync that failed."""


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
        scheduling: SchedulingObjects | ShapedGangs | None,
        recorder: EventRecorder,
        expectations: Expectations,
        actions: PodActions,
        claims: PodClaims,
        queue: WorkQueue[Key],
        clock: Clock,
        forgets_start: bool,
    ) -> None:
        self._jobs = jobs
        self._forgets_start = forgets_start
        self._scheduling = scheduling
        self._synced = [jobs.synced, pods.synced]
        if scheduling is not None:
            self._synced += scheduling.synced
        self._queue = queue
        self._clock = clock
        self._expectations = expectations
        self._actions = actions
        self._claims = claims
        self._statuses = StatusWriter(client, recorder=recorder, clock=clock)
        self._backoffs: dict[str, Backoff] = {}
        self._listen(pods)

    async def run(self) -> None:
        """Reconcile until cancelled, once every informer has its first listing."""
        for event in self._synced:
            await event.wait()
        await work(self._queue, self._sync, workers=WORKERS, failed="job not synced, retrying")

    # Being told

    def _listen(self, pods: Informer[JsonObject]) -> None:
        self._jobs.add_handler(
            on_add=self._job_added, on_update=self._job_changed, on_delete=self._job_gone
        )
        pods.add_handler(
            on_add=self._pod_added,
            on_update=self._pod_updated,
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
        self._statuses.forget(uid(job))

    def _pod_added(self, pod: JsonObject) -> None:
        owner = controller_of(pod)
        if owner is not None:
            self._expectations.saw_created(owner["uid"], uid(pod))
        self._pod_changed(pod)

    def _pod_updated(self, old: JsonObject, new: JsonObject) -> None:
        if controller_of(old) != controller_of(new):
            # Whoever had it before misses it now.
            self._pod_changed(old)
        self._pod_changed(new)

    def _pod_changed(self, pod: JsonObject) -> None:
        owner = controller_of(pod)
        if owner is not None:
            if is_deleted(pod):
                self._expectations.saw_deleted(owner["uid"], uid(pod))
            if not has_finalizer(pod):
                self._expectations.saw_released(owner["uid"], uid(pod))
        for key in self._claims.jobs_of(pod):
            self._queue.add_after(key, BATCH_SECONDS)

    def _pod_gone(self, pod: JsonObject) -> None:
        owner = controller_of(pod)
        if owner is not None:
            self._expectations.saw_deleted(owner["uid"], uid(pod))
            self._expectations.saw_released(owner["uid"], uid(pod))
        self._pod_changed(pod)

    # Working

    async def _sync(self, key: Key) -> None:
        job = self._jobs.get(*key)
        if job is None or is_managed_elsewhere(job):
            return
        if self._statuses.is_outdated(job):
            # The news of our own write is on its way and brings the Job here again.
            self._queue.add_after(key, PATIENCE_SECONDS)
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
        up_to_date = self._expectations.satisfied(uid(job), now=self._clock.steady())
        pods = await self._claims.claim(job)
        counts = tally(job, pods, released=self._expectations.released(uid(job)))
        backoff = self._backoffs.get(uid(job), Backoff())
        backoff = backoff.after(counts.new_succeeded, counts.new_failed)
        # Even for a Job that ends: as long as its pods are there, their group follows it.
        group = ""
        if self._scheduling is not None:
            group = await self._scheduling.group_for(job, pod_count=len(pods))

        ending = judge(job, counts, started=started, now=now)
        if ending is not None:
            # There may be pods that have not been seen yet; their news brings the Job again.
            if up_to_date:
                await self._end(job, counts, ending, backoff)
            return
        moved = _Moved(_present(counts, decided=False))
        if up_to_date and not is_being_deleted(job):
            moved = await self._manage(job, counts, backoff, group=group, key=key)
        ending = completion(job, counts, active=moved.present.active)
        job, release = await self._report(job, counts, moved.present, backoff, ending=ending)
        await self._count(job, counts, moved.present, release, ending=ending)
        deadline = deadline_of(job, started=started)
        if ending is None and deadline is not None:
            self._queue.add_after(key, deadline - now)
        if moved.failure is not None:
            raise moved.failure

    async def _end(self, job: JsonObject, counts: Tally, ending: Verdict, backoff: Backoff) -> None:
        """End a Job whatever its active pods do.

        The verdict is written before they are removed: who finds them removed without it
        would count them as failed.
        """
        job, release = await self._report(job, counts, _present(counts), backoff, ending=ending)
        done = await self._actions.delete(job, counts.active)
        kept = {uid(pod) for pod in counts.active} - {uid(pod) for pod in done.pods}
        release = [pod for pod in release if uid(pod) not in kept]
        present = _present(counts, deleted=done.pods)
        await self._count(job, counts, present, release, ending=ending)
        if done.failure is not None:
            raise done.failure

    async def _manage(
        self, job: JsonObject, counts: Tally, backoff: Backoff, *, group: str, key: Key
    ) -> _Moved:
        """Bring the pods to the number that the Job asks for."""
        plan = plan_pods(job, counts, backoff=backoff, now=self._clock.now())
        if plan.wait:
            self._queue.add_after(key, plan.wait)
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
    ) -> tuple[JsonObject, Sequence[JsonObject]]:
        """Name ended pods in the status; return the Job as stored and the pods to let go."""
        now, forgets = self._clock.now(), self._forgets_start
        first = first_status(job, counts, present, ending=ending, now=now, forgets_start=forgets)
        job = await self._statuses.write(job, first)
        # Only now: a failure that is seen again must not count twice.
        self._backoffs[uid(job)] = backoff
        return job, first.release

    async def _count(
        self,
        job: JsonObject,
        counts: Tally,
        present: Present,
        release: Sequence[JsonObject],
        *,
        ending: Verdict | None,
    ) -> None:
        """Let named pods go, then count them in the status."""
        done = await self._actions.release(job, release)
        holding = {uid(pod) for pod in counts.holding} - {uid(pod) for pod in done.pods}
        second = second_status(job, present, holding=holding, ending=ending, now=self._clock.now())
        await self._statuses.write(job, second)
        if done.failure is not None:
            raise done.failure


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
