"""Which victims a PodDisruptionBudget protects.

Preemption avoids breaking budgets, and breaks them if there is no other way. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.labelselection import selects
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.postfilter import Eviction
from kubegang.scheduler.preemption.units import VictimUnit, by_importance


class JudgedUnit(NamedTuple):
    """A unit with the number of its pods whose eviction breaks a budget."""

    unit: VictimUnit
    violations: int


def eviction_of(victims: Iterable[JudgedUnit]) -> Eviction:
    """Return how units are evicted, the most important first."""
    judged = tuple(victims)
    units = by_importance(each.unit for each in judged)
    return Eviction(
        tuple(pod for unit in units for pod in unit.pods),
        sum(unit.is_group for unit in units),
        sum(each.violations for each in judged),
    )


class BudgetBook:
    """All budgets, ready to be asked about one set of victims after the other."""

    def __init__(self, budgets: Iterable[DisruptionBudget]) -> None:
        self._by_namespace: dict[str, list[DisruptionBudget]] = defaultdict(list)
        for budget in budgets:
            # Upstream lets an empty selector protect nobody, other than the eviction API.
            if budget.selector:
                self._by_namespace[budget.namespace].append(budget)

    def judge(self, units: Iterable[VictimUnit]) -> list[JudgedUnit]:
        """Return the units in the order in which they are to be spared.

        Units that break a budget first; a budget is used up in the order of ``units``.
        """
        if not self._by_namespace:
            return [JudgedUnit(unit, 0) for unit in units]
        used: dict[tuple[str, str], int] = defaultdict(int)
        judged = [
            JudgedUnit(unit, sum(self._is_violation(pod, used) for pod in unit.pods))
            for unit in units
        ]
        return sorted(judged, key=_is_harmless)

    def _is_violation(self, pod: PodInfo, used: dict[tuple[str, str], int]) -> bool:
        if not pod.labels:
            return False
        for budget in self._by_namespace.get(pod.namespace, ()):
            # What is in disrupted_pods the allowed number takes account of already.
            if pod.name in budget.disrupted_pods or not selects(budget.selector, pod.labels):
                continue
            key = (budget.namespace, budget.name)
            used[key] += 1
            if used[key] > budget.disruptions_allowed:
                return True
        return False


def _is_harmless(judged: JudgedUnit) -> bool:
    return not judged.violations
