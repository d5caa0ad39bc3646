"""Which candidate costs least. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.preemption.candidates import Candidate
from kubegang.scheduler.preemption.units import NOT_STARTED

_ABOVE_EVERY_PRIORITY: Final = 2**31
"""Added to each priority of a sum, so that more victims of a low one never cost less."""


def cheapest(candidates: Sequence[Candidate]) -> Candidate:
    """Return the candidate that costs least; the first of those that cost the same.

    The order of kube-scheduler: fewest violations of budgets, lowest priority of the most
    important victim, lowest sum of priorities, fewest victims, and then the victims that
    started last. The pods' own priorities count here, not those of their groups.
    """
    return min(candidates, key=_cost)


def _cost(candidate: Candidate) -> tuple[int, int, int, int, float]:
    victims = candidate.victims
    return (
        candidate.violations,
        victims[0].priority,
        sum(victim.priority + _ABOVE_EVERY_PRIORITY for victim in victims),
        len(victims),
        -_start_of_strongest(victims),
    )


def _start_of_strongest(victims: Sequence[PodInfo]) -> float:
    """Return when the first of the victims of the highest priority started."""
    highest = max(victim.priority for victim in victims)
    return min(
        NOT_STARTED if victim.started is None else victim.started
        for victim in victims
        if victim.priority == highest
    )
