"""Workload-aware preemption as kube-scheduler 1.36 does it: the group is tried anew each time.

All weaker units are taken away. If the group fits then, they are put back one by one, the
most important first, and whoever leaves the group a way to reach its minimum is spared: its
members may go elsewhere each time, and no more of them than the minimum need fit. Measured on
1.36.3, texts included. Pure.
"""

from __future__ import annotations

from kubegang.scheduler.framework.pods import PodGroupInfo
from kubegang.scheduler.framework.postfilter import (
    Handle,
    PodGroupPostFilterResult,
    ScheduleGroup,
    TrialSteps,
)
from kubegang.scheduler.framework.status import SUCCESS
from kubegang.scheduler.preemption.budgets import BudgetBook, JudgedUnit, eviction_of
from kubegang.scheduler.preemption.grouppreemption import NO_VICTIMS
from kubegang.scheduler.preemption.units import by_importance, find_units


def preempt_by_trying_anew(
    handle: Handle, group: PodGroupInfo, *, schedule: ScheduleGroup
) -> PodGroupPostFilterResult:
    """Return who must go for a group, or why nobody can help; nothing is promised to members.

    Args:
        handle: the cluster and the filters.
        group: found no placement, and may preempt.
        schedule: places the group on the cluster as it is at that moment.
    """
    cluster = handle.cluster
    units = find_units(
        cluster,
        cluster.nodes.scan_order.tolist(),
        below=group.priority,
        by_group=True,
        members_alone=True,
    )
    if not units:
        return PodGroupPostFilterResult(NO_VICTIMS)
    with handle.trial() as trial:
        trial.evict(*(pod for unit in units for pod in unit.pods))
        plan = schedule()
        if not plan.status.is_success:
            return PodGroupPostFilterResult(plan.status)
        judged = BudgetBook(cluster.disruption_budgets()).judge(by_importance(units))
        victims = [each for each in judged if not _spare(trial, each, schedule)]
    return PodGroupPostFilterResult(SUCCESS, eviction=eviction_of(victims))


def _spare(trial: TrialSteps, judged: JudgedUnit, schedule: ScheduleGroup) -> bool:
    """Put a unit back if the group still fits, else leave it away."""
    trial.put_back(*judged.unit.pods)
    if schedule().status.is_success:
        return True
    trial.evict(*judged.unit.pods)
    return False
