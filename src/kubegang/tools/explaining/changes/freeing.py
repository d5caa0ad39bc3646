"""How much would have to be free on which nodes.

The members that found no room are given the nodes that lack least, one after the other, beside
those that did. For members that are alike that is the least that can be freed: each node's
first step is never dearer than its next one. For others it is one way to do it. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np

from kubegang.scheduler.cycle.findings import Findings, RefusedMember, TriedPlacement
from kubegang.scheduler.cycle.shortfall import format_amount, is_about_room
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.nodetable import NodeTable
from kubegang.scheduler.framework.pods import PodInfo, PodUid
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.tools.cluster.edits import SetGroup, SetNode
from kubegang.tools.explaining.changes.searching import Found, Search
from kubegang.tools.explaining.report import Change

PODS: Final = "pods"
_NAMED_NODES: Final = 4

_Freed = dict[int, Counter[str]]
"""By row, how much of each resource is to be freed."""


class _Way(NamedTuple):
    """What to free, and how much that is, in the unit of the resource that lacks most."""

    freed: _Freed
    size: int


def free(search: Search) -> Iterator[Found]:
    """Yield the least that must become free, in the domain where it is least."""
    case = search.case
    if not case.findings.refused:
        return
    findings = _everybody_tried(search)
    snapshot = case.stage.snapshot
    ways = [
        way
        # An ordinary pod is tried on all nodes at once, not on placements.
        for tried in (findings.tried or (None,))
        if (way := _least(search, snapshot, findings, tried)) is not None
    ]
    for way in sorted(ways, key=lambda one: one.size):
        edits = [
            SetNode(_larger(snapshot.nodes.infos[row], amounts))
            for row, amounts in way.freed.items()
        ]
        if search.helps(edits):
            change = Change(
                kind="free",
                size=way.size,
                smallest=_are_alike(case.waiting) and _one_resource(way.freed),
                message=_text(snapshot.nodes, way.freed),
            )
            yield search.found(change, edits)
            return


def _everybody_tried(search: Search) -> Findings:
    """Return what a cycle sees that does not stop where the minimum is out of reach."""
    group = search.case.group
    if group is None or group.is_composite or group.min_count is None:
        return search.case.findings
    findings = Findings()
    edit = SetGroup(msgspec.structs.replace(group, min_count=1))
    search.outcome([edit], findings=findings)
    return findings if findings.refused else search.case.findings


def _least(
    search: Search, snapshot: Snapshot, findings: Findings, tried: TriedPlacement | None
) -> _Way | None:
    refused = _refused_there(findings, tried)
    if not refused:
        return None
    case = search.case
    placed = () if tried is None else tried.placed
    still = case.quorum - len(case.placed) - len(placed)
    has_place = {assignment.pod.uid for assignment in placed}
    others = [pod for pod in case.waiting if pod.uid not in has_place]
    # Those that ask for least are enough for the minimum.
    others.sort(key=lambda pod: [amount for _, amount in pod.requests.items])
    room = _Room(snapshot, _candidates(snapshot.nodes, refused[0]), own=_own(case.placed))
    for assignment in placed:
        room.take(assignment.row, assignment.pod)
    for pod in others[: max(still, 1)]:
        if not room.make(pod):
            return None
    return _Way(room.freed, _size(room.freed))


def _refused_there(findings: Findings, tried: TriedPlacement | None) -> list[RefusedMember]:
    return [
        member
        for member in findings.refused
        if tried is None or member.placement.name == tried.placement.name
    ]


def _candidates(table: NodeTable, refused: RefusedMember) -> list[int]:
    """Return the nodes of a placement that a member may use if only there is room."""
    rows = refused.placement.rows
    every = set(range(table.size) if rows is None else rows.tolist())
    for refusal in refused.failure.refusals:
        if not is_about_room(refusal):
            every.difference_update(refusal.rows.tolist())
    return sorted(every)


def _own(placed: Sequence[PodInfo]) -> frozenset[PodUid]:
    return frozenset(pod.uid for pod in placed)


class _Room:
    """What is left on some nodes, and what others hold there that could become free."""

    def __init__(self, snapshot: Snapshot, rows: Sequence[int], *, own: frozenset[PodUid]) -> None:
        self._table = snapshot.nodes
        self._rows = np.array(rows, dtype=np.intp)
        self._left: dict[str, np.ndarray] = {}
        self._held: dict[str, np.ndarray] = {}
        self.freed: _Freed = {}
        self._positions = {row: position for position, row in enumerate(rows)}
        self._own = own

    def take(self, row: int, pod: PodInfo) -> None:
        """Count a pod that has found its place."""
        position = self._positions.get(row)
        if position is not None:
            for resource, amount in _needs(pod).items():
                self._remaining(resource)[position] -= amount

    def make(self, pod: PodInfo) -> bool:
        """Give a pod the node that lacks least; return whether there is one."""
        if not len(self._rows):
            return False
        needs = _needs(pod)
        cost = np.zeros(len(self._rows))
        for resource, amount in needs.items():
            lack = (amount - self._remaining(resource)).clip(min=0)
            cost += np.where(lack > self._held[resource], np.inf, lack / amount)
        best = int(np.argmin(cost))
        if not np.isfinite(cost[best]):
            return False
        self._give(best, needs)
        return True

    def _give(self, position: int, needs: Mapping[str, int]) -> None:
        freed = self.freed.setdefault(int(self._rows[position]), Counter())
        for resource, amount in needs.items():
            left = self._remaining(resource)
            lack = max(int(amount - left[position]), 0)
            if lack:
                freed[resource] += lack
                self._held[resource][position] -= lack
            left[position] += lack - amount

    def _remaining(self, resource: str) -> np.ndarray:
        if resource not in self._left:
            table, rows = self._table, self._rows
            if resource == PODS:
                capacity, used = table.allowed_pods[rows], table.pod_count[rows]
            else:
                capacity, used = table.allocatable(resource)[rows], table.requested(resource)[rows]
            self._left[resource] = (capacity - used).astype(np.int64)
            self._held[resource] = used.astype(np.int64).clip(max=capacity)
        return self._left[resource]


def _needs(pod: PodInfo) -> dict[str, int]:
    return {**dict(pod.requests.items), PODS: 1}


def _larger(node: NodeInfo, freed: Mapping[str, int]) -> NodeInfo:
    """Return a node on which so much more is free."""
    return msgspec.structs.replace(
        node,
        allocatable=tuple((name, have + freed.get(name, 0)) for name, have in node.allocatable),
        allowed_pods=node.allowed_pods + freed.get(PODS, 0),
    )


def _size(freed: _Freed) -> int:
    totals: Counter[str] = Counter()
    for amounts in freed.values():
        totals.update(amounts)
    return max(totals.values(), default=0)


def _one_resource(freed: _Freed) -> bool:
    return len({resource for amounts in freed.values() for resource in amounts}) == 1


def _are_alike(pods: Sequence[PodInfo]) -> bool:
    return len({pod.requests for pod in pods}) == 1


def _text(table: NodeTable, freed: _Freed) -> str:
    rows = [row for row in freed if freed[row]]
    told = [f"{_amounts(freed[row])} on {table.names[row]}" for row in rows[:_NAMED_NODES]]
    if len(rows) <= _NAMED_NODES:
        return f"free {' and '.join(told)}"
    totals: Counter[str] = Counter()
    for row in rows:
        totals.update(freed[row])
    return f"free {_amounts(totals)} on {len(rows)} nodes ({', '.join(told)}, …)"


def _amounts(freed: Mapping[str, int]) -> str:
    return ", ".join(f"{format_amount(name, freed[name])} {name}" for name in sorted(freed))
