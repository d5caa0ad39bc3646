"""From what a gathered group's cycle found to what is to be done, member by member (1.36).

Which member is told what follows kube-scheduler 1.36.3 (measured). Evictions that single
members asked for happen whatever becomes of the group: with the gate WorkloadAwarePreemption
off pods may go for a group that then does not start all the same. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import (
    Decision,
    EvictPod,
    FailPod,
    Instruction,
    NominateNode,
    PodDiagnosis,
    SearchForRoom,
    SetPodGroupCondition,
    SkipPod,
)
from kubegang.scheduler.cycle.diagnosis import (
    broken_group,
    scheduled_group,
    unscheduled_group,
)
from kubegang.scheduler.cycle.gatheredplacements import GatheredResult
from kubegang.scheduler.cycle.gatheredplacing import GatheredMember
from kubegang.scheduler.cycle.makingroom import (
    clear_promises,
    evictions_for_group,
    evictions_for_pod,
    nominations,
    other_changes,
    search_report,
)
from kubegang.scheduler.cycle.results import GROUP_UNSCHEDULABLE
from kubegang.scheduler.cycle.settling import ChosenNode, settle_together
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.postfilter import PodGroupPostFilterResult
from kubegang.scheduler.framework.status import Status


class GatheredOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known at the end of a gathered group's cycle.

    Attributes:
        members: all that were to be tried, in order.
        status: the group's, with what its own preemption adds to it.
        room: what the group's own preemption came to, if it was asked.
    """

    group: PodGroupInfo
    members: list[PodInfo]
    tried: GatheredResult
    status: Status
    room: PodGroupPostFilterResult | None

    @property
    def results(self) -> list[GatheredMember]:
        """One result per member; those that were not tried have the group's status."""
        done = list(self.tried.best.members)
        left = self.members[len(done) :]
        status = self.status
        return done + [GatheredMember(pod=p, status=status, message=status.message) for p in left]

    @property
    def waits_for_room(self) -> bool:
        """Whether somebody goes so that the group can start later."""
        made = self.room is not None and self.room.status.is_success
        return made or self.tried.best.waits_for_room

    @property
    def diagnoses(self) -> list[PodDiagnosis]:
        """Why members without a place have none."""
        return [m.diagnosis for m in self.tried.best.members if m.diagnosis and not m.node]


def decide_gathered_outcome(
    cycle: Cycle, outcome: GatheredOutcome, *, dropped: Sequence[SkipPod]
) -> Decision:
    """Decide about a group that was tried."""
    if outcome.status.is_success:
        decision = _bind_what_fits(cycle, outcome)
    elif outcome.status.is_rejected:
        decision = _wait(cycle, outcome)
    else:
        decision = _fail_all(cycle, outcome)
    evictions = _evictions(outcome)
    rooms = (outcome.room, *(member.room for member in outcome.tried.best.members))
    changes = [change for room in rooms for change in other_changes(room)]
    return msgspec.structs.replace(
        decision,
        instructions=(*dropped, *changes, *evictions, *decision.instructions),
        scan_start=cycle.search.scan_start,
        room=_room_report(outcome, evictions),
    )


def decide_all_broken(
    cycle: Cycle, waiting: Sequence[PodInfo], *, problem: str, group: PodGroupKey
) -> Decision:
    """Decide about members that cannot be tried together: each is told, the group is not."""
    return Decision(
        instructions=(
            *clear_promises(cycle, waiting),
            *(FailPod(pod, "SchedulerError", problem) for pod in waiting),
        ),
        diagnosis=broken_group(group, problem, quorum=0),
        status="error",
        backs_off_as="error",
        unbound=tuple(waiting),
        scan_start=cycle.search.scan_start,
    )


def _bind_what_fits(cycle: Cycle, outcome: GatheredOutcome) -> Decision:
    group = outcome.group
    chosen = [
        ChosenNode(member.pod, member.node, member.state or CycleState())
        for member in outcome.results
        if member.node
    ]
    settled = dict(zip((c.pod.uid for c in chosen), settle_together(cycle, chosen), strict=True))
    instructions: list[Instruction] = []
    unbound: list[PodInfo] = []
    for member in outcome.results:
        follows = settled.get(member.pod.uid)
        if follows is None:
            instructions += [*_own_promise(cycle, member), _own_failure(member)]
        else:
            instructions += follows.instructions
        if follows is None or not follows.keeps_node:
            unbound.append(member.pod)
    instructions.append(SetPodGroupCondition(group.key, "True", "Scheduled", ""))
    new, before = len(chosen), cycle.snapshot.scheduled_count(group.key)
    left = outcome.diagnoses
    return Decision(
        instructions=tuple(instructions),
        diagnosis=scheduled_group(group, scheduled=before + new, new=new, left=left),
        status="partly-scheduled" if unbound else "scheduled",
        unbound=tuple(unbound),
    )


