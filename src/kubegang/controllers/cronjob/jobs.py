"""The Jobs of CronJobs: what a new one looks like, and which of the old ones may go. Pure."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from datetime import datetime

from kubegang.apimachinery.conditions import is_true
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time
from kubegang.controllers.cronjob.times import zone_of
from kubegang.controllers.owners import controller_reference

SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
"""Annotation of a Job: the time it was made for, in the CronJob's time zone."""


def job_name(cron_job: JsonObject, moment: float) -> str:
    """Return the name of the Job for a time: two attempts for one time make one Job."""
    return f"{cron_job['metadata']['name']}-{int(moment) // 60}"


def job_for(cron_job: JsonObject, moment: float) -> JsonObject:
    """Return the Job to create for a time."""
    template = copy.deepcopy(cron_job["spec"]["jobTemplate"])
    metadata = template.get("metadata") or {}
    local = datetime.fromtimestamp(moment, zone_of(cron_job))
    scheduled_at = local.isoformat(timespec="seconds").replace("+00:00", "Z")
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": job_name(cron_job, moment),
            "namespace": cron_job["metadata"]["namespace"],
            "labels": metadata.get("labels") or {},
            "annotations": {**(metadata.get("annotations") or {}), SCHEDULED_AT: scheduled_at},
            "ownerReferences": [controller_reference(cron_job)],
        },
        "spec": template["spec"],
    }


def ending_of(job: JsonObject) -> str:
    """Return the condition by which a Job has ended: Complete or Failed, empty for neither."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if condition["type"] in ("Complete", "Failed") and condition["status"] == "True":
            return str(condition["type"])
    return ""


def has_succeeded(job: JsonObject) -> bool:
    """Return whether a Job is complete."""
    return is_true((job.get("status") or {}).get("conditions"), "Complete")


def surplus(cron_job: JsonObject, jobs: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the ended Jobs beyond the history limits, the oldest first."""
    spec = cron_job["spec"]
    found: list[JsonObject] = []
    for ending, field in (
        ("Complete", "successfulJobsHistoryLimit"),
        ("Failed", "failedJobsHistoryLimit"),
    ):
        limit = spec.get(field)
        if limit is not None:
            ended = sorted((job for job in jobs if ending_of(job) == ending), key=_age)
            found += ended[: max(0, len(ended) - int(limit))]
    return found


def _age(job: JsonObject) -> tuple[float, str]:
    """Return a key that puts the Job first that began first; one that never did comes last."""
    started = (job.get("status") or {}).get("startTime")
    return parse_time(started) if started else math.inf, job["metadata"]["name"]
