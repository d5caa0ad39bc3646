"""Durations in Go's form, ``1m30s``. Pure."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
}
_PART: Final = r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)"


class DurationError(ValueError):
    """A text that is no duration; the message is Go's."""


def duration_seconds(text: str) -> float:
    """Return the seconds of a duration.

    Raises:
        DurationError: it is none.
    """
    if text in {"0", "+0", "-0"}:
        return 0.0
    if not re.fullmatch(f"[+-]?(?:{_PART})+", text):
        missing = re.fullmatch(r"[+-]?[0-9.]*[0-9][0-9.]*", text)
        kind = "missing unit in duration" if missing else "invalid duration"
        raise DurationError(f'time: {kind} "{text}"')
    seconds = sum(float(number) * _UNITS[unit] for number, unit in re.findall(_PART, text))
    return -seconds if text.startswith("-") else seconds
