"""Which pods go first when there are too many. Pure.

Upstream's order (``pkg/controller``): unassigned before assigned, pending before running,
unready before ready, cheap before dear, crowded nodes first, ready for a short time, restarted
often, young. Times are compared by the logarithm of their age only, so that a set does not
always lose its youngest pods; those of one size of age go by uid, which is chance.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cmp_to_key

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time
from kubegang.controllers.workloads.availability import is_active, is_ready, phase, ready_since
from kubegang.controllers.workloads.objects import annotations_of, uid_of

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"

_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}
_LARGEST_COST = 2**31


def pods_to_delete(
    pods: Sequence[JsonObject], related: Sequence[JsonObject], *, count: int, now: float
) -> list[JsonObject]:
    """Return the pods that a set loses.

    Args:
        pods: those of the set.
        related: those of all sets of the same owner, which make nodes crowded.
        count: how many are lost.
        now: seconds since the epoch.
    """
    if count >= len(pods):
        return list(pods)
    crowd = Counter(_node(pod) for pod in related if is_active(pod))

    def compare(left: JsonObject, right: JsonObject) -> int:
        first, second = _standing(left, crowd), _standing(right, crowd)
        if first != second:
            return -1 if first < second else 1
        return _by_times(left, right, now)

    return sorted(pods, key=cmp_to_key(compare))[:count]


def _standing(pod: JsonObject, crowd: Counter[str]) -> tuple[bool, int, bool, int, int]:
    node = _node(pod)
    return bool(node), _PHASES.get(phase(pod), 0), is_ready(pod), _cost(pod), -crowd[node]


def _by_times(left: JsonObject, right: JsonObject, now: float) -> int:
    if is_ready(left) and ready_since(left) != ready_since(right):
        return _by_age(left, right, times=(ready_since(left), ready_since(right)), now=now)
    if _restarts(left) != _restarts(right):
        return _restarts(right) - _restarts(left)
    made = [parse_time(pod["metadata"]["creationTimestamp"]) for pod in (left, right)]
    if made[0] != made[1]:
        return _by_age(left, right, times=(made[0], made[1]), now=now)
    return 0


def _by_age(left: JsonObject, right: JsonObject, *, times: tuple[float, float], now: float) -> int:
    if 0 in times:
        # One that is not known counts as the youngest.
        return -1 if times[0] == 0 else 1
    first, second = (_size(now - time) for time in times)
    if first == second:
        return -1 if uid_of(left) < uid_of(right) else 1
    return first - second


def _size(age: float) -> int:
    nanoseconds = age * 1e9
    return int(math.log2(nanoseconds)) if nanoseconds > 1 else -1


def _cost(pod: JsonObject) -> int:
    text = annotations_of(pod).get(DELETION_COST, "0")
    digits = text[1:] if text[:1] == "-" else text
    is_number = digits.isdecimal() and digits.isascii()
    cost = int(text) if is_number else 0
    return cost if -_LARGEST_COST <= cost < _LARGEST_COST else 0


def _restarts(pod: JsonObject) -> int:
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return max((int(status.get("restartCount") or 0) for status in statuses), default=0)


def _node(pod: JsonObject) -> str:
    return str(pod["spec"].get("nodeName") or "")
