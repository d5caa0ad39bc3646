"""The decision about an entity that a plugin of others could not be asked about. Pure."""

from __future__ import annotations

from kubegang.scheduler.cycle.decision import Decision, Diagnosis, FailPod
from kubegang.scheduler.framework.entities import QueuedEntity, members_of


def failed_by_plugin(entity: QueuedEntity, message: str, *, scan_start: int) -> Decision:
    """Return that the attempt failed: every member is told, and tried again later.

    Args:
        entity: the pod or the group.
        message: what the plugin did.
        scan_start: where the next search begins.
    """
    pods = tuple(member.pod for member in members_of(entity))
    return Decision(
        instructions=tuple(FailPod(pod, "SchedulerError", message) for pod in pods),
        diagnosis=Diagnosis(outcome="error", message=message, upstream_message=message),
        status="error",
        backs_off_as="error",
        unbound=pods,
        scan_start=scan_start,
    )
