"""When a CronJob is due, and when to look at it again. Pure.

The rules are those of kube-controller-manager: only the latest of the times that were missed
is made up for, and none that lies further back than the deadline for starting.
"""

from __future__ import annotations

import zoneinfo
from datetime import tzinfo

import msgspec

from kubegang.apimachinery.cronschedule import Schedule, ScheduleError, parse_schedule
from kubegang.apimachinery.crontimes import next_time
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time

MANY = 100
"""More missed times than this are told to the user."""

LATE_SECONDS = 0.1
"""So long after its time a CronJob is looked at, so that the time has surely come."""

ABOUT_ZONES = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/"


class UnknownZoneError(Exception):
    """``spec.timeZone`` names no time zone."""


class Timetable(msgspec.Struct, frozen=True):
    """A schedule in its time zone."""

    schedule: Schedule
    zone: tzinfo

    def after(self, moment: float) -> float | None:
        """Return the first time after a moment, if there is one within years."""
        return next_time(self.schedule, moment, zone=self.zone)


class Due(msgspec.Struct, frozen=True):
    """What of a timetable lies behind.

    Attributes:
        since: from when on it counts.
        latest: the last time that has come since then.
        missed: about how many have.
    """

    since: float
    latest: float | None = None
    missed: int = 0


def timetable_of(cron_job: JsonObject) -> Timetable:
    """Return when a CronJob is to run.

    Raises:
        UnknownZoneError: the time zone is unknown.
        ScheduleError: the schedule makes no sense.
    """
    zone = zone_of(cron_job)
    schedule = parse_schedule(cron_job["spec"]["schedule"])
    if schedule.time_zone:
        try:
            zone = zone_named(schedule.time_zone)
        except UnknownZoneError as error:
            raise ScheduleError(f"provided bad location {schedule.time_zone}: {error}") from error
    return Timetable(schedule, zone)


def discouraged_zone(schedule: str) -> str:
    """Return what a user is told who has written a zone into the schedule."""
    text = f'CRON_TZ or TZ used in schedule "{schedule}" is not officially supported'
    return f"{text}, see {ABOUT_ZONES} for more details"


def zone_of(cron_job: JsonObject) -> tzinfo:
    """Return the time zone of a CronJob: UTC unless it names one."""
    return zone_named(cron_job["spec"].get("timeZone") or "UTC")


def zone_named(name: str) -> tzinfo:
    """Return a time zone.

    Raises:
        UnknownZoneError: there is none of that name.
    """
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnknownZoneError(f"unknown time zone {name}") from error


def due(cron_job: JsonObject, timetable: Timetable, *, now: float) -> Due:
    """Return what a CronJob has to make up for now.

    Raises:
        ScheduleError: the schedule never comes to a second time.
    """
    return _due_since(_forgiven_until(cron_job, now=now), timetable, now=now)


def next_look(cron_job: JsonObject, timetable: Timetable, *, now: float) -> float:
    """Return in how many seconds a CronJob is to be looked at again."""
    last = _last_time(cron_job)
    try:
        behind = _due_since(last, timetable, now=now)
    except ScheduleError:
        reference = now
    else:
        reference = behind.latest or (now if behind.missed else behind.since)
    coming = timetable.after(reference)
    return 0.0 if coming is None else coming + LATE_SECONDS - now


def is_too_late(cron_job: JsonObject, moment: float, *, now: float) -> bool:
    """Return whether a time lies further back than ``startingDeadlineSeconds``."""
    deadline = cron_job["spec"].get("startingDeadlineSeconds")
    return deadline is not None and moment + float(deadline) < now


def _last_time(cron_job: JsonObject) -> float:
    """Return the last time that was dealt with; before, when the CronJob was made."""
    last = (cron_job.get("status") or {}).get("lastScheduleTime")
    return parse_time(last or cron_job["metadata"]["creationTimestamp"])


def _forgiven_until(cron_job: JsonObject, *, now: float) -> float:
    last = _last_time(cron_job)
    deadline = cron_job["spec"].get("startingDeadlineSeconds")
    return last if deadline is None else max(last, now - float(deadline))


def _due_since(since: float, timetable: Timetable, *, now: float) -> Due:
    first = timetable.after(since)
    second = None if first is None else timetable.after(first)
    if first is not None and now < first:
        return Due(since)
    if first is not None and second is not None and now < second:
        return Due(since, first, 1)
    if first is None or second is None or second - first < 1:
        raise ScheduleError("time difference between two schedules is less than 1 second")
    distance = round(second - first)
    missed = int(now - first) // distance + 1
    return Due(since, _latest(timetable, first + (missed - 2) * distance, now=now), missed)


def _latest(timetable: Timetable, start: float, *, now: float) -> float | None:
    """Return the last time that has come, if any did after ``start``."""
    latest = None
    coming = timetable.after(start)
    while coming is not None and coming <= now:
        latest, coming = coming, timetable.after(coming)
    return latest
