from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.cronschedule import ScheduleError
from kubegang.apimachinery.times import format_time, parse_time
from kubegang.controllers.cronjob.times import (
    Due,
    UnknownZoneError,
    due,
    is_too_late,
    next_look,
    timetable_of,
)

CREATED = "2026-05-06T07:00:30Z"


def cron_job(schedule: str = "*/10 * * * *", *, last: str = "", **spec: Any) -> dict[str, Any]:
    status = {"lastScheduleTime": last} if last else {}
    metadata = {"name": "c", "namespace": "ml", "creationTimestamp": CREATED}
    return {"metadata": metadata, "spec": {"schedule": schedule, **spec}, "status": status}


def behind(obj: dict[str, Any], now: str) -> Due:
    return due(obj, timetable_of(obj), now=parse_time(now))


def latest(obj: dict[str, Any], now: str) -> str:
    found = behind(obj, now).latest
    return "" if found is None else format_time(found)


def look_at(obj: dict[str, Any], now: str) -> str:
    """Return when a CronJob is looked at next, to the second."""
    moment = parse_time(now)
    return format_time(moment + next_look(obj, timetable_of(obj), now=moment))


def test_nothing_is_due_before_the_first_time_after_the_creation() -> None:
    assert latest(cron_job(), "2026-05-06T07:09:59Z") == ""
    assert look_at(cron_job(), "2026-05-06T07:09:59Z") == "2026-05-06T07:10:00Z"


def test_a_time_that_has_come_is_due_until_it_was_dealt_with() -> None:
    assert latest(cron_job(), "2026-05-06T07:10:00Z") == "2026-05-06T07:10:00Z"
    dealt = cron_job(last="2026-05-06T07:10:00Z")
    assert latest(dealt, "2026-05-06T07:10:01Z") == ""
    assert look_at(dealt, "2026-05-06T07:10:01Z") == "2026-05-06T07:20:00Z"


def test_of_several_missed_times_only_the_latest_is_due() -> None:
    found = behind(cron_job(), "2026-05-06T08:04:00Z")
    assert found.latest == parse_time("2026-05-06T08:00:00Z")
    assert found.missed == 6


def test_times_that_are_unevenly_far_apart_are_found_too() -> None:
    obj = cron_job("30 6-16/4 * * 1-5")
    assert latest(obj, "2026-05-11T09:00:00Z") == "2026-05-11T06:30:00Z"


def test_what_lies_behind_the_deadline_is_forgiven() -> None:
    obj = cron_job("0 * * * *", startingDeadlineSeconds=600)
    assert latest(obj, "2026-05-06T10:09:00Z") == "2026-05-06T10:00:00Z"
    assert latest(obj, "2026-05-06T10:11:00Z") == ""
    assert look_at(obj, "2026-05-06T10:11:00Z") == "2026-05-06T11:00:00Z"


def test_a_deadline_that_is_over_is_noticed() -> None:
    obj = cron_job(startingDeadlineSeconds=5)
    moment = parse_time("2026-05-06T07:10:00Z")
    assert not is_too_late(obj, moment, now=moment + 5)
    assert is_too_late(obj, moment, now=moment + 5.5)


def test_a_schedule_without_a_second_time_makes_no_sense() -> None:
    with pytest.raises(ScheduleError, match="time difference between two schedules"):
        behind(cron_job("0 0 31 2 *"), "2026-05-06T07:10:00Z")


def test_a_zone_in_the_schedule_counts_as_the_field_does() -> None:
    by_field = cron_job("0 9 * * *", timeZone="Asia/Kolkata")
    within = cron_job("TZ=Asia/Kolkata 0 9 * * *")
    assert timetable_of(by_field).after(0.0) == timetable_of(within).after(0.0)
    with pytest.raises(UnknownZoneError, match="unknown time zone Nowhere/Land"):
        timetable_of(cron_job(timeZone="Nowhere/Land"))