def _wait(cycle: Cycle, outcome: GatheredOutcome) -> Decision:
    text = outcome.status.message
    instructions: list[Instruction] = []
    for member in outcome.results:
        instructions += _sent_back(cycle, member, outcome=outcome)
    diagnosis = unscheduled_group(
        outcome.group,
        placed=len(outcome.tried.best.assignments),
        scheduled=cycle.snapshot.scheduled_count(outcome.group.key),
        placements=outcome.tried.tried,
        pods=outcome.diagnoses,
        upstream_message=text,
        room=_room_report(outcome, _evictions(outcome)),
    )
    condition = SetPodGroupCondition(outcome.group.key, "False", "Unschedulable", text)
    return Decision(
        instructions=(*instructions, condition),
        diagnosis=diagnosis,
        status="unschedulable",
        unbound=tuple(outcome.members),
    )


def _sent_back(
    cycle: Cycle, member: GatheredMember, *, outcome: GatheredOutcome
) -> list[Instruction]:
    """Return what a member of a group that does not start now is told, and promised."""
    pod = member.pod
    if member.status.is_success and outcome.waits_for_room:
        promise = nominations(cycle, [(pod, member.node)])
        return [*promise, FailPod(pod, "Unschedulable", outcome.status.message)]
    if member.node and not outcome.waits_for_room:
        text = f"{GROUP_UNSCHEDULABLE}, {member.permit.message}".removesuffix(", ")
        return [*clear_promises(cycle, [pod]), FailPod(pod, "Unschedulable", text)]
    return [*_own_promise(cycle, member), _own_failure(member)]


def _fail_all(cycle: Cycle, outcome: GatheredOutcome) -> Decision:
    group, error = outcome.group, outcome.status.as_error
    fails = [
        FailPod(m.pod, "SchedulerError", m.message if m.status.is_error else error)
        for m in outcome.results
    ]
    condition = SetPodGroupCondition(group.key, "False", "SchedulerError", error)
    return Decision(
        instructions=(*clear_promises(cycle, outcome.members), *fails, condition),
        diagnosis=broken_group(group.key, error, quorum=group.quorum),
        status="error",
        backs_off_as="error",
        unbound=tuple(outcome.members),
    )


def _own_failure(member: GatheredMember) -> FailPod:
    if member.status.is_error:
        return FailPod(member.pod, "SchedulerError", member.message)
    return FailPod(member.pod, "Unschedulable", member.message, member.plugins)


def _own_promise(cycle: Cycle, member: GatheredMember) -> list[NominateNode]:
    """Return what becomes of a promise by what post filters said; most often it stays."""
    if member.room is None or member.room.nominated_node is None:
        return []
    node = member.node if member.room.nominated_node else NodeName("")
    return nominations(cycle, [(member.pod, node)])


def _evictions(outcome: GatheredOutcome) -> list[Instruction]:
    """Return who must go, each once, and whose promises that makes void."""
    evictions: list[EvictPod] = []
    displaced: list[PodInfo] = []
    for member in outcome.tried.best.members:
        room = member.room
        if room is not None and room.nominated_node:
            evictions += evictions_for_pod(member.pod, room.nominated_node, room.eviction)
            displaced += room.displaced
    if outcome.room is not None:
        name = outcome.members[0].scheduler_name
        evictions += evictions_for_group(outcome.group, name, outcome.room.eviction)
    return [
        *(NominateNode(other, NodeName("")) for other in displaced),
        *_each_once(evictions),
    ]


def _each_once(evictions: Iterable[EvictPod]) -> list[EvictPod]:
    first: dict[PodUid, EvictPod] = {}
    for eviction in evictions:
        first.setdefault(eviction.pod.uid, eviction)
    return list(first.values())


def _room_report(
    outcome: GatheredOutcome, evictions: Sequence[Instruction]
) -> SearchForRoom | None:
    if outcome.room is not None:
        return search_report(outcome.room)
    rooms = [m.room for m in outcome.tried.best.members if m.room is not None]
    made = next((room for room in rooms if room.nominated_node), None)
    if made is None:
        return search_report(rooms[0]) if rooms else None
    victims = sum(isinstance(instruction, EvictPod) for instruction in evictions)
    return SearchForRoom(made.status.code.value, victims)
