"""What an update of a Job may change.

Pure.
"""

from __future__ import annotations

from typing import Any

from kubegang.api.validation.checks import IMMUTABLE, Errors, unchanged
from kubegang.api.validation.internal_form import internal_form, invalid_json
from kubegang.api.validation.jobs.policies import INDEXED
from kubegang.api.validation.jobs.scheduling import (
    validate_scheduling_rows,
    validate_scheduling_update,
)
from kubegang.api.validation.jobs.spec import SPEC, validate_job_spec, validate_pod_hostnames
from kubegang.apimachinery.field import Path, invalid_value
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

# Unsuspending a Job that had run once lets its template change as for one that had not
# (KEP-5440); each gate frees one part of it.
_RESOURCES_GATE = "MutablePodResourcesForSuspendedJobs"
_DIRECTIVES_GATE = "MutableSchedulingDirectivesForSuspendedJobs"

_TEMPLATE = SPEC.child("template")

# How a pod is placed, apart from affinity, of which only the nodes' part may change.
_DIRECTIVES = ("NodeSelector", "Tolerations", "SchedulingGates")

Form = dict[str, Any]
"""A pod spec or template in its internal form."""


def validate_job_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed Job."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from validate_job_spec(spec, gates, old_spec=old_spec)
    yield from _completions(spec, old_spec)
    yield from _frozen("selector", "selector", spec, old_spec)
    yield from _template_update(spec, old, gates)
    yield from unchanged(
        SPEC.child("completionMode"), spec.get("completionMode"), old_spec.get("completionMode")
    )
    yield from _frozen("podFailurePolicy", "*PodFailurePolicy", spec, old_spec)
    yield from _frozen("backoffLimitPerIndex", "*", spec, old_spec)
    yield from _frozen("managedBy", "*", spec, old_spec)
    yield from _frozen("successPolicy", "*SuccessPolicy", spec, old_spec)
    yield from validate_scheduling_update(spec, old_spec, SPEC)
    yield from validate_pod_hostnames(new)
    yield from validate_scheduling_rows(spec, old_spec, gates)


def _completions(spec: JsonObject, old_spec: JsonObject) -> Errors:
    """Check that completions change only for indexed Jobs, together with parallelism."""
    path = SPEC.child("completions")
    completions = spec.get("completions")
    if completions == old_spec.get("completions"):
        return
    if spec.get("completionMode") != INDEXED:
        yield invalid_value(path, completions, IMMUTABLE)
    elif completions is not None and completions != (spec.get("parallelism") or 0):
        detail = "can only be modified in tandem with spec.parallelism"
        yield invalid_value(path, completions, detail)


def _frozen(name: str, kind: str, spec: JsonObject, old_spec: JsonObject) -> Errors:
    if spec.get(name) == old_spec.get(name):
        return
    form = internal_form(kind, spec.get(name))
    if form != internal_form(kind, old_spec.get(name)):
        yield invalid_json(SPEC.child(name), form, IMMUTABLE)


def _template_update(spec: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check the pod template: frozen, except for some parts while nothing runs."""
    old_spec = old.get("spec") or {}
    if spec.get("template") == old_spec.get("template"):
        return
    template = internal_form("PodTemplateSpec", spec.get("template"))
    old_template = internal_form("PodTemplateSpec", old_spec.get("template"))
    idle = _is_idle(old)
    not_started = bool(old_spec.get("suspend")) and not _status(old).get("startTime")
    movable = idle if gates.enabled_if_known(_DIRECTIVES_GATE) else not_started
    if movable:
        _adopt_directives(old_template, template)
    if idle and gates.enabled_if_known(_RESOURCES_GATE):
        # Upstream compares only the specs then: labels and annotations are directives.
        _adopt_resources(old_template["Spec"], template["Spec"])
        yield from _same(template["Spec"], old_template["Spec"], _TEMPLATE.child("spec"))
    else:
        yield from _same(template, old_template, _TEMPLATE)


def _is_idle(job: JsonObject) -> bool:
    """Return whether a Job is suspended and none of its pods runs any more."""
    status = _status(job)
    conditions = status.get("conditions") or ()
    suspended = any(c.get("type") == "Suspended" and c.get("status") == "True" for c in conditions)
    if not (job.get("spec") or {}).get("suspend") or status.get("active"):
        return False
    return suspended or not status.get("startTime")


def _status(job: JsonObject) -> JsonObject:
    return job.get("status") or {}


def _same(form: Form, old_form: Form, path: Path) -> Errors:
    if form != old_form:
        yield invalid_json(path, form, IMMUTABLE)


def _adopt_directives(old: Form, new: Form) -> None:
    """Make alike in both templates what says where pods may run."""
    for name in ("labels", "annotations"):
        old.pop(name, None)
        if name in new:
            old[name] = new[name]
    for name in _DIRECTIVES:
        old["Spec"][name] = new["Spec"][name]
    affinity, old_affinity = new["Spec"]["Affinity"], old["Spec"]["Affinity"]
    nodes = None if affinity is None else affinity["NodeAffinity"]
    merged = {**(old_affinity or internal_form("Affinity", {})), "NodeAffinity": nodes}
    gone = affinity is None and not any(merged.values())
    old["Spec"]["Affinity"] = None if gone else merged


def _adopt_resources(old: Form, new: Form) -> None:
    """Make alike in both pod specs what containers that are still the same ask for."""
    for name in ("Containers", "InitContainers"):
        containers, old_containers = new[name] or (), old[name] or ()
        if len(containers) != len(old_containers):
            continue
        for container, old_container in zip(containers, old_containers, strict=True):
            if container["Name"] == old_container["Name"]:
                old_container["Resources"] = container["Resources"]
