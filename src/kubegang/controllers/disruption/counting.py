"""What a budget comes to, from its pods and how many there should be. Pure.

Source: KEP-85 and the API's field descriptions; figures and texts measured on 1.37.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from kubegang.apimachinery.conditions import find_condition, is_true, set_condition
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time

DELETION_SECONDS = 120.0
"""An eviction that was allowed counts as a missing pod for so long; the pod is to be gone then."""

CONDITION = "DisruptionAllowed"


class Expectation(msgspec.Struct, frozen=True):
    """How many pods there should be.

    Attributes:
        pods: according to their controllers, or as many as there are.
        healthy: how many of them the budget wants to stay.
    """

    pods: int
    healthy: int


class Disrupted(msgspec.Struct, frozen=True):
    """Pods whose eviction was allowed and that are not going yet.

    Attributes:
        awaited: name and time of those whose deletion is still expected.
        overdue: those that should have been deleted by now.
        next_look: when the first of the awaited is overdue; ``None`` without any.
    """

    awaited: Mapping[str, str]
    overdue: Sequence[JsonObject] = ()
    next_look: float | None = None


def needs_scale(budget: JsonObject) -> bool:
    """Return whether a budget is relative to how many pods the controllers want."""
    spec = budget["spec"]
    return spec.get("maxUnavailable") is not None or isinstance(spec.get("minAvailable"), str)


def expectation_of(budget: JsonObject, *, present: int, scale: int) -> Expectation:
    """Return what a budget expects.

    Args:
        budget: the PodDisruptionBudget.
        present: how many pods it selects.
        scale: how many their controllers want; counts where ``needs_scale``.
    """
    spec = budget["spec"]
    unavailable, available = spec.get("maxUnavailable"), spec.get("minAvailable")
    if unavailable is not None:
        return Expectation(scale, max(scale - _scaled(unavailable, scale), 0))
    if isinstance(available, str):
        return Expectation(scale, _scaled(available, scale))
    if available is not None:
        return Expectation(present, available)
    return Expectation(0, 0)


def _scaled(amount: int | str, total: int) -> int:
    """Return a count; a percentage of the total is rounded up."""
    if isinstance(amount, int):
        return amount
    return math.ceil(int(amount.removesuffix("%")) * total / 100)


def disrupted_pods(budget: JsonObject, pods: Sequence[JsonObject], *, now: float) -> Disrupted:
    """Return what became of the evictions that the budget's status remembers."""
    remembered = (budget.get("status") or {}).get("disruptedPods") or {}
    awaited: dict[str, str] = {}
    overdue, looks = [], []
    for pod in pods:
        name = pod["metadata"]["name"]
        if name not in remembered or pod["metadata"].get("deletionTimestamp"):
            continue
        expected = parse_time(remembered[name]) + DELETION_SECONDS
        if expected <= now:
            overdue.append(pod)
        else:
            awaited[name] = remembered[name]
            looks.append(expected)
    return Disrupted(awaited, overdue, min(looks, default=None))


def healthy_count(pods: Sequence[JsonObject], disrupted: Disrupted) -> int:
    """Return how many pods are ready and neither going nor expected to go."""
    return sum(
        1
        for pod in pods
        if not pod["metadata"].get("deletionTimestamp")
        and pod["metadata"]["name"] not in disrupted.awaited
        and is_true((pod.get("status") or {}).get("conditions") or (), "Ready")
    )


def status_of(
    budget: JsonObject,
    expectation: Expectation,
    disrupted: Disrupted,
    *,
    healthy: int,
    now: float,
) -> JsonObject | None:
    """Return the budget's new status, ``None`` if it stays as it is."""
    before = budget.get("status") or {}
    allowed = healthy - expectation.healthy
    if expectation.pods <= 0 or allowed <= 0:
        allowed = 0
    status: JsonObject = {
        "observedGeneration": budget["metadata"].get("generation", 0),
        "disruptionsAllowed": allowed,
        "currentHealthy": healthy,
        "desiredHealthy": expectation.healthy,
        "expectedPods": expectation.pods,
    }
    if disrupted.awaited:
        status["disruptedPods"] = dict(disrupted.awaited)
    if _says_the_same(before, status) and _is_up_to_date(before):
        return None
    status["conditions"] = [dict(one) for one in before.get("conditions") or ()]
    set_condition(
        status["conditions"],
        type=CONDITION,
        status="True" if allowed else "False",
        reason="SufficientPods" if allowed else "InsufficientPods",
        message="",
        now=now,
        observed_generation=status["observedGeneration"],
    )
    return status


def failed_status(budget: JsonObject, problem: str, *, now: float) -> JsonObject:
    """Return the status when the numbers cannot be had: nothing may be evicted."""
    before = budget.get("status") or {}
    status: JsonObject = {**before, "disruptionsAllowed": 0}
    status["conditions"] = [dict(one) for one in before.get("conditions") or ()]
    set_condition(
        status["conditions"],
        type=CONDITION,
        status="False",
        reason="SyncFailed",
        message=problem,
        now=now,
        observed_generation=before.get("observedGeneration", 0),
    )
    return status


def _says_the_same(before: JsonObject, after: JsonObject) -> bool:
    numbers = (
        "observedGeneration",
        "disruptionsAllowed",
        "currentHealthy",
        "desiredHealthy",
        "expectedPods",
    )
    same = all(before.get(name, 0) == after[name] for name in numbers)
    return same and (before.get("disruptedPods") or {}) == (after.get("disruptedPods") or {})


def _is_up_to_date(status: JsonObject) -> bool:
    """Return whether the condition is there and agrees with the numbers."""
    condition = find_condition(status.get("conditions") or [], CONDITION)
    if condition is None:
        return False
    generation = status.get("observedGeneration", 0)
    allowed = "True" if status.get("disruptionsAllowed", 0) > 0 else "False"
    seen = condition.get("observedGeneration", 0)
    return bool(condition.get("status") == allowed and seen == generation)
