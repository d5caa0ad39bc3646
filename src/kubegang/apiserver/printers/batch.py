"""Jobs and CronJobs."""

from __future__ import annotations

from kubegang.apimachinery.labels import format_label_selector
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import human_duration, parse_time
from kubegang.apiserver.printers.cells import (
    NONE,
    UNSET,
    age,
    container_names_and_images,
    has_true_condition,
    member,
    name,
    number,
    objects,
    since,
    terminating,
    text,
)
from kubegang.apiserver.printers.columns import (
    AGE,
    CONTAINERS,
    IMAGES,
    NAME,
    SELECTOR,
    Cell,
    Column,
    Printer,
)


def _job_cells(job: JsonObject, now: float) -> list[Cell]:
    return [
        name(job),
        _job_status(job),
        _completions(job),
        _duration(job, now),
        age(job, now),
        *container_names_and_images(member(job, "spec", "template", "spec")),
        format_label_selector(member(job, "spec", "selector")),
    ]


def _job_status(job: JsonObject) -> str:
    """Return the most telling word; the order decides where several are true."""
    for condition_type in ("Complete", "Failed"):
        if has_true_condition(job, condition_type):
            return condition_type
    if terminating(job):
        return "Terminating"
    for condition_type in ("Suspended", "FailureTarget", "SuccessCriteriaMet"):
        if has_true_condition(job, condition_type):
            return condition_type
    return "Running"


def _completions(job: JsonObject) -> str:
    """Return how many pods succeeded, of how many; a work queue needs one of its workers."""
    succeeded = number(job, "status", "succeeded")
    completions = member(job, "spec", "completions")
    if completions is not None:
        return f"{succeeded}/{completions}"
    parallelism = number(job, "spec", "parallelism")
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _duration(job: JsonObject, now: float) -> str:
    started = text(job, "status", "startTime")
    if not started:
        return ""
    ended = text(job, "status", "completionTime")
    return human_duration((parse_time(ended) if ended else now) - parse_time(started))


def _cron_job_cells(cron_job: JsonObject, now: float) -> list[Cell]:
    job_spec = member(cron_job, "spec", "jobTemplate", "spec")
    suspend = member(cron_job, "spec", "suspend")
    last = text(cron_job, "status", "lastScheduleTime")
    return [
        name(cron_job),
        text(cron_job, "spec", "schedule"),
        text(cron_job, "spec", "timeZone") or NONE,
        UNSET if suspend is None else str(suspend),
        len(objects(cron_job, "status", "active")),
        since(last, now) if last else NONE,
        age(cron_job, now),
        *container_names_and_images(member(job_spec, "template", "spec")),
        format_label_selector(member(job_spec, "selector")),
    ]


JOB = Printer(
    (
        NAME,
        Column("Status", "Where the job stands."),
        Column("Completions", "Pods that succeeded, of those needed."),
        Column("Duration", "Time from its start to its end, or until now."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _job_cells,
)

CRON_JOB = Printer(
    (
        NAME,
        Column("Schedule", "When jobs are made."),
        Column("Timezone", "The time zone of the schedule."),
        Column("Suspend", "Whether no jobs are made for now.", value_type="boolean"),
        Column("Active", "Jobs that run.", value_type="integer"),
        Column("Last Schedule", "Time since a job was made last."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _cron_job_cells,
)
