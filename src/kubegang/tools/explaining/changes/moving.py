"""Which pods would have to run elsewhere, so that who waits finds room. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from kubegang.scheduler.cycle.decision import BindPod
from kubegang.scheduler.cycle.shortfall import Lack, lacks_on
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
    """Yield the fewest moves that make room for a pod or a group; nothing is ever moved here.

    Where moved pods go is the scheduler's decision too: each is tried as if it waited, after
    whoever gets its room.
    """
    if not search.case.waiting or search.base:
        return
    for number in range(1, MOST_MOVES + 1):
        for movers in _candidates(search, number):
            moves = _moved(search, movers)
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


def _candidates(search: Search, number: int) -> Iterator[Sequence[PodInfo]]:
    """Yield so many pods that hold what is lacking on their nodes.

    For a single pod all of them are on one node; a group may need room on several.
    """
    snapshot = search.case.stage.snapshot
    lacking = _lacking(search)
    if not isinstance(search.case.key, PodGroupKey):
        for row, lacks in lacking:
            for movers in itertools.combinations(snapshot.pods_on(row), number):
                if all(_held(movers, lack) >= lack.missing for lack in lacks):
                    yield movers
        return
    held = [
        pod
        for row, lacks in lacking
        for pod in snapshot.pods_on(row)
        if _may_wait(search.case.stage, pod)
        and (not lacks or any(_held((pod,), lack) for lack in lacks))
    ]
    yield from itertools.combinations(held, number)


def _lacking(search: Search) -> list[tuple[int, Sequence[Lack]]]:
    """Return what members lack on the nodes that come closest, by the row of the node."""
    table = search.case.stage.snapshot.nodes
    found: dict[int, Sequence[Lack]] = {}
    for member in search.case.refused:
        rows = {row for refusal in member.failure.refusals for row in refusal.rows.tolist()}
        for row in sorted(rows):
            lacks = lacks_on(table, member.pod, row)
            if lacks:
                found.setdefault(row, [lack for lack in lacks if lack.resource != "pods"])
    near = sorted(
        found.items(),
        key=lambda item: max((one.missing / max(one.wanted, 1) for one in item[1]), default=0.0),
    )
    return near[:MOST_NODES]


def _held(movers: Sequence[PodInfo], lack: Lack) -> int:
    return sum(dict(one.requests.items).get(lack.resource, 0) for one in movers)


def _moved(search: Search, movers: Sequence[PodInfo]) -> list[_Move]:
    """Return where pods would go to make room for others; nothing if that cannot be."""
    stage = search.case.stage
    gone: list[Edit] = [RemovePod(mover.uid) for mover in movers]
    if not search.helps(gone):
        return []
    with stage.supposing(gone):
        starting = _places(stage.outcome(search.case.key))
        if not starting:
            return []
        moves: list[_Move] = []
        for mover in movers:
            edits: list[Edit] = [*map(_at, starting), *map(_at, moves), SetPod(_waiting(mover))]
            with stage.supposing(edits):
                places = _places(stage.outcome(mover.uid)) if _may_wait(stage, mover) else []
            if not places or places[0].node == mover.node_name:
                return []
            moves.append(_Move(mover, places[0].node))
    # Beside moved pods it may be placed otherwise than without them.
    return moves if search.helps([_at(move) for move in moves]) else []


def _may_wait(stage: Stage, mover: PodInfo) -> bool:
    """Return whether a pod could be tried alone: members of a group are not taken apart."""
    return mover.scheduler_name in stage.deciders.names and mover.pod_group is None


def _places(outcome: Outcome) -> list[_Move]:
    """Return who would be bound where; nothing if some wait for others to be bound first."""
    found = [
        _Move(instruction.pod, instruction.node)
        for decision in outcome.decisions
        for instruction in decision.instructions
        if isinstance(instruction, BindPod)
    ]
    return found if {move.pod.uid for move in found} == outcome.bound else []


def _waiting(pod: PodInfo) -> PodInfo:
    return msgspec.structs.replace(pod, node_name=NodeName(""), nominated_node_name=NodeName(""))


def _at(move: _Move) -> SetPod:
    return SetPod(msgspec.structs.replace(move.pod, node_name=move.node))
