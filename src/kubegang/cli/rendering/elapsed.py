"""Virtual time as people read it."""

from __future__ import annotations


def elapsed_text(seconds: float) -> str:
    """Return ``0:01:05`` or, where it is no whole second, ``0:01:05.250``."""
    milliseconds = round(seconds * 1000)
    whole, rest = divmod(milliseconds, 1000)
    text = f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
    return f"{text}.{rest:03}" if rest else text
