"""From what a group's cycle found to what is to be done, member by member.

Which member gets which text follows kube-scheduler 1.37.2 (measured): one without a place
its own reasons; one with a place, in a group that fails, the group's text once more under
the group's cause; one that was not tried any more the group's text as it stood when trying
ended. Of a tree only the pod groups are told, each its own verdict. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import (
    Decision,
    Diagnosis,
    FailPod,
    Instruction,
    SetPodGroupCondition,
    SkipPod,
)
from kubegang.scheduler.cycle.diagnosis import being_made, broken_group, in_both_words
from kubegang.scheduler.cycle.makingroom import (
    clear_promises,
    evictions_for_group,
    nominations,
    other_changes,
    search_report,
)
from kubegang.scheduler.cycle.results import GROUP_UNSCHEDULABLE, GroupResult, MemberResult
from kubegang.scheduler.cycle.settling import ChosenNode, Settled, settle
from kubegang.scheduler.cycle.treediagnosis import (
    group_prefix,
    scheduled_tree,
    tree_sentence,
    unscheduled_tree,
)
from kubegang.scheduler.cycle.trees import PodsByGroup
from kubegang.scheduler.cycle.verdicts import LeafOutcome, Verdict, leaf_outcomes
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import (
    PodGroupInfo,
    PodGroupKey,
    PodInfo,
    PodUid,
)
from kubegang.scheduler.framework.postfilter import PodGroupPostFilterResult
from kubegang.scheduler.framework.status import Status
from kubegang.scheduler.snapshot.snapshot import Snapshot

_Reason = Literal["Unschedulable", "SchedulerError"]


class GroupOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known at the end of a group's cycle.

    Attributes:
        members: all that were to be tried, in order.
        tried: what became of the group: a pod group, or the root of a tree.
        leaves: what that means for each pod group.
        room: what post filters said, if they were asked.
    """

    members: list[PodInfo]
    tried: GroupResult
    leaves: tuple[LeafOutcome, ...]
    room: PodGroupPostFilterResult | None

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        tried: GroupResult,
        *,
        members: list[PodInfo],
        waiting: PodsByGroup,
        room: PodGroupPostFilterResult | None,
    ) -> GroupOutcome:
        """Return what a group's cycle came to."""
        leaves = leaf_outcomes(snapshot, tried, waiting)
        return cls(members=members, tried=tried, leaves=leaves, room=room)

    @property
    def group(self) -> PodGroupInfo:
        """The group that was decided about."""
        return self.tried.group

    @property
    def status(self) -> Status:
        """The group's, before post filters."""
        return self.tried.result.status

    @property
    def is_room_made(self) -> bool:
        """Whether post filters have others evicted for the group."""
        return self.room is not None and self.room.status.is_success

    @property
    def error(self) -> str:
        """What is broken, or empty."""
        if self.status.is_error:
            return self.status.as_error
        if self.room is not None and self.room.status.is_error:
            return self.room.status.as_error
        return ""

    def failure(self, verdict: Verdict) -> Status:
        """Return a verdict with what post filters add to it."""
        return verdict.status if self.room is None else verdict.with_room(self.room.status)


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
    conditions = [
        SetPodGroupCondition(leaf, "False", "SchedulerError", problem)
        for leaf in cycle.snapshot.forest.leaves(group.key)
    ]
    return Decision(
        instructions=(*clear_promises(cycle, waiting), *fails, *conditions),
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
    elif outcome.error:
        decision = _fail_all(cycle, outcome)
    else:
        decision = _wait_for_room(cycle, outcome)
    return msgspec.structs.replace(
        decision,
        instructions=(*dropped, *other_changes(outcome.room), *decision.instructions),
        scan_start=cycle.search.scan_start,
        room=search_report(outcome.room),
    )


def _bind_what_fits(cycle: Cycle, outcome: GroupOutcome) -> Decision:
    instructions: list[Instruction] = []
    unbound: list[PodInfo] = []
    settled = _settled(cycle, outcome)
    for leaf in outcome.leaves:
        if leaf.verdict is not None:
            instructions += _fail_leaf(cycle, outcome, leaf, leaf.verdict)
            unbound += leaf.waiting
            continue
        for result in leaf.results:
            member = settled.get(result.pod.uid)
            if member is None:
                instructions.append(_fail_member(cycle, result, otherwise=result.message))
            else:
                instructions.extend(member.instructions)
            if member is None or not member.keeps_node:
                unbound.append(result.pod)
        instructions.append(SetPodGroupCondition(leaf.group.key, "True", "Scheduled", ""))
    left = [diagnosis for leaf in outcome.leaves for diagnosis in leaf.diagnoses]
    return Decision(
        instructions=tuple(instructions),
        diagnosis=scheduled_tree(cycle.snapshot, outcome.tried, left=left),
        status="partly-scheduled" if unbound else "scheduled",
        unbound=tuple(unbound),
    )


def _settled(cycle: Cycle, outcome: GroupOutcome) -> dict[PodUid, Settled]:
    """Return what follows for the members that have a place."""
    chosen = [
        ChosenNode(result.pod, result.node, result.state or CycleState())
        for result in outcome.tried.result.fitting()
    ]
    return {
        one.pod.uid: settled for one, settled in zip(chosen, settle(cycle, chosen), strict=True)
    }


def _fail_all(cycle: Cycle, outcome: GroupOutcome) -> Decision:
    group, error = outcome.group, outcome.error
    instructions: list[Instruction] = [*clear_promises(cycle, outcome.members)]
    for leaf in outcome.leaves:
        for r in leaf.results:
            own = r.status.is_error and not group.is_composite
            message = r.message if own else error
            instructions.append(FailPod(r.pod, "SchedulerError", message, r.plugins))
        condition = SetPodGroupCondition(leaf.group.key, "False", "SchedulerError", error)
        instructions.append(condition)
    return Decision(
        instructions=tuple(instructions),
        diagnosis=broken_group(group.key, error, quorum=group.quorum),
        status="error",
        backs_off_as="error" if outcome.status.is_error else "unschedulable",
        unbound=tuple(outcome.members),
    )


def _wait_for_room(cycle: Cycle, outcome: GroupOutcome) -> Decision:
    instructions = _room_instructions(cycle, outcome)
    for leaf in outcome.leaves:
        if leaf.verdict is not None:
            instructions += _fail_leaf(cycle, outcome, leaf, leaf.verdict)
    return Decision(
        instructions=tuple(instructions),
        diagnosis=_no_room(cycle, outcome),
        status="unschedulable",
        unbound=tuple(outcome.members),
    )


def _fail_leaf(
    cycle: Cycle, outcome: GroupOutcome, leaf: LeafOutcome, verdict: Verdict
) -> list[Instruction]:
    """Return what a pod group without room and its pods are told.

    Pods that would fit lose an old promise, the others keep it (measured on 1.37.2).
    """
    text, speaking = outcome.failure(verdict).message, cycle.profile.speaking
    said = text
    if speaking:
        said = in_both_words(_explained(cycle, outcome, leaf, verdict), text)
    fitting = said if outcome.is_room_made or speaking else f"{GROUP_UNSCHEDULABLE}, {text}"
    instructions: list[Instruction] = []
    if not outcome.is_room_made:
        instructions += clear_promises(cycle, [r.pod for r in leaf.results if r.node])
    instructions += [
        FailPod(result.pod, "Unschedulable", fitting)
        if result.node
        else _fail_member(cycle, result, otherwise=said if speaking else result.message)
        for result in leaf.results
    ]
    condition = SetPodGroupCondition(leaf.group.key, "False", "Unschedulable", said)
    return [*instructions, condition]


def _explained(cycle: Cycle, outcome: GroupOutcome, leaf: LeafOutcome, verdict: Verdict) -> str:
    """Return why a pod group has no room, for people."""
    about = group_prefix(verdict.tried.group, root=leaf.group)
    room = being_made(search_report(outcome.room))
    return f"{about}{tree_sentence(cycle.snapshot, verdict.tried)}{room}"


def _no_room(cycle: Cycle, outcome: GroupOutcome) -> Diagnosis:
    text = outcome.failure(Verdict(outcome.tried)).message
    return unscheduled_tree(
        cycle.snapshot,
        outcome.tried,
        upstream_message=text,
        room=search_report(outcome.room),
    )


def _fail_member(cycle: Cycle, result: MemberResult, *, otherwise: str) -> FailPod:
    """Return what a member without a place is told: its own reasons, in the profile's words."""
    message = otherwise
    if cycle.profile.speaking and result.diagnosis is not None:
        message = in_both_words(result.diagnosis.message, result.message)
    reason: _Reason = "SchedulerError" if result.status.is_error else "Unschedulable"
    return FailPod(result.pod, reason, message, result.plugins)


def _room_instructions(cycle: Cycle, outcome: GroupOutcome) -> list[Instruction]:
    """Return evictions and promises."""
    room = outcome.room
    if room is None or not room.status.is_success:
        return []
    scheduler_name = outcome.members[0].scheduler_name
    instructions: list[Instruction] = [
        *evictions_for_group(outcome.group, scheduler_name, room.eviction)
    ]
    promised = room.nominated_nodes
    nodes = [(pod, promised[pod.uid]) for pod in outcome.members if pod.uid in promised]
    return [*instructions, *nominations(cycle, nodes)]
