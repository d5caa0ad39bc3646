"""The past of objects, as far as they tell it themselves: created, bound, ended. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import TimeError, parse_time

_ENDED: Final = ("Succeeded", "Failed")
_JOB_ENDS: Final = ("Complete", "Failed")
_OWNERS_FIRST: Final = {"Job": 0, "PodGroup": 1}

Step = tuple[float, JsonObject]
"""When, and the object as it was then."""


def retold(objects: Iterable[JsonObject]) -> list[Step]:
    """Return the steps of all objects in the order of time, owners before what they own."""
    steps = [step for obj in objects for step in _steps(obj)]
    return sorted(steps, key=lambda step: (step[0], _OWNERS_FIRST.get(step[1]["kind"], 2)))


def _steps(obj: JsonObject) -> Iterator[Step]:
    created = _moment(obj["metadata"].get("creationTimestamp"), 0.0)
    match obj["kind"]:
        case "Pod":
            yield from _pod_steps(obj, created)
        case "Job":
            yield created, {**obj, "status": {}}
            if (ended := _since(obj, _JOB_ENDS)) is not None:
                yield max(ended, created), obj
        case _:
            yield created, obj


def _pod_steps(pod: JsonObject, created: float) -> Iterator[Step]:
    spec, status = pod["spec"], pod.get("status") or {}
    yield created, {**pod, "spec": {**spec, "nodeName": ""}, "status": {}}
    if not spec.get("nodeName"):
        return
    bound = max(created, _since(pod, ("PodScheduled",)) or created)
    phase = status.get("phase")
    yield bound, {**pod, "status": {**status, "phase": None if phase in _ENDED else phase}}
    if phase in _ENDED:
        yield max(bound, _ended(status, bound)), pod


def _since(obj: JsonObject, kinds: Iterable[str]) -> float | None:
    """Return since when one of these conditions holds."""
    for condition in (obj.get("status") or {}).get("conditions") or ():
        if condition.get("type") in kinds and condition.get("status") == "True":
            return _moment(condition.get("lastTransitionTime"), 0.0)
    return None


def _ended(status: JsonObject, otherwise: float) -> float:
    ends = (
        ((container.get("state") or {}).get("terminated") or {}).get("finishedAt")
        for container in status.get("containerStatuses") or ()
    )
    return max((_moment(end, otherwise) for end in ends), default=otherwise)


def _moment(text: Any, otherwise: float) -> float:
    try:
        return parse_time(text) if text else otherwise
    except TimeError:
        return otherwise
