"""From a chosen node to what follows for the pod: bound at once, made to wait, or refused.

Plugins may reserve more than the snapshot counts, and may ask a pod to wait for others. All
of it is tried here and taken back; it happens again, for real, when the decision is counted.
Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import (
    ActivatePods,
    AllowWaitingPod,
    BindPod,
    Instruction,
    NominateNode,
    RejectWaitingPod,
    WaitOnPermit,
    fail_after_choice,
)
from kubegang.scheduler.cycle.waitingsofar import WaitingSoFar
from kubegang.scheduler.framework.binding import WaitingPod, WaitingPods
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status
from kubegang.scheduler.runtime.binding import (
    PermitOutcome,
    has_binding_points,
    has_work_before_binding,
    reserves_for,
    run_permit_plugins,
    run_reserve_plugins,
    run_unreserve_plugins,
)
from kubegang.scheduler.snapshot.trial import Trial


class ChosenNode(NamedTuple):
    """A pod, the node that was found for it, and the notes of the search."""

    pod: PodInfo
    node: NodeName
    state: CycleState


class Settled(NamedTuple):
    """What follows for one pod.

    Attributes:
        status: success: it is to be bound; ``waiting``; or why it keeps no node after all.
        instructions: all that is to be done, about others too.
    """

    status: Status
    instructions: tuple[Instruction, ...]

    @property
    def keeps_node(self) -> bool:
        """Whether the pod counts on its node from now on."""
        return self.status.is_success or self.status.is_wait


def settle(cycle: Cycle, chosen: Sequence[ChosenNode]) -> list[Settled]:
    """Return what follows for each pod, in order; a pod sees those before it as placed."""
    if not _has_more_to_ask(cycle, chosen):
        return [Settled(SUCCESS, (BindPod(one.pod, one.node),)) for one in chosen]
    waiting = WaitingSoFar(cycle.waiting)
    with Trial(cycle.snapshot) as trial:
        return [_settle_one(cycle, trial, one, waiting=waiting) for one in chosen]


def settle_together(cycle: Cycle, chosen: Sequence[ChosenNode]) -> list[Settled]:
    """Return what follows for members of a group; permits are asked for when all have nodes.

    Asked one after the other, the first members of a gang would be made to wait until the
    last of them is asked, which is at the same moment.
    """
    if not _has_more_to_ask(cycle, chosen):
        return [Settled(SUCCESS, (BindPod(one.pod, one.node),)) for one in chosen]
    waiting = WaitingSoFar(cycle.waiting)
    with Trial(cycle.snapshot) as trial:
        reserved = [_reserve_one(cycle, trial, one) for one in chosen]
        return [
            _ask_one(cycle, one, waiting=waiting)
            if status.is_success
            else Settled(status, (fail_after_choice(one.pod, status),))
            for one, status in zip(chosen, reserved, strict=True)
        ]


def reserve_in_trial(cycle: Cycle, trial: Trial, chosen: ChosenNode) -> Status:
    """Reserve for a pod that the trial has placed; it is taken back with the trial's steps."""
    pod, node, state = chosen
    if not cycle.framework.reserve_plugins:
        return SUCCESS
    status = run_reserve_plugins(cycle.framework, state, pod=pod, node=node, cluster=cycle.snapshot)
    if status.is_success and reserves_for(cycle.framework, pod):
        trial.undo_with(
            partial(
                run_unreserve_plugins,
                cycle.framework,
                state,
                pod=pod,
                node=node,
                cluster=cycle.snapshot,
            )
        )
    return status


def permit_in_trial(
    cycle: Cycle, chosen: ChosenNode, *, waiting: WaitingPods | None = None
) -> PermitOutcome:
    """Ask for the permit of a pod that the trial has placed and reserved for.

    Args:
        cycle: the cycle's inputs.
        chosen: the pod.
        waiting: who waits, if not only those that did before the cycle.
    """
    return run_permit_plugins(
        cycle.framework,
        chosen.state,
        pod=chosen.pod,
        node=chosen.node,
        cluster=cycle.snapshot,
        waiting_pods=cycle.waiting if waiting is None else waiting,
        now=cycle.now,
    )


def _settle_one(
    cycle: Cycle, trial: Trial, chosen: ChosenNode, *, waiting: WaitingSoFar
) -> Settled:
    mark = trial.mark()
    status = _reserve_one(cycle, trial, chosen)
    if not status.is_success:
        return Settled(status, (fail_after_choice(chosen.pod, status),))
    settled = _ask_one(cycle, chosen, waiting=waiting)
    if not settled.keeps_node:
        trial.rollback(mark)
    return settled


def _has_more_to_ask(cycle: Cycle, chosen: Sequence[ChosenNode]) -> bool:
    framework = cycle.framework
    if framework.post_bind_plugins:
        cycle.notes.update({one.pod.uid: one.state for one in chosen})
    return any(has_binding_points(framework, one.pod) for one in chosen)


def _reserve_one(cycle: Cycle, trial: Trial, chosen: ChosenNode) -> Status:
    mark = trial.mark()
    trial.place(chosen.pod, chosen.node)
    status = reserve_in_trial(cycle, trial, chosen)
    if not status.is_success:
        trial.rollback(mark)
    return status


def _ask_one(cycle: Cycle, chosen: ChosenNode, *, waiting: WaitingSoFar) -> Settled:
    pod, node, state = chosen
    outcome = permit_in_trial(cycle, chosen, waiting=waiting)
    if outcome.waits:
        waiting.follow(outcome, WaitingPod(pod, node, outcome.waits, cycle.now))
    else:
        waiting.follow(outcome)
    if not outcome.status.is_success and not outcome.status.is_wait:
        fail = fail_after_choice(pod, outcome.status)
        return Settled(outcome.status, (*_about_others(outcome), fail))
    cycle.notes[pod.uid] = state
    return Settled(outcome.status, tuple(_kept(cycle, chosen, outcome)))


def _kept(cycle: Cycle, chosen: ChosenNode, outcome: PermitOutcome) -> list[Instruction]:
    pod, node, state = chosen
    wait: Instruction = BindPod(pod, node)
    if outcome.waits:
        wait = WaitOnPermit(pod, node, outcome.waits, outcome.status.message)
    instructions: list[Instruction] = [*_about_others(outcome), wait]
    # A pod whose binding takes long says where it will be, so that nobody counts on that room.
    if outcome.waits or has_work_before_binding(
        cycle.framework, state, pod=pod, node=node, cluster=cycle.snapshot
    ):
        instructions.append(NominateNode(pod, node))
    return instructions


def _about_others(outcome: PermitOutcome) -> list[Instruction]:
    others: list[Instruction] = [AllowWaitingPod(v.plugin, v.pod) for v in outcome.allowed]
    others += [RejectWaitingPod(v.plugin, v.pod, v.message) for v in outcome.rejected]
    if outcome.activated:
        others.append(ActivatePods(outcome.activated))
    return others
