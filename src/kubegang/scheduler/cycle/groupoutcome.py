"""From what a group's cycle found to what is to be done, member by member.

Which member gets which text follows kube-scheduler 1.37.2 (measured): one without a place
its own reasons; one with a place, in a group that fails, the group's text once more under
the group's cause; one that was not tried any more the group's text as it stood when trying
ended. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import (
    BindPod,
    Decision,
    Diagnosis,
    FailPod,
    Instruction,
    NominateNode,
    PodDiagnosis,
    SetPodGroupCondition,
    SkipPod,
)
from kubegang.scheduler.cycle.diagnosis import (
    broken_group,
    scheduled_group,
    unscheduled_group,
)
from kubegang.scheduler.cycle.makingroom import (
    evictions_for_group,
    nominations,
    search_report,
)
from kubegang.scheduler.cycle.placements import GroupResult
from kubegang.scheduler.cycle.placing import GROUP_UNSCHEDULABLE, MemberResult
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodGroupKey, PodInfo
from kubegang.scheduler.framework.postfilter import PodGroupPostFilterResult
from kubegang.scheduler.framework.status import Status

_Reason = Literal["Unschedulable", "SchedulerError"]


class GroupOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known at the end of a group's cycle.

    Attributes:
        members: all that were to be tried, in order.
        status: the group's, before post filters.
        room: what post filters said, if they were asked.
    """

    group: PodGroupInfo
    members: list[PodInfo]
    tried: GroupResult
    status: Status
    room: PodGroupPostFilterResult | None

    @property
    def results(self) -> list[MemberResult]:
        """One result per member; those not tried any more have the group's status."""
        done = list(self.tried.result.members)
        left = self.members[len(done) :]
        return done + [MemberResult(pod, self.status, message=self.status.message) for pod in left]

    @property
    def failure(self) -> Status:
        """The group's status with what post filters add to it."""
        if self.room is None:
            return self.status
        if self.room.status.is_error:
            return self.room.status
        reasons = (*self.status.reasons, self.room.status.message)
        return Status(self.status.code, reasons, self.status.plugin, self.status.cause)

    @property
    def diagnoses(self) -> list[PodDiagnosis]:
        """Why members without a place have none."""
        return [r.diagnosis for r in self.tried.result.members if r.diagnosis is not None]


def decide_vanished(cycle: Cycle, key: PodGroupKey, *, waiting: Sequence[PodInfo]) -> Decision:
    """Decide about a group whose object has gone since it was queued: all wait again."""
    message = f"pod group object not found for pod group {key}"
    return Decision(
        instructions=tuple(FailPod(pod, "SchedulerError", message) for pod in waiting),
        diagnosis=broken_group(key, message, quorum=0),
        status="error",
        backs_off_as="error",
        unbound=tuple(waiting),
        scan_start=cycle.search.scan_start,
    )


def decide_rule_broken(
    cycle: Cycle, group: PodGroupInfo, *, waiting: Sequence[PodInfo], problem: str
) -> Decision:
    """Decide about a group whose members break a rule: nobody is tried."""
    fails = [FailPod(pod, "SchedulerError", problem) for pod in waiting]
    condition = SetPodGroupCondition(group.key, "False", "SchedulerError", problem)
    return Decision(
        instructions=(*_clear_promises(cycle, waiting), *fails, condition),
        diagnosis=broken_group(group.key, problem, quorum=group.quorum),
        status="error",
        backs_off_as="error",
        unbound=tuple(waiting),
        scan_start=cycle.search.scan_start,
    )


def decide_outcome(cycle: Cycle, outcome: GroupOutcome, *, dropped: list[SkipPod]) -> Decision:
    """Decide about a group that was tried."""
    if outcome.status.is_success:
        decision = _bind_what_fits(cycle, outcome)
    elif outcome.failure.is_error:
        decision = _fail_all(cycle, outcome)
    else:
        decision = _wait_for_room(cycle, outcome)
    return msgspec.structs.replace(
        decision,
        instructions=(*dropped, *decision.instructions),
        scan_start=cycle.search.scan_start,
        room=search_report(outcome.room),
    )


