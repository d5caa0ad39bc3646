"""Whether tolerations put up with a taint. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kubegang.scheduler.framework.nodes import Taint
from kubegang.scheduler.framework.terms import Toleration

_KEEPS_OFF: Final = frozenset({"NoSchedule", "NoExecute"})


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """Return whether any of the tolerations matches the taint.

    An empty key or effect matches every one; operators that a gate would add match nothing.
    """
    return any(_matches(toleration, taint) for toleration in tolerations)


def _matches(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return toleration.operator == "Equal" and toleration.value == taint.value


def keeps_off(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> bool:
    """Return whether a taint that is not tolerated keeps the pod off the node."""
    return any(taint.effect in _KEEPS_OFF and not tolerates(tolerations, taint) for taint in taints)


def count_disliked(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> int:
    """Return how many PreferNoSchedule taints are not tolerated."""
    # Only these say something about taints that merely discourage.
    relevant = [t for t in tolerations if t.effect in ("", "PreferNoSchedule")]
    return sum(
        taint.effect == "PreferNoSchedule" and not tolerates(relevant, taint) for taint in taints
    )
