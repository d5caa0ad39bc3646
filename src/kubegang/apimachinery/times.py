"""Times as the API writes them, and ages as kubectl prints them.

Seconds since the Unix epoch inside, RFC 3339 outside: whole seconds for ``metav1.Time``, six
digits for ``metav1.MicroTime``, always in UTC with a ``Z``. Any offset is understood. What is
refused, and how the refusal reads, follows Go's ``time.Parse`` (measured on 1.37.2).

Pure: nobody here asks what time it is.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from kubegang.apimachinery.gotext import go_quote

ZERO_TIME = "0001-01-01T00:00:00Z"
"""Go's zero time; the API writes it as null."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_SECONDS_LAYOUT = "2006-01-02T15:04:05Z07:00"
_MICRO_LAYOUT = "2006-01-02T15:04:05.000000Z07:00"

# Go takes an hour of one digit and a decimal comma.
_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})"
    r"(?:[.,]([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)


class TimeError(ValueError):
    """A text that is no time; the message is Go's."""


def format_time(seconds: float) -> str:
    """Return a time as ``metav1.Time`` writes it: ``2026-11-29T18:15:13Z``."""
    return _text(int(seconds // 1))


def format_micro_time(seconds: float) -> str:
    """Return a time as ``metav1.MicroTime`` writes it: ``2026-11-29T18:15:13.000250Z``."""
    whole, micro = divmod(round(seconds * 1_000_000), 1_000_000)
    return f"{_text(whole)[:-1]}.{micro:06d}Z"


def parse_time(text: str) -> float:
    """Return the seconds since the epoch of an RFC 3339 time with any offset.

    Raises:
        TimeError: the text is malformed or names no point in time.
    """
    moment = _parse(text, _SECONDS_LAYOUT)
    return moment.seconds + moment.nanoseconds / 1e9


def parse_micro_time(text: str) -> float:
    """Return the seconds since the epoch of a time with exactly six decimal places.

    Raises:
        TimeError: the text is malformed or names no point in time.
    """
    moment = _parse(text, _MICRO_LAYOUT)
    return moment.seconds + moment.nanoseconds / 1e9


def normalize_time(text: str) -> str:
    """Return a time as the API would write it back: in UTC, without decimal places.

    Raises:
        TimeError: the text is malformed or names no point in time.
    """
    return _text(_parse(text, _SECONDS_LAYOUT).seconds)


def normalize_micro_time(text: str) -> str:
    """Return a micro time as the API would write it back: in UTC.

    Raises:
        TimeError: the text is malformed or names no point in time.
    """
    moment = _parse(text, _MICRO_LAYOUT)
    return f"{_text(moment.seconds)[:-1]}.{moment.nanoseconds // 1000:06d}Z"


def human_duration(seconds: float) -> str:
    """Return a duration as kubectl's AGE column prints it: ``5m30s``, ``3h``, ``2d4h``."""
    if seconds <= -2:
        return "<invalid>"
    # Clocks differ a little: up to two seconds in the future counts as now.
    total = max(0, int(seconds))
    minutes, hours, days = total // 60, total // 3600, total // 86400
    if total < 120:
        return f"{total}s"
    if minutes < 10:
        return _two_units(minutes, "m", total % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _two_units(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two_units(days, "d", hours % 24, "h")
    if days < 365 * 2:
        return f"{days}d"
    if days < 365 * 8:
        return _two_units(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def go_duration(seconds: float) -> str:
    """Return a duration as Go prints it, to the millisecond: ``5m0s``, ``1.5s``, ``20ms``."""
    total = round(abs(seconds) * 1000)
    sign = "-" if seconds < 0 and total else ""
    if total and total < 1000:
        return f"{sign}{total}ms"
    minutes, milliseconds = divmod(total, 60_000)
    text = f"{milliseconds / 1000:g}s"
    if minutes >= 60:
        text = f"{minutes // 60}h{minutes % 60}m{text}"
    elif minutes:
        text = f"{minutes}m{text}"
    return sign + text


def _two_units(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"


class _Moment(NamedTuple):
    seconds: int
    nanoseconds: int


@lru_cache(maxsize=1024)
def _parse(text: str, layout: str) -> _Moment:
    match = _TIME.fullmatch(text)
    if match is None:
        raise _explained(text, layout)
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, offset_hour, offset_minute = match.groups(default="")[6:]
    if layout == _MICRO_LAYOUT and len(fraction) != 6:
        raise _explained(text, layout)
    try:
        local = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError as error:
        raise _explained(text, layout) from error
    since = local - _EPOCH
    seconds = since.days * 86400 + since.seconds
    if sign:
        offset = int(offset_hour) * 3600 + int(offset_minute) * 60
        seconds += -offset if sign == "+" else offset
    return _Moment(seconds, int(f"{fraction:0<9.9}"))


@lru_cache(maxsize=1024)
def _text(seconds: int) -> str:
    moment = _EPOCH + timedelta(seconds=seconds)
    # Not strftime: it does not pad years below 1000 everywhere.
    return moment.replace(tzinfo=None).isoformat() + "Z"


class _Element(NamedTuple):
    """A piece of a layout: how Go writes it, what it takes, and the range of its number."""

    layout: str
    expression: re.Pattern[str]
    unit: str = ""
    least: int = 0
    most: int = 0


_TWO_DIGITS = re.compile("[0-9]{2}")
_DATE_AND_TIME = (
    _Element("2006", re.compile("[0-9]{4}")),
    _Element("-", re.compile("-")),
    _Element("01", _TWO_DIGITS, "month", 1, 12),
    _Element("-", re.compile("-")),
    _Element("02", _TWO_DIGITS),
    _Element("T", re.compile("T")),
    _Element("15", re.compile("[0-9]{1,2}"), "hour", 0, 23),
    _Element(":", re.compile(":")),
    _Element("04", _TWO_DIGITS, "minute", 0, 59),
    _Element(":", re.compile(":")),
    _Element("05", _TWO_DIGITS, "second", 0, 59),
)
_ZONE = _Element("Z07:00", re.compile("Z|[+-][0-9]{2}:[0-9]{2}"))
_ELEMENTS = {
    _SECONDS_LAYOUT: (*_DATE_AND_TIME, _Element("", re.compile("(?:[.,][0-9]+)?")), _ZONE),
    _MICRO_LAYOUT: (*_DATE_AND_TIME, _Element(".000000", re.compile("[.,][0-9]{6}")), _ZONE),
}


def _explained(text: str, layout: str) -> TimeError:
    """Return the error about the first element of the layout that does not fit."""
    about = f"parsing time {go_quote(text)}"
    rest = text
    for element in _ELEMENTS[layout]:
        match = element.expression.match(rest)
        if match is None:
            found, wanted = go_quote(rest), go_quote(element.layout)
            return TimeError(f"{about} as {go_quote(layout)}: cannot parse {found} as {wanted}")
        if element.unit and not element.least <= int(match.group()) <= element.most:
            return TimeError(f"{about}: {element.unit} out of range")
        rest = rest[match.end() :]
    if rest:
        return TimeError(f"{about}: extra text: {go_quote(rest)}")
    # Only the calendar is left: the day does not exist in its month.
    return TimeError(f"{about}: day out of range")
