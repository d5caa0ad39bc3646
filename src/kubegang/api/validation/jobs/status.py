"""A Job's status, as its controller writes it.

Pure.
"""

from __future__ import annotations

from typing import Any

from kubegang.api.validation.checks import Errors, invalid, not_negative
from kubegang.api.validation.internal_form import invalid_form
from kubegang.api.validation.jobs.indexes import IndexesError, count_indexes, overlap
from kubegang.api.validation.jobs.policies import INDEXED
from kubegang.api.validation.jobs.status_change import (
    StatusChange,
    conditions_with,
    status_change,
)
from kubegang.apimachinery.field import FieldError, Path, duplicate, invalid_value, required
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time
from kubegang.base.feature_gates import FeatureGates

_STATUS = Path("status")
_COUNTS = ("active", "succeeded", "failed", "ready", "terminating")
_FINAL = ("Failed", "Complete", "FailureTarget")


def validate_job_status(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed status."""
    change = status_change(new, old)
    for name in _COUNTS:
        yield from not_negative(_STATUS.child(name), change.status.get(name))
    yield from _uncounted(change.status.get("uncountedTerminatedPods"))
    yield from _contradictions(change)
    yield from _completion_time(change)
    yield from _announced(change)
    yield from _finished(change)
    yield from _indexes(change)
    yield from _pods(change)
    yield from _success_criteria(change)
    yield from _steps(change)


def _refused(detail: str) -> FieldError:
    return invalid(_STATUS.child("conditions"), detail)


def _uncounted(uncounted: JsonObject | None) -> Errors:
    seen = set()
    for name in ("succeeded", "failed"):
        path = _STATUS.child("uncountedTerminatedPods", name)
        for position, uid in enumerate((uncounted or {}).get(name) or ()):
            if not uid:
                yield invalid_value(path.index(position), uid, "must not be empty")
            elif uid in seen:
                yield duplicate(path.index(position), uid)
            seen.add(uid)


def _contradictions(change: StatusChange) -> Errors:
    for name in ("Failed", "FailureTarget"):
        if change.changes("Complete", name) and {"Complete", name} <= change.true:
            yield _refused(f"cannot set Complete=True and {name}=true conditions")


def _completion_time(change: StatusChange) -> Errors:
    path, time = _STATUS.child("completionTime"), change.status.get("completionTime")
    start, complete = change.status.get("startTime"), "Complete" in change.true
    if change.changes("Complete", "completionTime"):
        if time and not complete:
            detail = "cannot set completionTime when there is no Complete=True condition"
            yield invalid_value(path, time, detail)
        if complete and not time:
            yield required(path, "completionTime is required for Complete jobs")
    backwards = time and start and parse_time(time) < parse_time(start)
    if backwards and change.changes("startTime", "completionTime"):
        yield invalid_value(path, time, "must be equal to or after `startTime`")


def _announced(change: StatusChange) -> Errors:
    """Check that a verdict has been announced by the condition that goes before it."""
    unannounced = "Failed" in change.true and "FailureTarget" not in change.true
    if unannounced and change.changes("Failed", "failedIndexes"):
        yield _refused("cannot set Failed=True condition without the FailureTarget=true condition")
    unannounced = "Complete" in change.true and "SuccessCriteriaMet" not in change.true
    if unannounced and change.changes("Complete", "SuccessCriteriaMet"):
        yield _refused(
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        )


def _finished(change: StatusChange) -> Errors:
    """Check that a Job that is over has begun, and has nothing left to do."""
    if not change.finished:
        return
    status, active = change.status, change.status.get("active") or 0
    if active > 0 and change.finishes_or_changes("active"):
        detail = "active>0 is invalid for finished job"
        yield invalid_value(_STATUS.child("active"), active, detail)
    never_ran = change.spec.get("suspend") and change.spec.get("completions") == 0
    unstarted = not status.get("startTime") and not never_ran
    if unstarted and change.finishes_or_changes("startTime"):
        yield required(_STATUS.child("startTime"), "startTime is required for finished job")
    uncounted = status.get("uncountedTerminatedPods") or {}
    pending = uncounted.get("succeeded") or uncounted.get("failed")
    if pending and change.finishes_or_changes("uncountedTerminatedPods"):
        path = _STATUS.child("uncountedTerminatedPods")
        detail = "must be empty for finished job"
        yield invalid_form(path, "UncountedTerminatedPods", uncounted, detail)


def _indexes(change: StatusChange) -> Errors:
    completed = change.status.get("completedIndexes") or ""
    failed = change.status.get("failedIndexes")
    limited = change.spec.get("backoffLimitPerIndex") is not None
    completions = change.spec.get("completions")
    if change.changes("completedIndexes"):
        yield from _index_list("completedIndexes", completed, completions)
    if change.changes("failedIndexes") and failed is not None and limited:
        yield from _index_list("failedIndexes", failed, completions)
    unindexed = completed and change.spec.get("completionMode") != INDEXED
    if unindexed and change.changes("completedIndexes"):
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield invalid_value(_STATUS.child("completedIndexes"), completed, detail)
    path = _STATUS.child("failedIndexes")
    if failed is not None and not limited and change.changes("failedIndexes"):
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield invalid_value(path, failed, detail)
    index = overlap(completed, failed or "", completions or 0)
    if index is not None and change.changes("failedIndexes", "completedIndexes"):
        detail = f"failedIndexes and completedIndexes overlap at index: {index}"
        yield invalid_value(path, failed, detail)


def _index_list(name: str, text: str, completions: int | None) -> Errors:
    if completions is None:
        return
    try:
        count_indexes(text, completions)
    except IndexesError as error:
        yield invalid_value(_STATUS.child(name), text, f"error parsing {name}: {error}")


def _pods(change: StatusChange) -> Errors:
    terminating, ready = change.status.get("terminating") or 0, change.status.get("ready")
    lingering = terminating > 0 and change.finished
    if lingering and change.finishes_or_changes("terminating"):
        detail = "terminating>0 is invalid for finished job"
        yield invalid_value(_STATUS.child("terminating"), terminating, detail)
    if ready is None:
        return
    if change.changes("ready", "active") and ready > (change.status.get("active") or 0):
        detail = "cannot set more ready pods than active"
        yield invalid_value(_STATUS.child("ready"), ready, detail)


def _success_criteria(change: StatusChange) -> Errors:
    if "SuccessCriteriaMet" in change.true:
        for name in ("Failed", "FailureTarget"):
            if name in change.true:
                yield _refused(f"cannot set SuccessCriteriaMet=True and {name}=true conditions")
    elif "Complete" in change.true and change.spec.get("successPolicy") is not None:
        yield _refused(
            "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        )


def _steps(change: StatusChange) -> Errors:
    """Check that what has been counted, decided or started is not taken back."""
    yield from _no_way_back(change)
    met, was_met = ("SuccessCriteriaMet" in types for types in (change.true, change.was_true))
    if was_met and not met:
        yield _refused("cannot disable the SuccessCriteriaMet=True condition")
    if met and not was_met and "Complete" in change.was_true:
        yield _refused(
            "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        )


def _no_way_back(change: StatusChange) -> Errors:
    for name in _FINAL:
        if name in change.was_true and name not in change.true:
            yield _refused(f"cannot disable the terminal {name}=True condition")
    yield from _not_less(change, "failed")
    # An indexed Job whose completions follow its parallelism can be scaled down.
    scalable = change.spec.get("completionMode") == INDEXED
    if not scalable or change.spec.get("completions") != change.spec.get("parallelism"):
        yield from _not_less(change, "succeeded")
    yield from _times(change)


def _not_less(change: StatusChange, name: str) -> Errors:
    count: Any = change.status.get(name) or 0
    if count < (change.old.get(name) or 0):
        yield invalid_value(_STATUS.child(name), count, f"cannot decrease the {name} counter")


def _times(change: StatusChange) -> Errors:
    time, old_time = change.status.get("completionTime"), change.old.get("completionTime")
    if time and old_time and time != old_time:
        yield invalid_value(_STATUS.child("completionTime"), time, "field is immutable")
    start, old_start = change.status.get("startTime"), change.old.get("startTime")
    resumes = "Suspended" in change.was_true and "Suspended" in conditions_with(
        change.status, "False"
    )
    if old_start and start != old_start and not resumes and not change.spec.get("suspend"):
        detail = "field is immutable for unsuspended job once set"
        yield invalid_value(_STATUS.child("startTime"), start, detail)
