from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from kubegang.apimachinery.cronschedule import parse_schedule
from kubegang.apimachinery.crontimes import next_time
from kubegang.apimachinery.times import format_time, parse_time


def after(text: str, moment: str, zone: str = "UTC") -> str:
    """Return the first time of a schedule after a moment, ``never`` if there is none."""
    found = next_time(parse_schedule(text), parse_time(moment), zone=ZoneInfo(zone))
    return "never" if found is None else format_time(found)


@pytest.mark.parametrize(
    ("schedule", "then"),
    [
        ("* * * * *", "2026-05-06T07:09:00Z"),
        ("*/15 * * * *", "2026-05-06T07:15:00Z"),
        ("5 * * * *", "2026-05-06T08:05:00Z"),
        ("0 0 * * *", "2026-05-07T00:00:00Z"),
        ("30 6 1 * *", "2026-06-01T06:30:00Z"),
        ("0 0 29 2 *", "2028-02-29T00:00:00Z"),
        ("0 0 * 1-4 *", "2027-01-01T00:00:00Z"),
        ("0 0 31 2 *", "never"),
        ("@hourly", "2026-05-06T08:00:00Z"),
        ("@every 90s", "2026-05-06T07:10:11Z"),
    ],
)
def test_a_schedule_fires_at_the_next_time_that_fits(schedule: str, then: str) -> None:
    assert after(schedule, "2026-05-06T07:08:41Z") == then


def test_the_moment_itself_is_over() -> None:
    assert after("8 7 * * *", "2026-05-06T07:08:00Z") == "2026-05-07T07:08:00Z"


def test_one_of_date_and_weekday_is_enough_when_both_are_restricted() -> None:
    # The 6th of May 2026 is a Wednesday.
    assert after("0 0 13 * fri", "2026-05-06T00:00:00Z") == "2026-05-08T00:00:00Z"
    assert after("0 0 13 * *", "2026-05-06T00:00:00Z") == "2026-05-13T00:00:00Z"
    assert after("0 0 */1 * sun", "2026-05-06T00:00:00Z") == "2026-05-10T00:00:00Z"


def test_a_schedule_means_the_clocks_of_its_zone() -> None:
    assert after("0 9 * * *", "2026-05-06T07:08:41Z", "Asia/Kolkata") == "2026-05-07T03:30:00Z"
    assert after("0 9 * * *", "2026-01-06T07:30:00Z", "Europe/Berlin") == "2026-01-06T08:00:00Z"


def test_a_time_that_clocks_leave_out_does_not_come() -> None:
    # On the 29th of March 2026 two o'clock is followed by three o'clock.
    assert after("30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin") == "2026-03-30T00:30:00Z"


def test_a_time_that_clocks_show_twice_comes_twice() -> None:
    first = after("30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin")
    assert first == "2026-10-25T00:30:00Z"
    assert after("30 2 * * *", first, "Europe/Berlin") == "2026-10-25T01:30:00Z"
