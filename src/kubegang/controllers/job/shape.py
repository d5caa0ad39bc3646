"""Which Jobs are gangs by their shape, and what they get for it, as Kubernetes 1.36 has it.

A Job says nothing about scheduling there. One whose pods all have to run at once, each with an
index of its own, gets a Workload and a PodGroup for all of them; other Jobs get none
(measured on 1.36.3). Pure.
"""

from __future__ import annotations

from typing import NamedTuple

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.jobs import is_indexed
from kubegang.controllers.job.names import pod_group_name, template_name, workload_name
from kubegang.controllers.owners import controller_reference, owner_reference

API_VERSION = "scheduling.k8s.io/v1alpha2"


class Condition(NamedTuple):
    """One thing that makes a Job a gang.

    Attributes:
        field: the path of the field that decides.
        need: what is asked of it.
        holds: whether it is so.
    """

    field: str
    need: str
    holds: bool


def conditions_of(job: JsonObject) -> tuple[Condition, ...]:
    """Return what a Job must be like, whoever owns it, and whether it is."""
    spec = job["spec"]
    parallelism = spec.get("parallelism", 1)
    completions = spec.get("completions")
    named = spec["template"]["spec"].get("schedulingGroup")
    return (
        Condition("spec.parallelism", "parallelism above 1", parallelism > 1),
        Condition("spec.completionMode", "completionMode Indexed", is_indexed(job)),
        Condition(
            "spec.completions", "completions equal to parallelism", completions == parallelism
        ),
        Condition("spec.template.spec.schedulingGroup", "no group named by its pods", not named),
    )


def is_gang(job: JsonObject) -> bool:
    """Return whether a Job gets a group: whoever owns it, and unless its pods name one."""
    return all(condition.holds for condition in conditions_of(job))


def workload_for(job: JsonObject) -> JsonObject:
    """Return the Workload to create for a Job; the pods' priority class is not copied."""
    name = job["metadata"]["name"]
    policy = {"gang": {"minCount": job["spec"]["parallelism"]}}
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
            "podGroupTemplates": [{"name": template_name(name), "schedulingPolicy": policy}],
        },
    }


def pod_group_for(job: JsonObject, workload: JsonObject) -> JsonObject:
    """Return the PodGroup to create from a Job's Workload."""
    name, template = workload["metadata"]["name"], workload["spec"]["podGroupTemplates"][0]
    reference = {"workloadName": name, "podGroupTemplateName": template["name"]}
    return {
        "apiVersion": API_VERSION,
        "kind": "PodGroup",
        "metadata": {
            "name": pod_group_name(name, template["name"]),
            "namespace": job["metadata"]["namespace"],
            "ownerReferences": [controller_reference(job), owner_reference(workload)],
        },
        "spec": {
            "podGroupTemplateRef": {"workload": reference},
            "schedulingPolicy": template["schedulingPolicy"],
        },
    }
