"""What pods are told: events, and with a failure the condition that repeats it."""

from __future__ import annotations

from typing import Final, Literal

from kubegang.scheduler.binder.events import EventRecorder
from kubegang.scheduler.binder.references import pod_reference
from kubegang.scheduler.binder.status import Condition, StatusWriter
from kubegang.scheduler.framework.pods import NodeName, PodInfo, PodUid

_ASSIGNED: Final = "Successfully assigned {pod} to {node}"


class PodTeller:
    """Tells pods what became of them."""

    def __init__(self, events: EventRecorder, statuses: StatusWriter) -> None:
        """Speak through these."""
        self._events = events
        self._statuses = statuses

    def tell_failure(
        self, pod: PodInfo, reason: Literal["Unschedulable", "SchedulerError"], message: str
    ) -> None:
        """Say why an attempt failed."""
        self.warn(pod, message)
        self._statuses.set_pod_condition(pod, Condition("False", reason, message))

    def take_promise_back(self, pod: PodInfo) -> None:
        """Say that no node is promised to a pod any longer."""
        self._statuses.nominate(pod, "")

    def tell_bound(self, pod: PodInfo, node: NodeName) -> None:
        """Say where a pod is bound."""
        self._events.record(
            pod_reference(pod),
            type="Normal",
            reason="Scheduled",
            action="Binding",
            note=_ASSIGNED.format(pod=pod.key, node=node),
            controller=pod.scheduler_name,
            repeats=False,
        )

    def discard(self, uid: PodUid) -> None:
        """Forget what is still to be written about a pod: it is about to be bound."""
        self._statuses.discard(uid)

    def warn(self, pod: PodInfo, note: str) -> None:
        """Write the event of a failure without a condition."""
        self._events.record(
            pod_reference(pod),
            type="Warning",
            reason="FailedScheduling",
            action="Scheduling",
            note=note,
            controller=pod.scheduler_name,
        )
