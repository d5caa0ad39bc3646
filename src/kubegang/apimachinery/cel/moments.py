"""Timestamps of expressions: from and to text, and their parts in a time zone. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

_FORM: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:[.,](\d+))?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = 10**9


class MomentError(ValueError):
    """A text that is no timestamp, or a zone that does not exist."""


def parse_timestamp(text: str) -> int:
    """Return the nanoseconds since 1970 of a text of RFC 3339.

    Raises:
        MomentError: it is none.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise MomentError(text)
    zone = "+00:00" if found[4] in "Zz" else found[4]
    try:
        moment = datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}")
    except ValueError as error:
        raise MomentError(text) from error
    fraction = int((found[3] or "0").ljust(9, "0")[:9])
    return _whole_seconds(moment) * _SECOND + fraction


def _whole_seconds(moment: datetime) -> int:
    passed = moment - _EPOCH
    return passed.days * 86400 + passed.seconds


def format_timestamp(nanoseconds: int) -> str:
    """Return a moment as RFC 3339 writes it, in UTC, without zeros at the end."""
    seconds, fraction = divmod(nanoseconds, _SECOND)
    text = (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
    year = text.split("-", 1)
    text = f"{year[0].rjust(4, '0')}-{year[1]}"
    tail = f".{fraction:09d}".rstrip("0") if fraction else ""
    return f"{text}{tail}Z"


def moment_in(nanoseconds: int, zone: str = "") -> datetime:
    """Return a moment in a time zone: a name, or an offset such as ``02:00``.

    Raises:
        MomentError: there is no such zone.
    """
    return (
        _EPOCH + timedelta(seconds=nanoseconds // _SECOND)
        if not zone
        else ((_EPOCH + timedelta(seconds=nanoseconds // _SECOND)).astimezone(_zone(zone)))
    )


def _zone(text: str) -> tzinfo:
    offset = re.fullmatch(r"([+-]?)(\d{2}):(\d{2})", text)
    if offset is not None:
        minutes = int(offset[2]) * 60 + int(offset[3])
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    try:
        return ZoneInfo(text)
    except (ValueError, KeyError, OSError) as error:
        raise MomentError(f"unknown time zone {text}") from error
