"""The status of a Job after a look at its pods, in upstream's conditions and words. Pure.

It is written twice in a sync: first with ended pods named and the interim condition, then,
when the finalizers of those pods are gone, with the pods counted and the final condition.
"""

from __future__ import annotations

import copy
from collections.abc import Collection

import msgspec

from kubegang.apimachinery.conditions import find_condition, is_true
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.controllers.job.counting import count, name
from kubegang.controllers.job.jobs import completions_of, is_suspended, status_of, uid
from kubegang.controllers.job.tally import Tally
from kubegang.controllers.job.verdict import Verdict


class JobEvent(msgspec.Struct, frozen=True):
    """An event to record about the Job once its status is written."""

    type: str
    reason: str
    message: str


class Present(msgspec.Struct, frozen=True, kw_only=True):
    """The pods there are after this sync's creations and deletions.

    Attributes:
        active, ready, terminating: how many.
        decided: whether it was decided which pods there are to be. Without, it is too early
            to say that the Job is suspended or resumed.
    """

    active: int
    ready: int
    terminating: int
    decided: bool


class StatusChange(msgspec.Struct, frozen=True):
    """A status to write, what to tell about it, and which pods may go then."""

    status: JsonObject
    events: tuple[JobEvent, ...]
    release: tuple[JsonObject, ...] = ()


def first_status(
    job: JsonObject,
    counts: Tally,
    present: Present,
    *,
    ending: Verdict | None,
    now: float,
    forgets_start: bool = True,
) -> StatusChange:
    """Return the status to write before pods are let go.

    Args:
        job: the Job as read.
        counts: its pods.
        present: its pods after this sync.
        ending: how the Job ends, if it does.
        now: seconds since the epoch.
        forgets_start: whether a Job that is suspended has not started (the gate
            MutableSchedulingDirectivesForSuspendedJobs).
    """
    moment = format_time(now)
    status = copy.deepcopy(status_of(job))
    events: list[JobEvent] = []
    if not status.get("startTime") and not is_suspended(job):
        status["startTime"] = moment
    if ending is None and present.decided:
        events += _follow_suspension(job, status, moment, forgets_start=forgets_start)
    if ending is not None and not is_true(status.get("conditions"), ending.interim):
        _set_condition(status, ending.interim, "True", text=_text(ending), moment=moment)
    _write_present(status, present)
    count(status, {uid(pod) for pod in counts.holding})
    release = name(job, status, counts, ending=ending)
    return StatusChange(status, tuple(events), release)


def second_status(
    job: JsonObject,
    present: Present,
    *,
    holding: Collection[str],
    ending: Verdict | None,
    now: float,
) -> StatusChange:
    """Return the status to write after pods were let go.

    Args:
        job: the Job with the first status.
        present: its pods after this sync.
        holding: the uids of pods that still have the finalizer.
        ending: how the Job ends, if it does.
        now: seconds since the epoch.
    """
    status = copy.deepcopy(status_of(job))
    _write_present(status, present)
    count(status, holding)
    if ending is None or holding or status["terminating"] or status["uncountedTerminatedPods"]:
        return StatusChange(status, ())
    moment = format_time(now)
    _set_condition(status, ending.final, "True", text=_text(ending), moment=moment)
    if ending.is_failure:
        return StatusChange(status, (JobEvent("Warning", ending.reason, ending.message),))
    status["completionTime"] = moment
    return StatusChange(status, _completed(job, status))


def _completed(job: JsonObject, status: JsonObject) -> tuple[JobEvent, ...]:
    completions = completions_of(job)
    completed = JobEvent("Normal", "Completed", "Job completed")
    if completions is None or int(status.get("succeeded") or 0) <= completions:
        return (completed,)
    return (JobEvent("Warning", "TooManySucceededPods", "Too many succeeded pods exist"), completed)


def _follow_suspension(
    job: JsonObject, status: JsonObject, moment: str, *, forgets_start: bool
) -> list[JobEvent]:
    conditions = status.get("conditions")
    if is_suspended(job):
        if is_true(conditions, "Suspended"):
            return []
        text = ("JobSuspended", "Job suspended")
        _set_condition(status, "Suspended", "True", text=text, moment=moment)
        if forgets_start:
            status.pop("startTime", None)
        return [JobEvent("Normal", "Suspended", "Job suspended")]
    if not is_true(conditions, "Suspended"):
        return []
    text = ("JobResumed", "Job resumed")
    _set_condition(status, "Suspended", "False", text=text, moment=moment)
    # How long the Job has been active counts from here.
    status["startTime"] = moment
    return [JobEvent("Normal", "Resumed", "Job resumed")]


def _write_present(status: JsonObject, present: Present) -> None:
    _set_count(status, "active", present.active)
    status["ready"] = present.ready
    status["terminating"] = present.terminating


def _text(ending: Verdict) -> tuple[str, str]:
    return ending.reason, ending.message


def _set_count(status: JsonObject, field: str, value: int) -> None:
    """Write a counter that the API leaves out when it is zero."""
    if value:
        status[field] = value
    else:
        status.pop(field, None)


def _set_condition(
    status: JsonObject, kind: str, value: str, *, text: tuple[str, str], moment: str
) -> None:
    """Add or replace a condition; ``text`` is its reason and message."""
    condition = {
        "type": kind,
        "status": value,
        "lastProbeTime": moment,
        "lastTransitionTime": moment,
        "reason": text[0],
        "message": text[1],
    }
    conditions = status.setdefault("conditions", [])
    present = find_condition(conditions, kind)
    if present is None:
        conditions.append(condition)
    else:
        present.clear()
        present.update(condition)
