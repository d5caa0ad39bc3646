"""Whether something that happened makes another attempt worth it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.events import HintRegistration
from kubegang.scheduler.queue.inflight import Happening
from kubegang.scheduler.queue.rules import HintIndex


def says_yes(
    registrations: Iterable[HintRegistration], queued: QueuedPodInfo, happening: Happening
) -> bool:
    """Return whether any registration without a question, or any question, says yes."""
    return any(
        registration.is_schedulable_after is None
        or registration.is_schedulable_after(queued.pod, happening.old, happening.new)
        for registration in registrations
    )


def is_worth_requeueing(index: HintIndex, queued: QueuedPodInfo, happening: Happening) -> bool:
    """Ask the plugins that refused a pod whether this may have changed their mind.

    A pod that no plugin refused failed for another reason: it is always worth it.
    """
    if not queued.rejected_by:
        return True
    return any(
        says_yes(registrations, queued, happening)
        for scheduler_name, plugin, registrations in index.interested(happening.event)
        if scheduler_name == queued.scheduler_name and plugin in queued.rejected_by
    )
