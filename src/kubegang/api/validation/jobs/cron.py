"""CronJobs: when, and the Job that they make.

Pure.
"""

from __future__ import annotations

import re
import zoneinfo

from kubegang.api.validation.checks import Errors, not_negative, required_one_of
from kubegang.api.validation.internal_form import invalid_json, selector_form
from kubegang.api.validation.jobs.scheduling import validate_scheduling_rows
from kubegang.api.validation.jobs.spec import validate_made_job_spec
from kubegang.api.validation.metadata import METADATA
from kubegang.apimachinery.cronschedule import ScheduleError, parse_schedule
from kubegang.apimachinery.field import Path, invalid_value, not_supported, required
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_JOB_SPEC = _SPEC.child("jobTemplate", "spec")
_POLICIES = ("Allow", "Forbid", "Replace")
_ZONE_PART = re.compile(r"[A-Za-z0-9._+][A-Za-z0-9._+-]*")
# A Job is named after its CronJob with a time appended.
_MAX_NAME = 52


def validate_cron_job(cron_job: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new CronJob."""
    yield from _spec(cron_job.get("spec") or {}, None, gates)
    name = (cron_job.get("metadata") or {}).get("name") or ""
    if len(name) > _MAX_NAME:
        detail = f"must be no more than {_MAX_NAME} characters"
        yield invalid_value(METADATA.child("name"), name, detail)
    yield from validate_scheduling_rows(_job_spec(cron_job), None, gates, path=_JOB_SPEC)


def validate_cron_job_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed CronJob: everything may change, but Jobs must still come out right."""
    yield from _spec(new.get("spec") or {}, old.get("spec") or {}, gates)
    yield from validate_scheduling_rows(_job_spec(new), _job_spec(old), gates, path=_JOB_SPEC)


def _job_spec(cron_job: JsonObject) -> JsonObject:
    template = (cron_job.get("spec") or {}).get("jobTemplate") or {}
    spec: JsonObject = template.get("spec") or {}
    return spec


def _spec(spec: JsonObject, old_spec: JsonObject | None, gates: FeatureGates) -> Errors:
    yield from _schedule(spec, old_spec)
    deadline = spec.get("startingDeadlineSeconds")
    yield from not_negative(_SPEC.child("startingDeadlineSeconds"), deadline)
    if old_spec is None or spec.get("timeZone") != old_spec.get("timeZone"):
        yield from _time_zone(spec.get("timeZone"))
    policy = spec.get("concurrencyPolicy")
    yield from required_one_of(_SPEC.child("concurrencyPolicy"), policy, _POLICIES)
    yield from _job_template(spec, old_spec, gates)
    for name in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        yield from not_negative(_SPEC.child(name), spec.get(name))


def _schedule(spec: JsonObject, old_spec: JsonObject | None) -> Errors:
    path, text = _SPEC.child("schedule"), spec.get("schedule") or ""
    if not text:
        yield required(path)
        return
    if problem := _schedule_problem(text):
        yield invalid_value(path, text, problem)
    if "TZ" not in text:
        return
    # Old objects may have it from the time before there was a field for the zone.
    if "TZ" not in ((old_spec or {}).get("schedule") or ""):
        detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        yield invalid_value(path, text, detail)
    elif spec.get("timeZone") is not None:
        detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
        yield invalid_value(path, text, detail)


def _schedule_problem(text: str) -> str:
    try:
        zone = parse_schedule(text).time_zone
    except ScheduleError as error:
        return str(error)
    if zone and not _zone_exists(zone):
        return f"provided bad location {zone}: unknown time zone {zone}"
    return ""


def _time_zone(zone: str | None) -> Errors:
    path = _SPEC.child("timeZone")
    if zone is None:
        return
    if not zone:
        yield invalid_value(path, zone, "timeZone must be nil or non-empty string")
        return
    parts = zone.split("/")
    if not all(_ZONE_PART.fullmatch(part) and part not in (".", "..") for part in parts):
        yield invalid_value(path, zone, f"unknown time zone {zone}")
        return
    if zone.lower() == "local":
        detail = (
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        )
        yield invalid_value(path, zone, detail)
        if zone == "Local":
            return
    if not _zone_exists(zone):
        yield invalid_value(path, zone, f"unknown time zone {zone}")


def _zone_exists(zone: str) -> bool:
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _job_template(spec: JsonObject, old_spec: JsonObject | None, gates: FeatureGates) -> Errors:
    job = (spec.get("jobTemplate") or {}).get("spec") or {}
    old_job = ((old_spec or {}).get("jobTemplate") or {}).get("spec")
    yield from validate_made_job_spec(job, gates, old_spec=old_job, path=_JOB_SPEC)
    if (selector := job.get("selector")) is not None:
        detail = "`selector` will be auto-generated"
        yield invalid_json(_JOB_SPEC.child("selector"), selector_form(selector), detail)
    if job.get("manualSelector"):
        yield not_supported(
            _JOB_SPEC.child("manualSelector"), job["manualSelector"], ("nil", "false")
        )
