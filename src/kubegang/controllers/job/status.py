"""The status of a Job after a look at its pods, in upstream's conditions and words. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.controllers.job.decide import Verdict, has_condition, is_suspended
from kubegang.controllers.job.tally import Tally, counted_status, is_indexed


class JobEvent(msgspec.Struct, frozen=True):
    """An event to record about the Job once its status is written."""

    type: str
    reason: str
    message: str


class StatusChange(msgspec.Struct, frozen=True):
    """The new status, and what to tell about it."""

    status: JsonObject
    events: tuple[JobEvent, ...]


def next_status(
    job: JsonObject, counts: Tally, *, active: int, verdict: Verdict | None, now: float
) -> StatusChange:
    """Return the status to write.

    Args:
        job: the Job as read.
        counts: its pods.
        active: active pods after this sync's creations and deletions.
        verdict: how the Job ends, if it does.
        now: seconds since the epoch.
    """
    moment = format_time(now)
    status = counted_status(job.get("status") or {}, tally_=counts, indexed=is_indexed(job))
    _set_count(status, "active", active)
    status["ready"] = counts.ready
    status["terminating"] = counts.terminating
    conditions = [dict(c) for c in status.get("conditions") or []]
    events: list[JobEvent] = []
    if verdict is None:
        events += _follow_suspension(job, status, conditions, moment)
    else:
        events += _end(status, conditions, verdict, counts=counts, active=active, moment=moment)
    if not status.get("startTime") and not is_suspended(job):
        status["startTime"] = moment
    if conditions:
        status["conditions"] = conditions
    return StatusChange(status, tuple(events))


def _follow_suspension(
    job: JsonObject, status: JsonObject, conditions: list[JsonObject], moment: str
) -> list[JobEvent]:
    if is_suspended(job):
        status.pop("startTime", None)
        if has_condition(job, "Suspended"):
            return []
        suspended = ("JobSuspended", "Job suspended")
        _set_condition(conditions, "Suspended", "True", text=suspended, moment=moment)
        return [JobEvent("Normal", "Suspended", "Job suspended")]
    if not has_condition(job, "Suspended"):
        return []
    resumed = ("JobResumed", "Job resumed")
    _set_condition(conditions, "Suspended", "False", text=resumed, moment=moment)
    status["startTime"] = moment
    return [JobEvent("Normal", "Resumed", "Job resumed")]


def _end(
    status: JsonObject,
    conditions: list[JsonObject],
    verdict: Verdict,
    *,
    counts: Tally,
    active: int,
    moment: str,
) -> list[JobEvent]:
    """Write the interim condition, and the final one when every pod has ended and is counted."""
    text = (verdict.reason, verdict.message)
    if not _is_true(conditions, verdict.interim):
        _set_condition(conditions, verdict.interim, "True", text=text, moment=moment)
    if active or counts.terminating or _pods_to_count(status):
        return []
    if _is_true(conditions, verdict.final):
        return []
    _set_condition(conditions, verdict.final, "True", text=text, moment=moment)
    if verdict.final == "Complete":
        status["completionTime"] = moment
        return [JobEvent("Normal", "Completed", "Job completed")]
    return [JobEvent("Warning", verdict.reason, verdict.message)]


def _pods_to_count(status: JsonObject) -> bool:
    uncounted = status.get("uncountedTerminatedPods") or {}
    return bool(uncounted.get("succeeded") or uncounted.get("failed"))


def _set_count(status: JsonObject, name: str, value: int) -> None:
    """Write a counter that the API leaves out when it is zero."""
    if value:
        status[name] = value
    else:
        status.pop(name, None)


def _is_true(conditions: Sequence[JsonObject], kind: str) -> bool:
    return any(c["type"] == kind and c["status"] == "True" for c in conditions)


def _set_condition(
    conditions: list[JsonObject], kind: str, value: str, *, text: tuple[str, str], moment: str
) -> None:
    """Add or replace a condition; ``text`` is its reason and message."""
    condition = {
        "type": kind,
        "status": value,
        "reason": text[0],
        "message": text[1],
        "lastProbeTime": moment,
        "lastTransitionTime": moment,
    }
    for index, old in enumerate(conditions):
        if old["type"] == kind:
            conditions[index] = condition
            return
    conditions.append(condition)
