"""Placing gathered members one after the other, each by an ordinary pod's whole way (1.36).

A member that finds no node may have others evicted, like any pod, and then counts as placed
where room is being made. Whoever has a place reserves and asks for a permit; the first permit
that is granted makes the group feasible. Nobody waits, and all is taken back. Pure.
"""

from __future__ import annotations

from typing import Final

import msgspec

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import PodDiagnosis
from kubegang.scheduler.cycle.diagnosis import diagnose_pod, diagnose_twin
from kubegang.scheduler.cycle.findings import RefusedMember
from kubegang.scheduler.cycle.results import group_unschedulable
from kubegang.scheduler.cycle.searchresult import NoNode
from kubegang.scheduler.cycle.settling import ChosenNode, permit_in_trial, reserve_in_trial
from kubegang.scheduler.framework.cluster import Assignment, Placement
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.fiterror import chosen_node_error, refused_by
from kubegang.scheduler.framework.pods import NodeName, PodInfo, is_twin
from kubegang.scheduler.framework.postfilter import PostFilterResult
from kubegang.scheduler.framework.status import SUCCESS, Status, failure
from kubegang.scheduler.runtime.postfiltering import run_post_filter_plugins
from kubegang.scheduler.snapshot.trial import Trial

_NOT_FEASIBLE: Final = group_unschedulable()
_WAITS_FOR_ROOM: Final = group_unschedulable("pod group is waiting for preemption to complete")
_ASKED_TO_WAIT: Final = "one or more plugins asked to wait and no plugin rejected pod"


