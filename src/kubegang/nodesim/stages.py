"""What a simulated kubelet does next with a pod, and when.

A pod bound to a simulated node goes through these stages:

    bound ──▶ running ──▶ succeeded            kubegang.dev/run-duration: 60s
                 │  ▲ └──▶ failed              … with kubegang.dev/exit-code: "1",
                 │  │                          or kubegang.dev/fail-after: 30s
                 ▼  │
              restarting                       restartPolicy Always, or OnFailure after a failure
    any stage, marked for deletion ──▶ removed

Without one of the annotations a pod runs until it is deleted. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time

RUN_DURATION = "kubegang.dev/run-duration"
FAIL_AFTER = "kubegang.dev/fail-after"
EXIT_CODE = "kubegang.dev/exit-code"
START_DELAY = "kubegang.dev/start-delay"
TERMINATION_DURATION = "kubegang.dev/termination-duration"

# The kubelet's delays before it starts a container again: doubled each time, then capped.
FIRST_RESTART_SECONDS = 10.0
LONGEST_RESTART_SECONDS = 300.0

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class Step(msgspec.Struct, frozen=True):
    """One thing to do with a pod.

    Attributes:
        at: when, in seconds since the epoch; a time that has passed means now.
        exit_code: of the containers, for ``finish`` and ``wait-for-restart``.
    """

    action: Literal["start", "finish", "wait-for-restart", "restart", "remove"]
    at: float
    exit_code: int = 0


class AnnotationError(ValueError):
    """An annotation of ours on a pod cannot be read."""


def parse_duration(text: str) -> float:
    """Return the seconds of a Go-style duration such as ``90s`` or ``1h30m``.

    Raises:
        AnnotationError: the text is none.
    """
    parts = _DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise AnnotationError(f"need a duration such as 90s or 1h30m, found {text!r}")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def next_step(pod: JsonObject, *, bound_at: float) -> Step | None:
    """Return what happens to a pod next, or ``None`` if nothing does by itself.

    Args:
        pod: a pod with spec.nodeName.
        bound_at: when the simulator first saw it bound.

    Raises:
        AnnotationError: one of our annotations cannot be read.
    """
    metadata, status = pod["metadata"], pod.get("status") or {}
    annotations: Mapping[str, str] = metadata.get("annotations") or {}
    finished = status.get("phase") in ("Succeeded", "Failed")
    if metadata.get("deletionTimestamp"):
        return _removal(pod, annotations, finished=finished)
    if finished:
        return None
    state = _first_container_state(status)
    if state is None:
        return Step("start", bound_at + _duration(annotations, START_DELAY, default=0.0))
    if "waiting" in state:
        return _restart(status)
    return _ending(pod, annotations, started=parse_time(state["running"]["startedAt"]))


def _removal(pod: JsonObject, annotations: Mapping[str, str], *, finished: bool) -> Step:
    deadline = parse_time(pod["metadata"]["deletionTimestamp"])
    grace = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
    marked = deadline - grace
    if finished:
        return Step("remove", marked)
    # A container that ignores the signal is killed when the grace period is over.
    takes = _duration(annotations, TERMINATION_DURATION, default=0.0)
    return Step("remove", min(marked + takes, deadline))


def _restart(status: JsonObject) -> Step:
    container = status["containerStatuses"][0]
    ended = parse_time(container["lastState"]["terminated"]["finishedAt"])
    delay = FIRST_RESTART_SECONDS * 2 ** int(container.get("restartCount") or 0)
    return Step("restart", ended + min(delay, LONGEST_RESTART_SECONDS))


def _ending(pod: JsonObject, annotations: Mapping[str, str], *, started: float) -> Step | None:
    fail_after = _optional_duration(annotations, FAIL_AFTER)
    run_duration = _optional_duration(annotations, RUN_DURATION)
    exit_code = _exit_code(annotations)
    if fail_after is not None and (run_duration is None or fail_after < run_duration):
        at, code = started + fail_after, exit_code or 1
    elif run_duration is not None:
        at, code = started + run_duration, exit_code
    else:
        return None
    policy = pod["spec"].get("restartPolicy", "Always")
    again = policy == "Always" or (policy == "OnFailure" and code != 0)
    return Step("wait-for-restart" if again else "finish", at, code)


def _first_container_state(status: JsonObject) -> JsonObject | None:
    """Return the state that stands for the pod: all its containers move together."""
    containers = status.get("containerStatuses") or []
    if not containers:
        return None
    state: JsonObject = containers[0].get("state") or {}
    return state if "running" in state or "waiting" in state else None


def _duration(annotations: Mapping[str, str], name: str, *, default: float) -> float:
    value = _optional_duration(annotations, name)
    return default if value is None else value


def _optional_duration(annotations: Mapping[str, str], name: str) -> float | None:
    text = annotations.get(name)
    if text is None:
        return None
    try:
        return parse_duration(text)
    except AnnotationError as error:
        raise AnnotationError(f"annotation {name}: {error}") from None


def _exit_code(annotations: Mapping[str, str]) -> int:
    text = annotations.get(EXIT_CODE, "0")
    if not text.isdigit() or int(text) > 255:
        raise AnnotationError(f"annotation {EXIT_CODE}: need a number up to 255, found {text!r}")
    return int(text)
