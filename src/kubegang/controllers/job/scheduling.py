"""The Workload and PodGroup of a Job, by the rules of Kubernetes 1.37 (KEP-5547). Pure.

Every Job without a controller gets both; without ``spec.scheduling`` the group is a basic
one. A Job that belongs to another controller gets a PodGroup only if it names, by
annotation, a template of its owner's Workload.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.names import pod_group_name, template_name, workload_name
from kubegang.controllers.owners import controller_of, controller_reference, owner_reference

TEMPLATE_ANNOTATION = "scheduling.k8s.io/group-template-name"
API_VERSION = "scheduling.k8s.io/v1beta1"

Management = Literal["none", "both", "pod-group-only"]


def management(job: JsonObject) -> Management:
    """Return which scheduling objects the Job controller makes for a Job."""
    template_spec = job["spec"]["template"]["spec"]
    if template_spec.get("schedulingGroup"):
        return "none"
    if controller_of(job) is None:
        return "both"
    annotations = job["metadata"].get("annotations") or {}
    return "pod-group-only" if annotations.get(TEMPLATE_ANNOTATION) else "none"


def never_started(job: JsonObject, *, pod_count: int) -> bool:
    """Return whether objects may still be made: they come before the first pod or never."""
    status = job.get("status") or {}
    counted = any(status.get(name) for name in ("startTime", "succeeded", "failed"))
    suspended = any(c["type"] == "Suspended" for c in status.get("conditions") or [])
    going = bool(job["metadata"].get("deletionTimestamp"))
    return not counted and not suspended and not going and pod_count == 0


def workload_for(job: JsonObject) -> JsonObject:
    """Return the Workload to create for a Job."""
    name = job["metadata"]["name"]
    return {
        "apiVersion": API_VERSION,
        "kind": "Workload",
        "metadata": {
            "name": workload_name(name, job["metadata"]["uid"]),
            "namespace": job["metadata"]["namespace"],
            "ownerReferences": [controller_reference(job)],
        },
        "spec": {
            "controllerRef": {"apiGroup": "batch", "kind": "Job", "name": name},
            "podGroupTemplates": [_template(job)],
        },
    }


def pod_group_for(job: JsonObject, workload: JsonObject, template: JsonObject) -> JsonObject:
    """Return the PodGroup to create from a template of a Workload.

    The Workload is a second, plain owner if the Job controls it; a delegated Job's group
    belongs to the Job alone.
    """
    owners = [controller_reference(job)]
    controller = controller_of(workload)
    if controller is not None and controller["uid"] == job["metadata"]["uid"]:
        owners.append(owner_reference(workload))
    workload_ref = {
        "workloadName": workload["metadata"]["name"],
        "templateName": template["name"],
    }
    copied = {
        field: value for field, value in template.items() if field != "name" and value is not None
    }
    return {
        "apiVersion": API_VERSION,
        "kind": "PodGroup",
        "metadata": {
            "name": pod_group_name(workload["metadata"]["name"], template["name"]),
            "namespace": job["metadata"]["namespace"],
            "ownerReferences": owners,
        },
        "spec": {**copied, "workloadRef": workload_ref},
    }


def index_by_workload(group: JsonObject) -> list[str]:
    """Return the index key of a PodGroup: the namespace and name of its Workload."""
    reference = group["spec"].get("workloadRef")
    return [f"{group['metadata']['namespace']}/{reference['workloadName']}"] if reference else []


def template_of(workload: JsonObject, name: str = "") -> JsonObject | None:
    """Return a template of a Workload: the one of that name, or the only one."""
    templates = workload["spec"].get("podGroupTemplates") or []
    if not name:
        return templates[0] if len(templates) == 1 else None
    return next((template for template in templates if template["name"] == name), None)


def min_count_of(template: JsonObject) -> int | None:
    """Return the minimum of a template, ``None`` unless it is a gang's."""
    gang = template["schedulingPolicy"].get("gang")
    return None if gang is None else int(gang["minCount"])


def wanted_min_count(job: JsonObject) -> int | None:
    """Return the gang's minimum as the Job resolves it, or ``None`` for a basic group."""
    policy = (job["spec"].get("scheduling") or {}).get("schedulingPolicy") or {}
    gang = policy.get("gang")
    if gang is None:
        return None
    count = gang.get("minCount")
    return int(count) if count is not None else max(1, int(job["spec"].get("parallelism", 1)))


class MinCountChange(msgspec.Struct, frozen=True):
    """A merge patch that brings a Workload or a PodGroup to the Job's minimum."""

    patch: JsonObject


def workload_change(workload: JsonObject, min_count: int | None) -> MinCountChange | None:
    """Return what to change in the Job's own Workload, if anything."""
    templates = workload["spec"].get("podGroupTemplates") or []
    if min_count is None or len(templates) != 1:
        return None
    gang = (templates[0].get("schedulingPolicy") or {}).get("gang")
    if gang is None or gang.get("minCount") == min_count:
        return None
    changed = {**templates[0], "schedulingPolicy": {"gang": {"minCount": min_count}}}
    return MinCountChange({"spec": {"podGroupTemplates": [changed]}})


def pod_group_change(group: JsonObject, min_count: int | None) -> MinCountChange | None:
    """Return what to change in the Job's PodGroup, if anything."""
    gang = group["spec"]["schedulingPolicy"].get("gang")
    if min_count is None or gang is None or gang.get("minCount") == min_count:
        return None
    return MinCountChange({"spec": {"schedulingPolicy": {"gang": {"minCount": min_count}}}})


def _template(job: JsonObject) -> JsonObject:
    scheduling = job["spec"].get("scheduling") or {}
    min_count = wanted_min_count(job)
    policy: JsonObject = {"basic": {}} if min_count is None else {"gang": {"minCount": min_count}}
    template: JsonObject = {
        "name": template_name(job["metadata"]["name"]),
        "schedulingPolicy": policy,
    }
    for field in ("schedulingConstraints", "disruptionMode", "resourceClaims"):
        if scheduling.get(field) is not None:
            template[field] = scheduling[field]
    priority_class = job["spec"]["template"]["spec"].get("priorityClassName")
    if priority_class:
        template["priorityClassName"] = priority_class
    return template
