"""Traces of jobs: what was submitted when, and how long it ran. Pure.

Two forms. A CSV file has a header with the columns job_id, submission_time, duration and
num_gpu, in seconds, as public traces do; further columns are passed over. A YAML document of
kind JobTrace says for each job what its pods ask for.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity, QuantityError

API_VERSION: Final = "kubegang.dev/v1alpha1"
KIND: Final = "JobTrace"
MOST_PODS: Final = 100_000
"""Of one job; no cluster of Kubernetes is meant for more than 150,000 pods in all."""

MOST_SECONDS: Final = 1e9
"""Of a moment or a duration: thirty years are enough, and calendars end."""

COLUMNS: Final = ("job_id", "submission_time", "duration", "num_gpu")


_AT: Final = re.compile(r"at `\$\.?(?P<path>[^`]*)`")


class TraceError(ValueError):
    """A trace that cannot be used; the text says why, of a CSV file also in which line.

    Attributes:
        field: the path of what is wrong in a document.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        """Take text and path."""
        super().__init__(message)
        self.field = field


class TraceJob(msgspec.Struct, frozen=True, kw_only=True):
    """One job.

    Attributes:
        submitted: seconds since the trace began.
        duration: how long it runs once all its pods have a node.
        pods: how many it has.
        gang: whether they start together or not at all.
        requests: what each pod asks for.
        topology_key: the label whose value all its nodes must share, or empty.
    """

    name: str
    submitted: float
    duration: float
    pods: int = 1
    gang: bool = False
    requests: Mapping[str, str] = {}
    priority: int = 0
    topology_key: str = ""


class _WrittenJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    name: str
    submitted: float
    duration: float
    pods: int = 1
    requests: Mapping[str, str | int] = {}
    priority: int = 0
    topology_key: str = ""


class _WrittenTrace(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    api_version: str
    kind: str
    jobs: tuple[_WrittenJob, ...]


def parse_csv(text: str, *, resource: str, per_node: int) -> tuple[TraceJob, ...]:
    """Read a trace of GPU jobs.

    A job of more GPUs than a node has becomes a gang of pods that take a node each.

    Args:
        text: the file.
        resource: what its GPUs are called.
        per_node: how many of them the largest node has.

    Raises:
        TraceError: a column is missing, or a value is none.
    """
    reader = csv.DictReader(io.StringIO(text))
    try:
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise TraceError(f"1: no column {', '.join(missing)}; need {', '.join(COLUMNS)}")
        jobs = tuple(_csv_jobs(reader, resource, per_node))
    except csv.Error as error:
        raise TraceError(f"{reader.line_num + 1}: {error}") from error
    return _in_order(jobs, at="1: ")


def _csv_jobs(reader: csv.DictReader[str], resource: str, per_node: int) -> Iterator[TraceJob]:
    for row in reader:
        where = f"{reader.line_num}"
        gpus = _number(row, "num_gpu", where)
        if gpus != int(gpus):
            raise TraceError(f"{where}: num_gpu must be a whole number, found {row['num_gpu']}")
        pods = math.ceil(gpus / per_node) if per_node and gpus > per_node else 1
        if pods > MOST_PODS:
            raise TraceError(f"{where}: num_gpu makes {pods} pods, more than {MOST_PODS}")
        each = per_node if pods > 1 else int(gpus)
        yield TraceJob(
            name=row["job_id"] or f"line {where}",
            submitted=_number(row, "submission_time", where),
            duration=_number(row, "duration", where),
            pods=pods,
            gang=pods > 1,
            requests={resource: str(each)} if each else {},
        )


def _number(row: Mapping[str, str | None], column: str, where: str) -> float:
    try:
        value = float(row[column] or "")
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise TraceError(f"{where}: {column} must be a number of 0 or more, found {row[column]!r}")
    if value > MOST_SECONDS:
        raise TraceError(f"{where}: {column} must be {MOST_SECONDS:.0f} or less")
    return value


def parse_document(document: JsonObject) -> tuple[TraceJob, ...]:
    """Read a trace of kind JobTrace.

    Raises:
        TraceError: a field is unknown, missing or of the wrong type, or breaks a rule.
    """
    try:
        trace = msgspec.convert(document, _WrittenTrace)
    except msgspec.ValidationError as error:
        at = _AT.search(str(error))
        raise TraceError(str(error), field=at["path"] if at else "") from error
    if trace.api_version != API_VERSION or trace.kind != KIND:
        found = f"{trace.api_version} and {trace.kind}"
        raise TraceError(f"need apiVersion {API_VERSION} and kind {KIND}, found {found}")
    return _in_order(
        tuple(_written_job(job, f"jobs[{number}]") for number, job in enumerate(trace.jobs))
    )


def _written_job(job: _WrittenJob, where: str) -> TraceJob:
    for field, value, least in (
        ("submitted", job.submitted, 0),
        ("duration", job.duration, 0),
        ("pods", job.pods, 1),
    ):
        if not (math.isfinite(value) and value >= least):
            path = f"{where}.{field}"
            raise TraceError(f"{path}: need {least} or more, found {value:g}", field=path)
        if value > MOST_SECONDS:
            raise TraceError(f"{path}: need {MOST_SECONDS:.0f} or less", field=path)
    if job.pods > MOST_PODS:
        path = f"{where}.pods"
        raise TraceError(f"{path}: need {MOST_PODS} or less, found {job.pods}", field=path)
    requests = {resource: str(amount) for resource, amount in job.requests.items()}
    for resource, amount in requests.items():
        try:
            Quantity.parse(amount)
        except QuantityError as error:
            path = f"{where}.requests[{resource}]"
            raise TraceError(f"{path}: {error}", field=path) from error
    return TraceJob(
        name=job.name,
        submitted=job.submitted,
        duration=job.duration,
        pods=job.pods,
        gang=job.pods > 1,
        requests=requests,
        priority=job.priority,
        topology_key=job.topology_key,
    )


def _in_order(jobs: tuple[TraceJob, ...], *, at: str = "") -> tuple[TraceJob, ...]:
    if not jobs:
        raise TraceError(f"{at}there are no jobs", field="jobs")
    return tuple(sorted(jobs, key=lambda job: job.submitted))
