"""Answers of two servers made comparable: what differs by nature is taken out."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

_NATURAL = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "time",
    "lastTransitionTime",
    "deletionTimestamp",
)
_NUMBERS = re.compile(r"selfType\d+(?:\.[\w@]+)*|object\d+")
_QUOTED = re.compile(r"\\*\"(?:uid|resourceVersion|time|creationTimestamp)\\*\":\\*\"[^\"\\]*\\*\"")


class Answer(NamedTuple):
    """A status code, a body, and the warnings beside it."""

    code: int
    body: Any
    warnings: tuple[str, ...] = ()


class Difference(NamedTuple):
    """How two answers differ: in what they are, or only in how they say it."""

    structure: bool
    text: bool


def compare(real: Answer, own: Answer) -> Difference:
    """Return how an answer differs from the real one."""
    if real.code != own.code:
        return Difference(structure=True, text=True)
    left, right = _cleaned(real.body), _cleaned(own.body)
    if not isinstance(left, dict) or not isinstance(right, dict) or left.get("kind") != "Status":
        return Difference(
            structure=left != right, text=left != right or not _same_warnings(real, own)
        )
    structure = _shape(left) != _shape(right)
    text = _texts(left) != _texts(right) or not _same_warnings(real, own)
    return Difference(structure, text)


def _same_warnings(real: Answer, own: Answer) -> bool:
    return sorted(real.warnings) == sorted(own.warnings)


def _cleaned(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _cleaned(one)
            for key, one in value.items()
            if key not in _NATURAL and not (key == "continue" and not one) and key != "description"
        }
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    if isinstance(value, str):
        return _QUOTED.sub("", _NUMBERS.sub("OBJECT", value))
    return value


def _causes(status: dict[str, Any]) -> list[dict[str, Any]]:
    return list((status.get("details") or {}).get("causes") or [])


def _shape(status: dict[str, Any]) -> Any:
    causes = sorted((one.get("reason", ""), one.get("field", "")) for one in _causes(status))
    details = {key: one for key, one in (status.get("details") or {}).items() if key != "causes"}
    return status.get("reason"), details, causes


def _texts(status: dict[str, Any]) -> Any:
    causes = sorted(one.get("message", "") for one in _causes(status))
    message = str(status.get("message", ""))
    if message.startswith("failed to create typed patch object"):
        # Go looks at members in the random order of a map, and stops at the first unknown one.
        return message.partition("): ")[0]
    # Causes come in the order of a map in Go; so does the message, which joins them.
    return causes, message.partition(" is invalid: ")[0] if causes else message
