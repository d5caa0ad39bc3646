"""When the scheduler looks again, and what makes it look earlier. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubegang.scheduler.cycle.decision import FailPod
from kubegang.scheduler.framework.events import Action, ClusterEvent
from kubegang.scheduler.framework.pods import PodGroupKey
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.resting import MAX_REST_SECONDS
from kubegang.tools.explaining.case import Case
from kubegang.tools.explaining.report import Retry

_ACTIONS: Final = {
    Action.ADD: "comes",
    Action.DELETE: "goes",
    Action.UPDATE_NODE_ALLOCATABLE: "has other amounts",
    Action.UPDATE_NODE_LABEL: "has other labels",
    Action.UPDATE_NODE_TAINT: "has other taints",
    Action.UPDATE_NODE_DECLARED_FEATURE: "has other features",
    Action.UPDATE_POD_LABEL: "has other labels",
    Action.UPDATE_POD_SCALE_DOWN: "asks for less",
    Action.UPDATE_POD_GATES: "loses its gates",
    Action.UPDATE_POD_TOLERATIONS: "tolerates more",
    Action.UPDATE_POD_GROUP_MIN_COUNT: "has another minimum",
    Action.UPDATE_OTHER: "changes",
}
_SUBJECTS: Final = {
    "Node": "a node",
    "AssignedPod": "a pod with a node",
    "UnscheduledPod": "a pod without a node",
    "TargetPod": "the pod itself",
}


def retry_of(case: Case, backoff: BackoffPolicy) -> Retry | None:
    """Return when it is tried again; ``None`` if nothing waits."""
    waiting = case.outcome.waiting
    if waiting is not None and waiting.place in (Place.GATED, Place.INCOMPLETE):
        return Retry(message="it is not tried before what it waits for has come")
    if not case.waiting:
        return None
    # Failures enough for the longest pause; the first ones are shorter.
    longest = backoff.duration(64, len(case.waiting))
    profile = case.stage.deciders.profile(case.waiting[0].scheduler_name)
    if isinstance(case.key, PodGroupKey) and profile.group_cycle != "member-by-member":
        return Retry(
            at_most=longest,
            message=(
                f"by the clock alone: {backoff.initial_seconds:.0f} s after the first failure, "
                f"then twice as long each time, {longest:.0f} s at most"
            ),
        )
    events = tuple(dict.fromkeys(_events(case)))
    return Retry(
        at_most=MAX_REST_SECONDS,
        events=events,
        message=(
            f"when something happens that may help, {longest:.0f} s later at most; "
            f"without that every {MAX_REST_SECONDS:.0f} s"
        ),
    )


def _events(case: Case) -> Iterator[str]:
    rules = case.stage.deciders.rules
    for decision in case.outcome.decisions:
        for instruction in decision.instructions:
            if isinstance(instruction, FailPod):
                hints = rules[instruction.pod.scheduler_name].hints
                for plugin in instruction.plugins:
                    for registration in hints.get(plugin, ()):
                        yield from _told(registration.event)


def _told(event: ClusterEvent) -> Iterator[str]:
    subject = _SUBJECTS.get(event.resource, f"a {event.resource}")
    for action, verb in _ACTIONS.items():
        if action & event.actions:
            yield f"{subject} {verb}"
