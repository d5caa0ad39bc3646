"""Candidates: nodes on which a pod would fit if some weaker pods went, and which these are.

Per node, all weaker units are taken away; if the pod fits then, they are put back one by one,
the most important first, and whoever can stay stays. As long as the filters look at one node
at a time, all nodes of a batch are tried side by side: one question to the filters serves
them all. Otherwise a batch is one node. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
import numpy as np

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.nodetable import RowArray
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.postfilter import Handle, TrialSteps
from kubegang.scheduler.framework.status import failure, unresolvable
from kubegang.scheduler.preemption.budgets import BudgetBook, JudgedUnit
from kubegang.scheduler.preemption.units import VictimUnit, by_importance, find_units

NO_VICTIMS: Final = unresolvable("No preemption victims found for incoming pod")


class Candidate(msgspec.Struct, frozen=True, eq=False):
    """A node and the price of the pod's place there.

    Attributes:
        units: who must go, the most important first.
        violations: victims that a disruption budget protects.
    """

    row: int
    units: tuple[VictimUnit, ...]
    violations: int

    @property
    def victims(self) -> tuple[PodInfo, ...]:
        """All pods that must go."""
        return tuple(pod for unit in self.units for pod in unit.pods)


class CandidateSearch:
    """The search for one pod.

    Attributes:
        refusals: why nodes that were looked at are no candidates.
    """

    def __init__(self, handle: Handle, state: CycleState, pod: PodInfo, *, by_group: bool) -> None:
        self.refusals: list[Refusal] = []
        self._handle = handle
        self._state = state
        self._pod = pod
        self._by_group = by_group
        self._budgets = BudgetBook(handle.cluster.disruption_budgets())

    def find(self, rows: RowArray, *, wanted: int) -> list[Candidate]:
        """Return candidates; none that breaks a budget comes before one that does not.

        The search ends when it has as many as wanted, and one of them breaks no budget.

        Args:
            rows: in the order in which they are to be looked at.
            wanted: at least 1.
        """
        harmless: list[Candidate] = []
        violating: list[Candidate] = []
        for candidate in self._search(rows, wanted):
            if candidate.violations:
                violating.append(candidate)
            else:
                harmless.append(candidate)
            if harmless and len(harmless) + min(len(violating), wanted) >= wanted:
                break
        return harmless + violating[:wanted]

    def _search(self, rows: RowArray, wanted: int) -> Iterator[Candidate]:
        lowest = self._handle.cluster.lowest_priorities(by_group=self._by_group)
        weaker = lowest[rows] < self._pod.priority
        if not weaker.all():
            self.refusals.append(Refusal(rows[~weaker], NO_VICTIMS))
        rows = rows[weaker]
        side_by_side = self._handle.is_local(self._state)
        for start in range(0, len(rows), wanted):
            batch = rows[start : start + wanted]
            if side_by_side:
                yield from self._try_batch(batch)
            else:
                for row in self._worth_trying(batch):
                    yield from self._try_batch(row)

    def _worth_trying(self, rows: RowArray) -> list[RowArray]:
        """Return, one by one, the nodes that are not out of the question for their own sake."""
        pods = [pod for row in rows.tolist() for pod in self._handle.cluster.pods_on(row)]
        weaker = [p for p in pods if self._priority_of(p) < self._pod.priority]
        with self._handle.trial() as trial:
            trial.evict(*weaker)
            passed = self._handle.passing(self._state, self._pod, rows=rows, own_node_only=True)
            if not passed.all():
                self.refusals += self._handle.refusals(
                    self._state, self._pod, rows=rows[~passed], own_node_only=True
                )
        return list(rows[passed].reshape(-1, 1))

    def _priority_of(self, pod: PodInfo) -> int:
        return self._handle.cluster.priority_of(pod) if self._by_group else pod.priority

    def _try_batch(self, rows: RowArray) -> list[Candidate]:
        tried = [self._units_on(int(row), alone=len(rows) == 1) for row in rows]
        with self._handle.trial() as trial:
            trial.evict(*(pod for node in tried for unit in node.left for pod in node.pods(unit)))
            fits = self._handle.passing(self._state, self._pod, rows=rows)
            if not fits.all():
                self.refusals += self._handle.refusals(self._state, self._pod, rows=rows[~fits])
            fitting = [node for node, fit in zip(tried, fits.tolist(), strict=True) if fit]
            self._spare(trial, fitting)
        for node in fitting:
            if not node.victims:
                self._note_nobody(node.row)
        return [node.candidate() for node in fitting if node.victims]

    def _units_on(self, row: int, *, alone: bool) -> _NodeTrial:
        units = find_units(
            self._handle.cluster, (row,), below=self._pod.priority, by_group=self._by_group
        )
        return _NodeTrial(self._handle, row, self._budgets.judge(by_importance(units)), alone=alone)

    def _spare(self, trial: TrialSteps, nodes: Sequence[_NodeTrial]) -> None:
        """Put units back in order, one per node and step, and take away what does not fit."""
        while nodes := [node for node in nodes if node.left]:
            trial.put_back(*(pod for node in nodes for pod in node.pods(node.left[0])))
            rows = np.array([node.row for node in nodes], dtype=np.intp)
            fits = self._handle.passing(self._state, self._pod, rows=rows).tolist()
            refused = [node for node, fit in zip(nodes, fits, strict=True) if not fit]
            if refused:
                trial.evict(*(pod for node in refused for pod in node.pods(node.left[0])))
            for node in refused:
                node.victims.append(node.left[0])
            for node in nodes:
                node.left.pop(0)

    def _note_nobody(self, row: int) -> None:
        # The pod was refused before, so somebody must have been in its way.
        name = self._handle.cluster.nodes.names[row]
        status = failure(f'expected at least one victim pod on node "{name}"')
        self.refusals.append(Refusal(np.array([row], dtype=np.intp), status))


class _NodeTrial:
    """The trial on one node: who has not been put back yet, and who must go."""

    __slots__ = ("_alone", "_cluster", "left", "row", "victims")

    def __init__(self, handle: Handle, row: int, units: list[JudgedUnit], *, alone: bool) -> None:
        self.row = row
        self.left = units
        self.victims: list[JudgedUnit] = []
        self._cluster = handle.cluster
        self._alone = alone

    def pods(self, judged: JudgedUnit) -> Sequence[PodInfo]:
        """Return the unit's pods that matter to this trial: side by side, those on this node."""
        pods = judged.unit.pods
        if self._alone or len(pods) == 1:
            return pods
        name = self._cluster.nodes.names[self.row]
        return [pod for pod in pods if pod.node_name == name]

    def candidate(self) -> Candidate:
        """Return what the trial found."""
        units = by_importance(judged.unit for judged in self.victims)
        violations = sum(judged.violations for judged in self.victims)
        return Candidate(self.row, tuple(units), violations)
