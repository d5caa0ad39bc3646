"""Whole numbers in texts, as Go's ``strconv.ParseInt`` reads them. Pure."""

from __future__ import annotations

import re
from typing import Final

# Not int() alone: that also takes spaces, underscores, and digits of any script.
_INTEGER: Final = re.compile(r"([+-]?)0*([0-9]{1,19})", re.ASCII)
_INT64: Final = range(-(2**63), 2**63)


def parse_int64(text: str) -> int | None:
    """Return a number of 64 bits, ``None`` if the text is none."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    number = int(match[1] + match[2])
    return number if number in _INT64 else None
