"""The parts of timestamps and durations. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from kubegang.apimachinery.cel.moments import MomentError, moment_in
from kubegang.apimachinery.cel.runtime import Duration, EvalError, Timestamp, no_overload
from kubegang.apimachinery.godurations import NANOSECONDS


def _part(read: Callable[[datetime], int]) -> Callable[..., int]:
    def function(value: Any, zone: str = "") -> int:
        if not isinstance(value, Timestamp):
            raise no_overload()
        return read(_moment(value, zone))

    return function


def _either(read: Callable[[datetime], int], seconds: int) -> Callable[..., int]:
    """Return a function of timestamps that of durations means the whole."""
    of_moment = _part(read)

    def function(value: Any, zone: str = "") -> int:
        if isinstance(value, Duration):
            whole = abs(value.nanoseconds) // (seconds * NANOSECONDS)
            return -whole if value.nanoseconds < 0 else whole
        return of_moment(value, zone)

    return function


def _milliseconds(value: Any, _zone: str = "") -> int:
    if not isinstance(value, Timestamp | Duration):
        raise no_overload()
    rest = abs(value.nanoseconds) % NANOSECONDS // 10**6
    return -rest if isinstance(value, Duration) and value.nanoseconds < 0 else rest


def _moment(value: Timestamp, zone: str) -> datetime:
    try:
        return moment_in(value.nanoseconds, zone)
    except MomentError as error:
        raise EvalError(str(error)) from error


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "getFullYear": _part(lambda moment: moment.year),
    "getMonth": _part(lambda moment: moment.month - 1),
    "getDate": _part(lambda moment: moment.day),
    "getDayOfMonth": _part(lambda moment: moment.day - 1),
    "getDayOfWeek": _part(lambda moment: (moment.weekday() + 1) % 7),
    "getDayOfYear": _part(lambda moment: moment.timetuple().tm_yday - 1),
    "getHours": _either(lambda moment: moment.hour, 3600),
    "getMinutes": _either(lambda moment: moment.minute, 60),
    "getSeconds": _either(lambda moment: moment.second, 1),
    "getMilliseconds": _milliseconds,
}
