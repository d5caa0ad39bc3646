"""Workload-aware preemption: room for a whole group, anywhere in the cluster (KEP-5710).

All weaker units are taken away and the group is placed once. Its places stay as they are from
then on: units are put back one by one, the most important first, and whoever leaves the
members their places is spared. The texts are those of kube-scheduler 1.37.2 (measured). Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from kubegang.scheduler.framework.nodetable import RowArray
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo
from kubegang.scheduler.framework.postfilter import (
    Handle,
    PlannedMember,
    PodGroupPostFilterResult,
    ScheduleGroup,
    TrialSteps,
)
from kubegang.scheduler.framework.status import SUCCESS, Status, unresolvable
from kubegang.scheduler.preemption.budgets import BudgetBook, JudgedUnit, eviction_of
from kubegang.scheduler.preemption.eligibility import awaits_victims
from kubegang.scheduler.preemption.units import VictimUnit, by_importance, find_units

NO_VICTIMS: Final = unresolvable("No preemption victims found for incoming preemptor")
_ONGOING: Final = Status(SUCCESS.code, ("ongoing preemption on nominated nodes",))


def preempt_for_group(
    handle: Handle,
    group: PodGroupInfo,
    members: Sequence[PodInfo],
    *,
    schedule: ScheduleGroup,
) -> PodGroupPostFilterResult:
    """Return where room can be made for a group and who must go, or why nowhere.

    Args:
        handle: the cluster and the filters.
        group: found no placement, and may preempt.
        members: all that wait.
        schedule: places the group on the cluster as it is at that moment.
    """
    if _is_ongoing(handle, group, members):
        # Neither begin a second preemption nor lose what was promised.
        promised = {m.uid: m.nominated_node_name for m in members if m.nominated_node_name}
        return PodGroupPostFilterResult(_ONGOING, promised)
    units = _weaker_units(handle, below=group.priority)
    if not units:
        return PodGroupPostFilterResult(NO_VICTIMS)
    with handle.trial() as trial:
        trial.evict(*(pod for unit in units for pod in unit.pods))
        plan = schedule()
        if not plan.status.is_success:
            return PodGroupPostFilterResult(plan.status)
        places = _Places(handle, plan.members)
        judged = BudgetBook(handle.cluster.disruption_budgets()).judge(by_importance(units))
        victims = judged
        # The plan of a tree may name pods of child groups that failed, whose places others
        # took after them. Then nobody can be spared beside all of them (1.37.2).
        if not group.is_composite or places.hold(trial):
            victims = [each for each in judged if not places.spare(trial, each.unit)]
    names = handle.cluster.nodes.names
    return PodGroupPostFilterResult(
        _found(victims),
        {member.pod.uid: names[member.row] for member in plan.members},
        eviction_of(victims),
    )


def _is_ongoing(handle: Handle, group: PodGroupInfo, members: Sequence[PodInfo]) -> bool:
    nodes = dict.fromkeys(member.nominated_node_name for member in members)
    return any(awaits_victims(handle.cluster, node, priority=group.priority) for node in nodes)


def _weaker_units(handle: Handle, *, below: int) -> list[VictimUnit]:
    cluster = handle.cluster
    order = cluster.nodes.scan_order
    rows = order[cluster.lowest_priorities()[order] < below].tolist()
    return find_units(cluster, rows, below=below, by_group=True)


def _found(victims: Sequence[JudgedUnit]) -> Status:
    count = sum(len(judged.unit.pods) for judged in victims)
    return Status(SUCCESS.code, (f"found a placement for podgroup, preempting {count} victims",))


class _Places:
    """The places that the members would get, and whether they keep them beside a unit."""

    def __init__(self, handle: Handle, members: Sequence[PlannedMember]) -> None:
        self._handle = handle
        self._members = members
        self._local = all(handle.is_local(member.state) for member in members)
        self._on_row: dict[int, list[PlannedMember]] = defaultdict(list)
        for member in members:
            self._on_row[member.row].append(member)

    def hold(self, trial: TrialSteps) -> bool:
        """Return whether the members fit where they are to go, one beside the other."""
        return self._keep(trial, self._members)

    def spare(self, trial: TrialSteps, unit: VictimUnit) -> bool:
        """Put a unit back if the members keep their places, else leave it away."""
        rows = dict.fromkeys(map(self._handle.cluster.nodes.row, self._nodes_of(unit)))
        if self._local and self._on_row.keys().isdisjoint(rows):
            # Nobody would look at it, so it need not even be put back.
            return True
        trial.put_back(*unit.pods)
        concerned = self._members
        if self._local:
            concerned = [member for row in rows if row is not None for member in self._on(row)]
        if self._keep(trial, concerned):
            return True
        trial.evict(*unit.pods)
        return False

    def _nodes_of(self, unit: VictimUnit) -> Iterable[NodeName]:
        return (pod.node_name for pod in unit.pods)

    def _on(self, row: int) -> Sequence[PlannedMember]:
        return self._on_row.get(row, ())

    def _keep(self, trial: TrialSteps, members: Sequence[PlannedMember]) -> bool:
        """Place the members one after the other where they were, and take that back."""
        start = trial.mark()
        kept = all(self._place(trial, member) for member in members)
        trial.rollback(start)
        return kept

    def _place(self, trial: TrialSteps, member: PlannedMember) -> bool:
        rows: RowArray = np.array([member.row], dtype=np.intp)
        if not self._handle.passing(member.state, member.pod, rows=rows)[0]:
            return False
        trial.place(member.pod, self._handle.cluster.nodes.names[member.row])
        return True
