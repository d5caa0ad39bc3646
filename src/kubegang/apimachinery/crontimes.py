"""When a cron schedule fires next, in a time zone.

A schedule fires whenever a clock on the wall shows a time that it names: where clocks are put
forward, times that are left out are not fired at; where they are put back, times come twice.

Pure: nobody here asks what time it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, datetime, timedelta, tzinfo

from kubegang.apimachinery.cronschedule import Schedule

YEARS_AHEAD = 5
"""Whatever does not fire for so long never does; the 31st of February, for instance."""

_MINUTE = 60
_HOUR = 3600
_ONE_DAY = timedelta(days=1)


def next_time(schedule: Schedule, after: float, *, zone: tzinfo) -> float | None:
    """Return when a schedule fires next, ``None`` if it never does.

    Args:
        schedule: the schedule.
        after: a moment, in seconds since the epoch; what is returned is later.
        zone: the time zone that the schedule is meant in.
    """
    if schedule.every_seconds:
        return math.floor(after) + float(schedule.every_seconds)
    earliest = math.floor(after) // _MINUTE * _MINUTE + _MINUTE
    first_day = datetime.fromtimestamp(earliest, zone).date()
    for day in _days(schedule, first_day):
        found = _first_on(schedule, day, max(earliest, _beginning(day, zone)), zone)
        if found is not None:
            return found
    return None


def _days(schedule: Schedule, day: date) -> Iterator[date]:
    """Yield the days on which a schedule may fire."""
    last_year = min(day.year + YEARS_AHEAD, date.max.year - 1)
    while day.year <= last_year:
        if day.month not in schedule.months.values:
            day = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
            continue
        if _is_named(schedule, day):
            yield day
        day += _ONE_DAY


def _is_named(schedule: Schedule, day: date) -> bool:
    """Return whether a day fits: one of the two restrictions is enough if there are two."""
    by_date = day.day in schedule.days.values
    by_weekday = day.isoweekday() % 7 in schedule.weekdays.values
    if schedule.days.any or schedule.weekdays.any:
        return by_date and by_weekday
    return by_date or by_weekday


def _beginning(day: date, zone: tzinfo) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp())


def _first_on(schedule: Schedule, day: date, moment: int, zone: tzinfo) -> float | None:
    """Return when a schedule fires first on a day, at a moment or later."""
    while True:
        local = datetime.fromtimestamp(moment, zone)
        if local.date() != day:
            return None
        if local.hour in schedule.hours.values:
            left = [minute for minute in schedule.minutes.values if minute >= local.minute]
            if left:
                return float(moment + (min(left) - local.minute) * _MINUTE)
        moment += _HOUR - local.minute * _MINUTE
