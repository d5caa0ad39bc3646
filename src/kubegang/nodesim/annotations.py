"""How a pod behaves on a simulated node, as its annotations say. Pure.

They are documented in docs/reference/node-file.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

RUN_DURATION = "kubegang.dev/run-duration"
FAIL_AFTER = "kubegang.dev/fail-after"
EXIT_CODE = "kubegang.dev/exit-code"
START_DELAY = "kubegang.dev/start-delay"
TERMINATION_DURATION = "kubegang.dev/termination-duration"

SILENT = "kubegang.dev/silent"
"""On a Node, ``"true"``: its kubelet is as good as dead, until the annotation is gone."""

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class AnnotationError(ValueError):
    """An annotation of ours on a pod cannot be read."""


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """What the containers of a pod do.

    Attributes:
        runs_for: seconds until they end by themselves, ``None`` for ever.
        exit_code: with which code they end then.
        starts_after: seconds from the binding to their start.
        ends_within: seconds from the signal to end until they have ended.
    """

    runs_for: float | None = None
    exit_code: int = 0
    starts_after: float = 0.0
    ends_within: float = 0.0


def behaviour_of(annotations: Mapping[str, str]) -> Behaviour:
    """Return how a pod behaves.

    Raises:
        AnnotationError: one of our annotations cannot be read.
    """
    code = _exit_code(annotations)
    runs_for, fails_after = _duration(annotations, RUN_DURATION), _duration(annotations, FAIL_AFTER)
    if fails_after is not None and (runs_for is None or fails_after < runs_for):
        runs_for, code = fails_after, code or 1
    return Behaviour(
        runs_for=runs_for,
        exit_code=code,
        starts_after=_duration(annotations, START_DELAY) or 0.0,
        ends_within=_duration(annotations, TERMINATION_DURATION) or 0.0,
    )


def check_annotations(annotations: Mapping[str, str]) -> None:
    """Check the annotations of a pod or of a pod template.

    Raises:
        AnnotationError: one of ours cannot be read; the text names it.
    """
    behaviour_of(annotations)


def parse_duration(text: str) -> float:
    """Return the seconds of a Go-style duration such as ``90s`` or ``1h30m``.

    Raises:
        AnnotationError: the text is none.
    """
    parts = _DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise AnnotationError(f"need a duration such as 90s or 1h30m, found {text!r}")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _duration(annotations: Mapping[str, str], name: str) -> float | None:
    text = annotations.get(name)
    if text is None:
        return None
    try:
        return parse_duration(text)
    except AnnotationError as error:
        raise AnnotationError(f"annotation {name}: {error}") from None


def _exit_code(annotations: Mapping[str, str]) -> int:
    text = annotations.get(EXIT_CODE, "0")
    if not text.isdecimal() or int(text) > 255:
        raise AnnotationError(f"annotation {EXIT_CODE}: need a number up to 255, found {text!r}")
    return int(text)