def _bind_what_fits(cycle: Cycle, outcome: GroupOutcome) -> Decision:
    group = outcome.group
    instructions: list[Instruction] = []
    unbound: list[PodInfo] = []
    for result in outcome.results:
        if result.node:
            instructions.append(BindPod(result.pod, result.node))
        else:
            instructions.append(_fail_member(cycle, result, otherwise=result.message))
            unbound.append(result.pod)
    instructions.append(SetPodGroupCondition(group.key, "True", "Scheduled", ""))
    new = len(outcome.tried.result.assignments)
    before = cycle.snapshot.scheduled_count(group.key)
    return Decision(
        instructions=tuple(instructions),
        diagnosis=scheduled_group(group, scheduled=before + new, new=new, left=outcome.diagnoses),
        status="partly-scheduled" if unbound else "scheduled",
        unbound=tuple(unbound),
    )


def _fail_all(cycle: Cycle, outcome: GroupOutcome) -> Decision:
    group, error = outcome.group, outcome.failure.as_error
    fails = [
        FailPod(r.pod, "SchedulerError", r.message if r.status.is_error else error, r.plugins)
        for r in outcome.results
    ]
    condition = SetPodGroupCondition(group.key, "False", "SchedulerError", error)
    return Decision(
        instructions=(*_clear_promises(cycle, outcome.members), *fails, condition),
        diagnosis=broken_group(group.key, error, quorum=group.quorum),
        status="error",
        backs_off_as="error" if outcome.status.is_error else "unschedulable",
        unbound=tuple(outcome.members),
    )


def _wait_for_room(cycle: Cycle, outcome: GroupOutcome) -> Decision:
    text = outcome.failure.message
    diagnosis = _no_room(cycle, outcome, upstream_message=text)
    said = diagnosis.message if cycle.profile.speaking else text
    is_made = outcome.room is not None and outcome.room.status.is_success
    fitting = said if is_made or cycle.profile.speaking else f"{GROUP_UNSCHEDULABLE}, {text}"
    fails = [
        FailPod(result.pod, "Unschedulable", fitting)
        if result.node
        else _fail_member(
            cycle, result, otherwise=said if cycle.profile.speaking else result.message
        )
        for result in outcome.results
    ]
    condition = SetPodGroupCondition(outcome.group.key, "False", "Unschedulable", said)
    return Decision(
        instructions=(*_room_instructions(cycle, outcome), *fails, condition),
        diagnosis=diagnosis,
        status="unschedulable",
        unbound=tuple(outcome.members),
    )


def _no_room(cycle: Cycle, outcome: GroupOutcome, *, upstream_message: str) -> Diagnosis:
    return unscheduled_group(
        outcome.group,
        placed=len(outcome.tried.result.assignments),
        scheduled=cycle.snapshot.scheduled_count(outcome.group.key),
        placements=outcome.tried.tried,
        pods=outcome.diagnoses,
        upstream_message=upstream_message,
        room=search_report(outcome.room),
    )


def _fail_member(cycle: Cycle, result: MemberResult, *, otherwise: str) -> FailPod:
    """Return what a member without a place is told: its own reasons, in the profile's words."""
    message = otherwise
    if cycle.profile.speaking and result.diagnosis is not None:
        message = result.diagnosis.message
    reason: _Reason = "SchedulerError" if result.status.is_error else "Unschedulable"
    return FailPod(result.pod, reason, message, result.plugins)


def _room_instructions(cycle: Cycle, outcome: GroupOutcome) -> list[Instruction]:
    """Return evictions and promises; members that fit into nothing lose an old promise."""
    room = outcome.room
    if room is None or not room.status.is_success:
        fitting = [result.pod for result in outcome.results if result.node]
        return [*_clear_promises(cycle, fitting)]
    scheduler_name = outcome.members[0].scheduler_name
    instructions: list[Instruction] = [
        *evictions_for_group(outcome.group, scheduler_name, room.eviction)
    ]
    promised = room.nominated_nodes
    nodes = [(pod, promised[pod.uid]) for pod in outcome.members if pod.uid in promised]
    return [*instructions, *nominations(cycle, nodes)]


def _clear_promises(cycle: Cycle, pods: Sequence[PodInfo]) -> list[NominateNode]:
    return nominations(cycle, [(pod, NodeName("")) for pod in pods])
