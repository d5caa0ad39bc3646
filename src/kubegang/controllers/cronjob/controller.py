"""Looks at CronJobs when their time comes, and when something about them or their Jobs changes."""

from __future__ import annotations

from kubegang.apimachinery.cronschedule import ScheduleError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.cronjob.reconciliation import Reconciliation
from kubegang.controllers.cronjob.times import UnknownZoneError, next_look, timetable_of
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.owners import controller_of

WORKERS = 5
BY_CRON_JOB = "cron-job"

Key = tuple[str, str]


def index_by_cron_job(job: JsonObject) -> list[str]:
    """Return the index key of a Job: its CronJob's uid."""
    owner = controller_of(job)
    return [owner["uid"]] if owner is not None and owner["kind"] == "CronJob" else []


class CronJobController:
    """Reconciles CronJobs, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        cron_jobs: Informer[JsonObject],
        jobs: Informer[JsonObject],
        recorder: EventRecorder,
        queue: WorkQueue[Key],
        clock: Clock,
    ) -> None:
        self._client = client
        self._cron_jobs = cron_jobs
        self._jobs = jobs
        self._recorder = recorder
        self._queue = queue
        self._clock = clock
        jobs.index(BY_CRON_JOB, index_by_cron_job)
        cron_jobs.add_handler(on_add=self._added, on_update=self._changed)
        jobs.add_handler(
            on_add=self._job_changed, on_update=self._job_updated, on_delete=self._job_changed
        )

    async def run(self) -> None:
        """Reconcile until cancelled, once both informers have their first listing."""
        await self._cron_jobs.synced.wait()
        await self._jobs.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="cron job not synced, retrying"
        )

    def _added(self, cron_job: JsonObject) -> None:
        self._queue.add(_key(cron_job))

    def _changed(self, old: JsonObject, new: JsonObject) -> None:
        if _when(old) == _when(new):
            self._queue.add(_key(new))
            return
        # A new schedule makes up for nothing: it begins with its next time.
        now = self._clock.now()
        try:
            self._queue.add_after(_key(new), next_look(new, timetable_of(new), now=now))
        except (ScheduleError, UnknownZoneError):
            message = f"unparseable schedule for cronjob: {new['spec']['schedule']}"
            self._recorder.record(
                new, type_="Warning", reason="UnParseableCronJobSchedule", message=message
            )

    def _job_updated(self, old: JsonObject, new: JsonObject) -> None:
        if controller_of(old) != controller_of(new):
            # Whoever had it before misses it now.
            self._job_changed(old)
        self._job_changed(new)

    def _job_changed(self, job: JsonObject) -> None:
        owner = controller_of(job)
        if owner is not None and owner["kind"] == "CronJob":
            self._queue.add((job["metadata"]["namespace"], owner["name"]))

    async def _reconcile(self, key: Key) -> None:
        cron_job = self._cron_jobs.get(*key)
        if cron_job is None:
            return
        look = Reconciliation(
            self._client,
            cron_job,
            self._jobs.by_index(BY_CRON_JOB, cron_job["metadata"]["uid"]),
            recorder=self._recorder,
            now=self._clock.now(),
        )
        await look.run()
        if look.again_in is not None:
            self._queue.add_after(key, look.again_in)


def _when(cron_job: JsonObject) -> tuple[str, str | None]:
    return cron_job["spec"]["schedule"], cron_job["spec"].get("timeZone")


def _key(cron_job: JsonObject) -> Key:
    return cron_job["metadata"]["namespace"], cron_job["metadata"]["name"]
