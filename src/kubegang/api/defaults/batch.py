"""Defaults of the batch group.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from kubegang.api.defaults.members import member
from kubegang.api.defaults.pods import default_pod_spec
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_BACKOFF_LIMIT = 6
_SUCCESSFUL_JOBS = 3
_FAILED_JOBS = 1
_MAX_INT32 = 2**31 - 1

_CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
_OLD_CONTROLLER_UID = "controller-uid"
_JOB_NAME = "batch.kubernetes.io/job-name"
_OLD_JOB_NAME = "job-name"


def default_job(job: JsonObject, _gates: FeatureGates) -> None:
    """Fill in a Job and its pod template."""
    spec = member(job, "spec")
    if spec.get("parallelism") is None:
        if spec.get("completions") is None:
            spec["completions"] = 1
        spec["parallelism"] = 1
    if spec.get("backoffLimit") is None:
        per_index = spec.get("backoffLimitPerIndex") is not None
        spec["backoffLimit"] = _MAX_INT32 if per_index else _BACKOFF_LIMIT
    if spec.get("completionMode") is None:
        spec["completionMode"] = "NonIndexed"
    if spec.get("suspend") is None:
        spec["suspend"] = False
    if spec.get("manualSelector") is None:
        spec["manualSelector"] = False
    _default_policies(spec)
    template = member(spec, "template")
    _default_labels(job, template)
    default_pod_spec(member(template, "spec"))


def default_cron_job(cron_job: JsonObject, _gates: FeatureGates) -> None:
    """Fill in a CronJob; what a Job itself defaults waits until one is made."""
    spec = member(cron_job, "spec")
    for name, value in (
        ("concurrencyPolicy", "Allow"),
        ("successfulJobsHistoryLimit", _SUCCESSFUL_JOBS),
        ("failedJobsHistoryLimit", _FAILED_JOBS),
    ):
        if spec.get(name) in (None, ""):
            spec[name] = value
    if spec.get("suspend") is None:
        spec["suspend"] = False
    job = member(member(spec, "jobTemplate"), "spec")
    _default_condition_statuses(job)
    default_pod_spec(member(member(job, "template"), "spec"))


def generate_selector(job: JsonObject) -> None:
    """Make a Job select its own pods: by its UID, which the template's labels carry.

    Done when a Job is created, once it has name and UID, unless ``manualSelector`` is set.
    Labels that are there already stay; if they contradict, validation says so.
    """
    spec = job["spec"]
    if spec.get("manualSelector"):
        return
    metadata = member(spec["template"], "metadata")
    labels = metadata.get("labels")
    if labels is None:
        labels = metadata["labels"] = {}
    name, uid = job["metadata"]["name"], job["metadata"]["uid"]
    for label, value in (
        (_OLD_JOB_NAME, name),
        (_JOB_NAME, name),
        (_OLD_CONTROLLER_UID, uid),
        (_CONTROLLER_UID, uid),
    ):
        labels.setdefault(label, value)
    selector = spec.get("selector")
    if selector is None:
        selector = spec["selector"] = {}
    if selector.get("matchLabels") is None:
        selector["matchLabels"] = {}
    selector["matchLabels"].setdefault(_CONTROLLER_UID, uid)


def _default_policies(spec: JsonObject) -> None:
    failure_policy = spec.get("podFailurePolicy")
    if spec.get("podReplacementPolicy") is None:
        policy = "Failed" if failure_policy is not None else "TerminatingOrFailed"
        spec["podReplacementPolicy"] = policy
    _default_condition_statuses(spec)


def _default_condition_statuses(spec: JsonObject) -> None:
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            if not pattern.get("status"):
                pattern["status"] = "True"


def _default_labels(job: JsonObject, template: JsonObject) -> None:
    """A Job without labels has its template's.

    It is one mapping in both places, as upstream: what ``generate_selector`` adds to the
    template then shows on the Job too. A deep copy keeps it so; encoding does not.
    """
    labels = (template.get("metadata") or {}).get("labels")
    metadata = member(job, "metadata")
    if labels is not None and not metadata.get("labels"):
        metadata["labels"] = labels
