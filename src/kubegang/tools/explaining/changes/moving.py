"""Which pods would have to run elsewhere, so that one that waits finds room. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from kubegang.scheduler.cycle.decision import BindPod
from kubegang.scheduler.cycle.shortfall import lacks_on
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodInfo
from kubegang.tools.cluster.edits import Edit, RemovePod, SetPod
from kubegang.tools.explaining.changes.searching import Found, Search
from kubegang.tools.explaining.report import Change
from kubegang.tools.rehearsal.stage import Outcome, Stage
from kubegang.tools.workunits import count_of

MOST_MOVES: Final = 3
MOST_NODES: Final = 20
"""So many of the nodes that come closest are looked at."""


class _Move(NamedTuple):
    pod: PodInfo
    node: NodeName


def move_pods(search: Search) -> Iterator[Found]:
    """Yield the fewest moves that make room for a single pod; nothing is ever moved here.

    Where moved pods go is the scheduler's decision too: each is tried as if it waited, after
    the pod that gets its room.
    """
    case = search.case
    if isinstance(case.key, PodGroupKey) or len(case.waiting) != 1 or search.base:
        return
    pod = case.waiting[0]
    for number in range(1, MOST_MOVES + 1):
        for movers in _candidates(search, pod, number):
            moves = _moved(search, pod, movers)
            if moves:
                told = ", ".join(f"{move.pod.key} to {move.node}" for move in moves)
                change = Change(
                    kind="move-pods",
                    size=len(moves),
                    smallest=search.is_complete,
                    message=f"move {count_of(len(moves), 'pod')}: {told}",
                )
                yield search.found(change, [_at(move) for move in moves])
                return
            if not search.is_complete:
                return


def _candidates(search: Search, pod: PodInfo, number: int) -> Iterator[Sequence[PodInfo]]:
    """Yield so many pods of one node that hold what is lacking there."""
    snapshot = search.case.stage.snapshot
    rows = {
        row
        for member in search.case.refused
        for refusal in member.failure.refusals
        for row in refusal.rows.tolist()
    }
    near = [(lacks, row) for row in sorted(rows) if (lacks := lacks_on(snapshot.nodes, pod, row))]
    near.sort(key=lambda item: max(lack.missing / max(lack.wanted, 1) for lack in item[0]))
    for lacks, row in near[:MOST_NODES]:
        for movers in itertools.combinations(snapshot.pods_on(row), number):
            if all(
                sum(dict(one.requests.items).get(lack.resource, 0) for one in movers)
                >= lack.missing
                for lack in lacks
                if lack.resource != "pods"
            ):
                yield movers


def _moved(search: Search, pod: PodInfo, movers: Sequence[PodInfo]) -> list[_Move]:
    """Return where pods would go to make room for another; nothing if that cannot be."""
    stage = search.case.stage
    gone: list[Edit] = [RemovePod(mover.uid) for mover in movers]
    if not search.helps(gone):
        return []
    with stage.supposing(gone):
        place = _place(stage.outcome(pod.uid))
        if not place:
            return []
        moves: list[_Move] = []
        for mover in movers:
            edits: list[Edit] = [_at(_Move(pod, place)), *map(_at, moves), SetPod(_waiting(mover))]
            with stage.supposing(edits):
                node = _place(stage.outcome(mover.uid)) if _may_wait(stage, mover) else ""
            if not node:
                return []
            moves.append(_Move(mover, NodeName(node)))
        return moves


def _may_wait(stage: Stage, mover: PodInfo) -> bool:
    """Return whether a pod could be tried alone: members of a group are not taken apart."""
    return mover.scheduler_name in stage.deciders.names and mover.pod_group is None


def _place(outcome: Outcome) -> NodeName | None:
    for decision in outcome.decisions:
        for instruction in decision.instructions:
            if isinstance(instruction, BindPod):
                return instruction.node
    return None


def _waiting(pod: PodInfo) -> PodInfo:
    return msgspec.structs.replace(pod, node_name=NodeName(""), nominated_node_name=NodeName(""))


def _at(move: _Move) -> SetPod:
    return SetPod(msgspec.structs.replace(move.pod, node_name=move.node))
