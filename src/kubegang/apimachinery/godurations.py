"""Durations in Go's form, ``1m30s``, in whole nanoseconds. Pure."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

NANOSECONDS: Final = 10**9

_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_PART: Final = r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)"
_ALL: Final = re.compile(f"[+-]?(?:{_PART})+")
_PARTS: Final = re.compile(_PART)
_LARGEST: Final = 2**63


class DurationError(ValueError):
    """A text that is no duration; the message is Go's."""


def parse_go_duration(text: str) -> int:
    """Return the nanoseconds of a duration.

    Raises:
        DurationError: it is none, or too long.
    """
    if text in {"0", "+0", "-0"}:
        return 0
    if not _ALL.fullmatch(text):
        missing = re.fullmatch(r"[+-]?[0-9.]*[0-9][0-9.]*", text)
        kind = "missing unit in duration" if missing else "invalid duration"
        raise DurationError(f'time: {kind} "{text}"')
    total = sum(int(Decimal(number) * _UNITS[unit]) for number, unit in _PARTS.findall(text))
    if total >= _LARGEST:
        raise DurationError(f'time: invalid duration "{text}"')
    return -total if text.startswith("-") else total