class GatheredMember(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one member.

    Attributes:
        status: success: a node has room for it as things are.
        node: its place in the trial: that node, or the one on which room is being made.
        message: what kube-scheduler says if no node has room.
        plugins: whose refusals they were.
        diagnosis: the same for people; ``None`` where only the outcome matters.
        room: what post filters said, if they were asked; whoever must go by it does so
            whatever becomes of the member.
        permit: the answer to the question for a permit, if it has a place.
        state: the notes of its attempt.
    """

    pod: PodInfo
    status: Status
    node: NodeName = NodeName("")
    row: int = -1
    message: str = ""
    plugins: tuple[str, ...] = ()
    diagnosis: PodDiagnosis | None = None
    room: PostFilterResult | None = None
    permit: Status = SUCCESS
    state: CycleState | None = None

    @property
    def found_nothing(self) -> bool:
        """Whether the search found no node for it, and no room is being made."""
        return not self.node and self.status.is_rejected and self.state is not None

    @property
    def needs_room(self) -> bool:
        """Whether its place is one where room is being made."""
        return bool(self.node) and not self.status.is_success


class GatheredPlacement(msgspec.Struct, frozen=True):
    """What became of a group on one placement.

    Attributes:
        status: success: a permit was granted, and nobody must go for it.
        members: those that were tried, in order; all unless there was an error.
        waits_for_room: a permit was granted, but somebody must go first.
    """

    placement: Placement
    status: Status
    members: tuple[GatheredMember, ...] = ()
    waits_for_room: bool = False

    @property
    def is_feasible(self) -> bool:
        """Whether the group can have this placement, now or once room is made."""
        return self.status.is_success or self.waits_for_room

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """The members that have a place."""
        return tuple(Assignment(m.pod, m.row) for m in self.members if m.node)


def place_gathered(
    cycle: Cycle,
    trial: Trial,
    *,
    members: list[PodInfo],
    placement: Placement,
    state: CycleState,
    make_room: bool,
) -> GatheredPlacement:
    """Try all members in order; the trial keeps the steps.

    Args:
        cycle: the cycle's inputs.
        trial: to be rolled back by the caller.
        members: to be tried.
        placement: where.
        state: of the whole group cycle.
        make_room: ask post filters about members that find no node, and say why they do.
    """
    results: list[GatheredMember] = []
    status, needs_room = _NOT_FEASIBLE, False
    for pod in members:
        member = _place_member(
            cycle,
            trial,
            pod=pod,
            placement=placement,
            state=state,
            make_room=make_room,
            twin=results[-1] if results else None,
        )
        results.append(member)
        if not member.node and not member.status.is_rejected:
            status = failure(f"failed to schedule other pod from a pod group: {member.message}")
            break
        needs_room = needs_room or member.needs_room
        if member.node and member.permit.is_success:
            status = _WAITS_FOR_ROOM if needs_room else SUCCESS
    return GatheredPlacement(placement, status, tuple(results), status is _WAITS_FOR_ROOM)


def _place_member(
    cycle: Cycle,
    trial: Trial,
    *,
    pod: PodInfo,
    placement: Placement,
    state: CycleState,
    make_room: bool,
    twin: GatheredMember | None,
) -> GatheredMember:
    alike = twin is not None and twin.found_nothing and is_twin(twin.pod, pod)
    if twin is not None and alike and cycle.search.leave_out():
        # Nothing has changed since its twin found no node, so it would find none either.
        diagnosis = None if twin.diagnosis is None else diagnose_twin(pod, twin.diagnosis)
        return msgspec.structs.replace(twin, pod=pod, diagnosis=diagnosis)
    notes = CycleState(state)
    found = cycle.search.find(notes, pod, placement=placement)
    if isinstance(found, NoNode):
        if cycle.findings is not None:
            cycle.findings.refused.append(RefusedMember(pod, placement, found))
        member = _without_node(cycle, notes, pod=pod, failure=found, make_room=make_room)
    else:
        member = GatheredMember(
            pod=pod, status=SUCCESS, node=found.node, row=found.row, state=notes
        )
    return _with_permit(cycle, trial, member, state=notes) if member.node else member


def _without_node(
    cycle: Cycle, state: CycleState, *, pod: PodInfo, failure: NoNode, make_room: bool
) -> GatheredMember:
    member = GatheredMember(
        pod=pod,
        status=failure.status,
        message=failure.message,
        plugins=failure.plugins,
        state=state,
    )
    if not make_room:
        return member
    # Within the trial: a member competes with the siblings placed before it.
    diagnosis = diagnose_pod(cycle.snapshot.nodes, pod, failure)
    member = msgspec.structs.replace(member, diagnosis=diagnosis)
    # Without any node there is nobody to evict, and nobody is asked.
    if not failure.refusals:
        return member
    room = run_post_filter_plugins(
        cycle.framework, state, pod=pod, refusals=failure.refusals, handle=cycle.handle
    )
    row = cycle.snapshot.nodes.row(room.nominated_node) if room.nominated_node else None
    message = f"{member.message} {room.status.message}".rstrip()
    member = msgspec.structs.replace(member, message=message, room=room)
    if row is None or room.nominated_node is None:
        return member
    return msgspec.structs.replace(member, node=room.nominated_node, row=row)


def _with_permit(
    cycle: Cycle, trial: Trial, member: GatheredMember, *, state: CycleState
) -> GatheredMember:
    """Place and reserve, and ask for a permit; a refusal takes the place away again."""
    mark = trial.mark()
    trial.place(member.pod, member.node)
    chosen = ChosenNode(member.pod, member.node, state)
    status = reserve_in_trial(cycle, trial, chosen)
    if status.is_success:
        status = permit_in_trial(cycle, chosen).status
    if status.is_success:
        return member
    if status.is_wait:
        permit = Status(status.code, (*status.reasons, _ASKED_TO_WAIT))
        return msgspec.structs.replace(member, permit=permit)
    trial.rollback(mark)
    return _refused(member, status)


def _refused(member: GatheredMember, status: Status) -> GatheredMember:
    return GatheredMember(
        pod=member.pod,
        status=status,
        message=chosen_node_error(status),
        plugins=refused_by(status),
        room=member.room,
    )
