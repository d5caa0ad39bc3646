"""Cron schedules as CronJobs write them: five fields, or a word such as ``@daily``.

The form and the error texts are those of the cron library that Kubernetes uses (v3).

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec


class ScheduleError(ValueError):
    """A text that is no schedule; the message says why."""


class Field(msgspec.Struct, frozen=True):
    """The values of one field at which a schedule fires.

    Attributes:
        any: the field was ``*`` or ``?``: whether days of month and of week restrict each
            other depends on it.
    """

    values: frozenset[int]
    any: bool = False


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """When something is to happen: at the times that match all fields, or every so often.

    Attributes:
        every_seconds: the distance of a schedule written as ``@every 90m``; zero for the others.
        time_zone: named inside the schedule (``TZ=…``), which old CronJobs may do.
    """

    minutes: Field = Field(frozenset())
    hours: Field = Field(frozenset())
    days: Field = Field(frozenset())
    months: Field = Field(frozenset())
    weekdays: Field = Field(frozenset())
    every_seconds: int = 0
    time_zone: str = ""


class _Bounds(NamedTuple):
    low: int
    high: int
    names: Mapping[str, int]


def _names(words: str, first: int) -> Mapping[str, int]:
    return {word: first + position for position, word in enumerate(words.split())}


_MONTH_NAMES = _names("jan feb mar apr may jun jul aug sep oct nov dec", 1)
_DAY_NAMES = _names("sun mon tue wed thu fri sat", 0)

# Minutes, hours, days of the month, months, days of the week.
_FIELDS = (
    _Bounds(0, 59, {}),
    _Bounds(0, 23, {}),
    _Bounds(1, 31, {}),
    _Bounds(1, 12, _MONTH_NAMES),
    _Bounds(0, 6, _DAY_NAMES),
)

_WORDS: Mapping[str, str] = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY = "@every "

_DURATION = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)")
_UNITS: Mapping[str, float] = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "s": 1,
    "m": 60,
    "h": 3600,
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_LIMIT = 2**63


def parse_schedule(text: str) -> Schedule:
    """Read a schedule.

    Raises:
        ScheduleError: it is none.
    """
    if not text:
        raise ScheduleError("empty spec string")
    zone, text = _split_zone(text)
    if text.startswith(_EVERY):
        return Schedule(every_seconds=_distance(text), time_zone=zone)
    if text.startswith("@"):
        if text not in _WORDS:
            raise ScheduleError(f"unrecognized descriptor: {text}")
        text = _WORDS[text]
    words = text.split()
    if len(words) != len(_FIELDS):
        found = f"[{' '.join(words)}]"
        raise ScheduleError(f"expected exactly 5 fields, found {len(words)}: {found}")
    minutes, hours, days, months, weekdays = (
        _field(word, bounds) for word, bounds in zip(words, _FIELDS, strict=True)
    )
    return Schedule(
        minutes=minutes,
        hours=hours,
        days=days,
        months=months,
        weekdays=weekdays,
        time_zone=zone,
    )


def _split_zone(text: str) -> tuple[str, str]:
    if not text.startswith(("TZ=", "CRON_TZ=")):
        return "", text
    zone, space, rest = text.partition(" ")
    if not space:
        # The original fails with this text of the language's run time.
        problem = "runtime error: slice bounds out of range [:-1]"
        raise ScheduleError(f"invalid schedule format: {problem}")
    return zone.partition("=")[2], rest.strip()


def _distance(text: str) -> int:
    duration = text.removeprefix(_EVERY)
    unsigned = duration.lstrip("+-")
    parts = _DURATION.findall(unsigned)
    if duration != "0" and (not parts or "".join(parts) != unsigned):
        problem = f'time: invalid duration "{duration}"'
        raise ScheduleError(f"failed to parse duration {text}: {problem}")
    seconds = sum(_seconds(part) for part in parts)
    # The library rounds down to whole seconds, and up to one.
    return 1 if duration.startswith("-") else max(int(seconds), 1)


def _seconds(part: str) -> float:
    unit = part.lstrip("0123456789.")
    return float(part.removesuffix(unit)) * _UNITS[unit]


def _field(text: str, bounds: _Bounds) -> Field:
    values: set[int] = set()
    everything = False
    for part in filter(None, text.split(",")):
        found = _range(part, bounds)
        values |= found.values
        everything |= found.any
    return Field(frozenset(values), everything)


def _range(text: str, bounds: _Bounds) -> Field:
    parts = text.split("/")
    ends = parts[0].split("-")
    everything = ends[0] in ("*", "?")
    if everything:
        low, high = bounds.low, bounds.high
    else:
        low = _number_or_name(ends[0], bounds)
        high = _number_or_name(ends[1], bounds) if len(ends) == 2 else low
        if len(ends) > 2:
            raise ScheduleError(f"too many hyphens: {text}")
    step = 1
    if len(parts) > 2:
        raise ScheduleError(f"too many slashes: {text}")
    if len(parts) == 2:
        step = _number(parts[1])
        high = bounds.high if len(ends) == 1 else high
    _check_range(low, high, step, text=text, bounds=bounds)
    return Field(frozenset(range(low, high + 1, step)), everything and step == 1)


def _check_range(low: int, high: int, step: int, *, text: str, bounds: _Bounds) -> None:
    if low < bounds.low:
        raise ScheduleError(f"beginning of range ({low}) below minimum ({bounds.low}): {text}")
    if high > bounds.high:
        raise ScheduleError(f"end of range ({high}) above maximum ({bounds.high}): {text}")
    if low > high:
        raise ScheduleError(f"beginning of range ({low}) beyond end of range ({high}): {text}")
    if step == 0:
        raise ScheduleError(f"step of range should be a positive number: {text}")


def _number_or_name(text: str, bounds: _Bounds) -> int:
    named = bounds.names.get(text.lower())
    return _number(text) if named is None else named


def _number(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        problem = f'strconv.Atoi: parsing "{text}": invalid syntax'
        raise ScheduleError(f"failed to parse int from {text}: {problem}")
    number = int(text)
    if not -_LIMIT <= number < _LIMIT:
        problem = f'strconv.Atoi: parsing "{text}": value out of range'
        raise ScheduleError(f"failed to parse int from {text}: {problem}")
    if number < 0:
        raise ScheduleError(f"negative number ({number}) not allowed: {text}")
    return number
