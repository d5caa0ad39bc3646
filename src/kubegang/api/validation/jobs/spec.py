"""A Job as it is created, and its spec at any time.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.internal_form import invalid_json, selector_form
from kubegang.api.validation.jobs.numbers import validate_numbers
from kubegang.api.validation.jobs.policies import INDEXED, validate_policies
from kubegang.api.validation.jobs.scheduling import (
    validate_scheduling,
    validate_scheduling_rows,
)
from kubegang.api.validation.labels import validate_selector
from kubegang.api.validation.metadata import METADATA, MetadataRules, validate_metadata
from kubegang.api.validation.pods.create import validate_pod_template
from kubegang.apimachinery.field import (
    Path,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.labels import SelectorError, label_selector_of
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

SPEC = Path("spec")

CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
JOB_NAME = "batch.kubernetes.io/job-name"
_OLD_LABELS = ("controller-uid", "job-name")

_RESTART_POLICIES = ("OnFailure", "Never")


def validate_job(job: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new Job, whose selector has been generated unless it has its own."""
    yield from _generated_selector(job)
    yield from validate_job_spec(job.get("spec") or {}, gates)
    yield from validate_pod_hostnames(job)
    yield from validate_scheduling_rows(job.get("spec") or {}, None, gates)


def validate_changed_job_as_new(job: JsonObject, gates: FeatureGates) -> Errors:
    """Check what 1.36 and 1.35 check of a changed Job before they look at the change."""
    yield from validate_metadata(job.get("metadata") or {}, MetadataRules(is_dns1123_subdomain))
    yield from _generated_selector(job)
    yield from validate_job_spec(job.get("spec") or {}, gates)
    yield from validate_pod_hostnames(job)


def validate_job_spec(
    spec: JsonObject, gates: FeatureGates, *, old_spec: JsonObject | None = None
) -> Errors:
    """Check the spec of a Job, new or changed."""
    yield from validate_made_job_spec(spec, gates, old_spec=old_spec, path=SPEC)
    yield from _selector(spec)


def validate_made_job_spec(
    spec: JsonObject, gates: FeatureGates, *, old_spec: JsonObject | None, path: Path
) -> Errors:
    """Check a Job's spec without its selector, which Jobs made from a template get later."""
    yield from validate_numbers(spec, path)
    yield from validate_policies(spec, path)
    yield from validate_scheduling(spec, path)
    yield from _template(spec, gates, old_spec, path=path.child("template"))


def validate_pod_hostnames(job: JsonObject) -> Errors:
    """Check that the pods of an indexed Job, named after it, can have hostnames."""
    spec, name = job.get("spec") or {}, (job.get("metadata") or {}).get("name") or ""
    completions = spec.get("completions") or 0
    if spec.get("completionMode") != INDEXED or completions <= 0:
        return
    longest = f"{name}-{completions - 1}"
    if is_dns1123_label(longest):
        detail = f"will not able to create pod with invalid DNS label: {longest}"
        yield invalid_value(METADATA.child("name"), name, detail)


def _generated_selector(job: JsonObject) -> Errors:
    """Check that the labels and the selector of the Job's pods are its own."""
    spec, metadata = job.get("spec") or {}, job.get("metadata") or {}
    if spec.get("manualSelector") or spec.get("selector") is None:
        return
    uid, name = metadata.get("uid") or "", metadata.get("name") or ""
    if not uid:
        yield required(METADATA.child("uid"))
    expected = dict(zip((*_OLD_LABELS, CONTROLLER_UID, JOB_NAME), (uid, name) * 2, strict=True))
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    for key, value in expected.items():
        path = SPEC.child("template", "metadata", "labels").key(key)
        if key not in labels:
            yield required(path, f"must be '{value}'")
        elif labels[key] != value:
            yield invalid_value(path, dict(sorted(labels.items())), f"must be '{value}'")
    if not _selects(spec["selector"], expected):
        form = selector_form(spec["selector"])
        yield invalid_json(SPEC.child("selector"), form, "`selector` not auto-generated")


def _template(
    spec: JsonObject, gates: FeatureGates, old_spec: JsonObject | None, *, path: Path
) -> Errors:
    template = spec.get("template") or {}
    old_template = (old_spec or {}).get("template") or {}
    yield from validate_pod_template(template, path, gates, old_spec=old_template.get("spec"))
    where = path.child("spec", "restartPolicy")
    policy = (template.get("spec") or {}).get("restartPolicy") or ""
    if policy in ("", "Always"):
        # A template that says nothing has been given Always.
        yield required(where, 'valid values: "OnFailure", "Never"')
    elif policy not in _RESTART_POLICIES:
        yield not_supported(where, policy, _RESTART_POLICIES)
    elif policy != "Never" and spec.get("podFailurePolicy") is not None:
        detail = 'only "Never" is supported when podFailurePolicy is specified'
        yield invalid_value(where, policy, detail)


def _selector(spec: JsonObject) -> Errors:
    selector = spec.get("selector")
    if selector is None:
        yield required(SPEC.child("selector"))
    else:
        yield from validate_selector(selector, SPEC.child("selector"))
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    if not _selects(selector, labels):
        path = SPEC.child("template", "metadata", "labels")
        shown = dict(sorted(labels.items())) or None
        yield invalid_value(path, shown, "`selector` does not match template `labels`")


def _selects(selector: JsonObject | None, labels: dict[str, str]) -> bool:
    try:
        return label_selector_of(selector).matches(labels)
    except SelectorError:
        # Told by the selector's own rules.
        return True
