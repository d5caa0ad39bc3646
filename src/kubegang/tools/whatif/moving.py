"""Which pods could run elsewhere so that more starts; proposed only, nothing is moved. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.rng import Rng
from kubegang.tools.cluster.edits import Edit, RemovePod, SetPod, with_edits
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.explaining.case import case_of
from kubegang.tools.explaining.changes.moving import MOST_MOVES, move_pods
from kubegang.tools.explaining.changes.searching import Search
from kubegang.tools.rehearsal.deciders import Deciders
from kubegang.tools.rehearsal.stage import Stage
from kubegang.tools.whatif.playing import Played
from kubegang.tools.whatif.suppositions import Proposed

MOST_UNITS: Final = 20
"""Moves are looked for on behalf of so many of those that wait."""


class Defragmented(msgspec.Struct, frozen=True):
    """Moves with which more starts.

    Attributes:
        state: the cluster with the moved pods at their new places.
        unproven: for whom fewer moves could do: not all were tried.
    """

    state: ClusterState
    moves: tuple[Proposed, ...] = ()
    unproven: tuple[PodInfo, ...] = ()


def defragmented(
    state: ClusterState,
    play: Callable[[ClusterState], Played],
    deciders: Deciders,
    *,
    chance: Callable[[], Rng],
) -> Defragmented:
    """Look for the fewest moves on behalf of each that waits in the end, one after another.

    Args:
        state: the cluster as it is supposed to be.
        play: lets the scheduler work on it.
        deciders: what decides.
        chance: gives each attempt the same source of chance.
    """
    done, played = Defragmented(state), play(state)
    tried: set[object] = set()
    stage: Stage | None = None
    while len(tried) < MOST_UNITS:
        key = next((key for key in played.left if key not in tried), None)
        if key is None:
            break
        tried.add(key)
        # Filling a cache takes longer than one search in it.
        stage = stage or Stage(_in_the_end(played), deciders, chance=chance)
        case = case_of(stage, key)
        for found in move_pods(Search(case)):
            moved = [edit.pod for edit in found.edits if isinstance(edit, SetPod)]
            more = _with_moves(done, moved, case.waiting[0], proven=found.change.smallest)
            if more is not None and key not in (replayed := play(more.state)).left:
                done, played, stage = more, replayed, None
    return done


def _with_moves(
    done: Defragmented, moved: Sequence[PodInfo], beneficiary: PodInfo, *, proven: bool
) -> Defragmented | None:
    """Return the state with further moves; ``None`` if a pod is moved that does not run yet."""
    origins = {pod.uid: pod.node_name for pod in done.state.pods if pod.node_name}
    if any(pod.uid not in origins for pod in moved):
        return None
    again = {move.pod.uid: move for move in done.moves}
    for pod in moved:
        before = again.get(pod.uid)
        origin = origins[pod.uid] if before is None else before.origin
        again[pod.uid] = Proposed(pod, origin, beneficiary)
    return Defragmented(
        with_edits(done.state, [SetPod(pod) for pod in moved]),
        tuple(again.values()),
        done.unproven if proven else (*done.unproven, beneficiary),
    )


def _in_the_end(played: Played) -> ClusterState:
    """Return the cluster after a rehearsal."""
    rehearsal = played.rehearsal
    edits: list[Edit] = [
        SetPod(msgspec.structs.replace(one.pod, node_name=one.node)) for one in rehearsal.bound
    ]
    edits += [RemovePod(one.pod.uid) for one in rehearsal.evicted]
    return with_edits(played.state, edits)


def moving_notes(found: Defragmented) -> list[str]:
    """Return what to know about proposed moves."""
    if not found.moves:
        return [f"no {MOST_MOVES} pods or fewer of those that run could make room by moving"]
    notes = ["nothing is moved: evict the pods, and their controllers make them anew"]
    notes += [f"fewer moves may do for {pod.key}: not all were tried" for pod in found.unproven]
    return notes
