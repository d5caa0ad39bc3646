"""One look at one CronJob: what became of its Jobs, and whether the next one is to be made.

    1. delete ended Jobs beyond the history limits
    2. compare ``status.active`` with the Jobs there were
    3. find the latest time that has come and was not dealt with
    4. make its Job, unless the concurrency policy is against it
    5. write the status

The status is written last: whatever was done before it and is lost to a crash is found again,
since the name of a Job says which time it was made for.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from email.utils import formatdate

from kubegang.apimachinery.cronschedule import ScheduleError
from kubegang.apimachinery.errors import AlreadyExistsError, ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import CRONJOBS, JOBS
from kubegang.client.workers import TryAgainError
from kubegang.controllers.cronjob import active
from kubegang.controllers.cronjob.jobs import (
    ending_of,
    has_succeeded,
    job_for,
    job_name,
    surplus,
)
from kubegang.controllers.cronjob.times import (
    MANY,
    Timetable,
    UnknownZoneError,
    discouraged_zone,
    due,
    is_too_late,
    next_look,
    timetable_of,
)
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.owners import is_controlled_by

Failure = ApiError | UnreachableError | TryAgainError


class Reconciliation:
    """Brings one CronJob up to date; to be used once.

    Attributes:
        again_in: look again in so many seconds; ``None`` if nothing is to be waited for.
    """

    def __init__(
        self,
        client: Client,
        cron_job: JsonObject,
        jobs: Sequence[JsonObject],
        *,
        recorder: EventRecorder,
        now: float,
    ) -> None:
        self.again_in: float | None = None
        self._client = client
        self._cron_job = copy.deepcopy(cron_job)
        self._jobs = jobs
        self._recorder = recorder
        self._now = now
        self._is_changed = False

    async def run(self) -> None:
        """Do all of it; what was achieved before a failure is reported as well.

        Raises:
            ApiError, UnreachableError: a request failed.
            TryAgainError: a Job that is to be replaced could not be deleted.
        """
        failure: Failure | None = None
        for job in surplus(self._cron_job, self._jobs):
            await self._delete(job)
        try:
            await self._compare()
            if not self._cron_job["metadata"].get("deletionTimestamp"):
                await self._start()
        except (ApiError, UnreachableError, TryAgainError) as error:
            failure = error
        if self._is_changed:
            self._cron_job = await self._client.update(
                CRONJOBS, self._cron_job, subresource="status"
            )
        if failure is not None:
            raise failure

    @property
    def _status(self) -> JsonObject:
        status: JsonObject = self._cron_job.setdefault("status", {})
        return status

    # What became of its Jobs

    async def _compare(self) -> None:
        for job in self._jobs:
            ending, uid = ending_of(job), job["metadata"]["uid"]
            if not active.knows(self._status, uid):
                if not ending:
                    await self._see_unknown(job)
                elif has_succeeded(job):
                    self._is_changed |= active.note_success(self._status, job)
            elif ending:
                active.forget(self._status, uid)
                self._is_changed = True
                name = job["metadata"]["name"]
                message = f"Saw completed job: {name}, condition: {ending}"
                self._tell("Normal", "SawCompletedJob", message)
        await self._miss()

    async def _see_unknown(self, job: JsonObject) -> None:
        """A Job runs that is not in the status: the status may only be old."""
        metadata = self._cron_job["metadata"]
        live = await self._client.get(CRONJOBS, metadata["name"], metadata["namespace"])
        if active.knows(live.get("status") or {}, job["metadata"]["uid"]):
            self._cron_job = live
            return
        name = job["metadata"]["name"]
        message = f"Saw a job that the controller did not create or forgot: {name}"
        self._tell("Warning", "UnexpectedJob", message)

    async def _miss(self) -> None:
        """Forget Jobs that are gone; ask the API, since the news of a new Job may be late."""
        seen = {job["metadata"]["uid"] for job in self._jobs}
        for reference in list(active.active_of(self._status)):
            if reference["uid"] in seen:
                continue
            try:
                await self._client.get(JOBS, reference["name"], reference["namespace"])
            except NotFoundError:
                message = f"Active job went missing: {reference['name']}"
                self._tell("Normal", "MissingJob", message)
                active.forget(self._status, reference["uid"])
                self._is_changed = True

    # The next one

    async def _start(self) -> None:
        timetable = self._timetable()
        if timetable is None or self._cron_job["spec"].get("suspend"):
            return
        try:
            behind = due(self._cron_job, timetable, now=self._now)
        except ScheduleError as error:
            schedule = self._cron_job["spec"]["schedule"]
            message = f"invalid schedule: {schedule} : {error}"
            self._tell("Warning", "InvalidSchedule", message)
            return
        if behind.latest is not None and behind.missed > MANY:
            advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew"
            message = f"too many missed start times. {advice}"
            self._tell("Warning", "TooManyMissedTimes", message)
        if behind.latest is None or self._is_held(behind.latest):
            self.again_in = next_look(self._cron_job, timetable, now=self._now)
            return
        await self._make_room()
        if await self._create(behind.latest):
            self.again_in = next_look(self._cron_job, timetable, now=self._now)

    def _timetable(self) -> Timetable | None:
        """Return when the CronJob runs; tell the user if that makes no sense."""
        spec = self._cron_job["spec"]
        if "TZ" in spec["schedule"] and not spec.get("suspend"):
            self._tell("Warning", "UnsupportedSchedule", discouraged_zone(spec["schedule"]))
        try:
            return timetable_of(self._cron_job)
        except UnknownZoneError as error:
            message = f'invalid timeZone: "{spec["timeZone"]}": {error}'
            self._tell("Warning", "UnknownTimeZone", message)
        except ScheduleError as error:
            if not spec.get("suspend"):
                message = f'unparseable schedule: "{spec["schedule"]}" : {error}'
                self._tell("Warning", "UnparseableSchedule", message)
        return None

    def _is_held(self, moment: float) -> bool:
        """Return whether no Job is to be made for a time that has come."""
        if is_too_late(self._cron_job, moment, now=self._now):
            when = formatdate(moment, usegmt=True).replace("GMT", "+0000")
            self._tell("Warning", "MissSchedule", f"Missed scheduled time to start a job: {when}")
            return True
        done = self._status.get("lastScheduleTime") == format_time(moment)
        if done or active.knows_name(self._status, job_name(self._cron_job, moment)):
            return True
        policy = self._cron_job["spec"].get("concurrencyPolicy")
        if policy == "Forbid" and active.active_of(self._status):
            because = "prior execution is running and concurrency policy is Forbid"
            self._tell("Normal", "JobAlreadyActive", f"Not starting job because {because}")
            return True
        return False

    async def _make_room(self) -> None:
        """Delete the Jobs that run, if the new one is to replace them."""
        if self._cron_job["spec"].get("concurrencyPolicy") != "Replace":
            return
        for reference in list(active.active_of(self._status)):
            try:
                job = await self._client.get(JOBS, reference["name"], reference["namespace"])
            except ApiError as error:
                self._tell("Warning", "FailedGet", f"Get job: {error.message}")
                raise
            if not await self._delete(job):
                raise TryAgainError(f"job {reference['name']} could not be replaced")

    async def _create(self, moment: float) -> bool:
        """Make the Job for a time; return whether the status knows of it now."""
        namespace = self._cron_job["metadata"]["namespace"]
        wanted = job_for(self._cron_job, moment)
        try:
            job = await self._client.create(JOBS, wanted, namespace)
        except AlreadyExistsError:
            # Ours if an earlier look made it and failed to say so.
            job = await self._client.get(JOBS, wanted["metadata"]["name"], namespace)
            owner, uid = self._cron_job["metadata"]["uid"], job["metadata"]["uid"]
            if not is_controlled_by(job, owner) or active.knows(self._status, uid):
                return False
        except ApiError as error:
            if not _namespace_goes(error):
                self._tell("Warning", "FailedCreate", f"Error creating job: {error.message}")
            raise
        else:
            self._tell("Normal", "SuccessfulCreate", f"Created job {job['metadata']['name']}")
        active.remember(self._status, job)
        self._status["lastScheduleTime"] = format_time(moment)
        self._is_changed = True
        return True

    async def _delete(self, job: JsonObject) -> bool:
        """Delete a Job with its pods; return whether that was accepted."""
        metadata = job["metadata"]
        name, namespace = metadata["name"], metadata["namespace"]
        try:
            await self._client.delete(JOBS, name, namespace, propagation_policy="Background")
        except ApiError as error:
            self._tell("Warning", "FailedDelete", f"Deleted job: {error.message}")
            return False
        active.forget(self._status, metadata["uid"])
        self._is_changed = True
        self._tell("Normal", "SuccessfulDelete", f"Deleted job {name}")
        return True

    def _tell(self, kind: str, reason: str, message: str) -> None:
        self._recorder.record(self._cron_job, type_=kind, reason=reason, message=message)


def _namespace_goes(error: ApiError) -> bool:
    causes = error.details.causes if error.details is not None else ()
    return any(cause.reason == "NamespaceTerminating" for cause in causes)
