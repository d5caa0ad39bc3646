"""Numbers that users give as such or as a share of others: ``2`` or ``25%``. Pure."""

from __future__ import annotations

from typing import Any


def amount_of(value: Any, total: int, *, round_up: bool) -> int:
    """Return a number that is meant as ``value`` of ``total``; what is no number is none."""
    if value is None:
        return 0
    text = str(value)
    if not text.endswith("%"):
        return int(text)
    share = int(text[:-1]) * total
    return -(-share // 100) if round_up else share // 100
