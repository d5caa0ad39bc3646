"""What a Deployment's strategy allows, read from its JSON. Pure."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.workloads.amounts import amount_of
from kubegang.controllers.workloads.objects import replicas_of

NO_DEADLINE = 2**31 - 1
"""The value of ``spec.progressDeadlineSeconds`` that means never; so does none."""


def is_rolling(deployment: JsonObject) -> bool:
    """Return whether templates replace each other pod by pod."""
    return bool(deployment["spec"]["strategy"]["type"] == "RollingUpdate")


def max_surge(deployment: JsonObject) -> int:
    """Return how many pods there may be on top of those asked for."""
    return _fences(deployment)[0] if is_rolling(deployment) else 0


def max_unavailable(deployment: JsonObject) -> int:
    """Return how many of the pods asked for may be unavailable."""
    replicas = replicas_of(deployment)
    if not is_rolling(deployment) or replicas == 0:
        return 0
    return min(_fences(deployment)[1], replicas)


def plain_surge(deployment: JsonObject) -> int:
    """Return the surge as the strategy says it, whatever else is allowed."""
    rolling = deployment["spec"]["strategy"].get("rollingUpdate") or {}
    return amount_of(rolling.get("maxSurge"), replicas_of(deployment), round_up=True)


def progress_deadline(deployment: JsonObject) -> int | None:
    """Return after how many seconds without progress a rollout has failed, if ever."""
    seconds = deployment["spec"].get("progressDeadlineSeconds")
    return None if seconds in (None, NO_DEADLINE) else int(seconds)


def history_limit(deployment: JsonObject) -> int | None:
    """Return how many old ReplicaSets are kept, ``None`` for all."""
    limit = deployment["spec"].get("revisionHistoryLimit")
    return None if limit in (None, NO_DEADLINE) else int(limit)


def _fences(deployment: JsonObject) -> tuple[int, int]:
    """Return surge and unavailability; of two shares that come to nothing, one pod may go."""
    rolling = deployment["spec"]["strategy"].get("rollingUpdate") or {}
    replicas = replicas_of(deployment)
    unavailable = amount_of(rolling.get("maxUnavailable"), replicas, round_up=False)
    surge = plain_surge(deployment)
    return (surge, unavailable) if surge or unavailable else (0, 1)
