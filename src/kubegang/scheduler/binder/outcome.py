"""How a decision ends, in the words of the queue and of the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubegang.scheduler.cycle.decision import Decision, FailPod, WaitOnPermit
from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.framework.status import Code
from kubegang.scheduler.queue.groupflow import AttemptStatus

_QUEUE_STATUS: Final[Mapping[str, AttemptStatus]] = {
    "scheduled": "scheduled",
    "partly-scheduled": "scheduled",
    "waiting-on-permit": "scheduled",
    # Nobody was left to be tried; upstream closes the attempt as a success.
    "skipped": "scheduled",
    "unschedulable": "unschedulable",
}


def queue_status(decision: Decision) -> AttemptStatus:
    """Return how the queue counts the attempt; an error need not back off as one."""
    if decision.status == "error":
        return decision.backs_off_as
    return _QUEUE_STATUS[decision.status]


def failures(decision: Decision) -> dict[PodUid, frozenset[str]]:
    """Return the pods that go back to the queue, with the plugins that refused each."""
    refused = {
        instruction.pod.uid: frozenset(instruction.plugins)
        for instruction in decision.instructions
        if isinstance(instruction, FailPod)
    }
    return {pod.uid: refused.get(pod.uid, frozenset()) for pod in decision.unbound}


def waiting_on_permit(decision: Decision) -> frozenset[PodUid]:
    """Return the pods that have a node and wait on permit."""
    return frozenset(
        instruction.pod.uid
        for instruction in decision.instructions
        if isinstance(instruction, WaitOnPermit)
    )


def group_result(decision: Decision) -> str:
    """Return how upstream's metrics call the end of an attempt at a group."""
    if decision.status == "error":
        return "error"
    if decision.status != "unschedulable":
        return queue_status(decision)
    makes_room = decision.room is not None and decision.room.outcome == Code.SUCCESS.value
    return "waiting_on_preemption" if makes_room else "unschedulable"
