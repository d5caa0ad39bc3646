"""Pods made from a Job's template, with the marks by which the Job knows them. Pure."""

from __future__ import annotations

import copy

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.indexes import COMPLETION_INDEX
from kubegang.controllers.job.tally import TRACKING_FINALIZER
from kubegang.controllers.owners import controller_reference


def pod_for(job: JsonObject, *, index: int | None, pod_group: str) -> JsonObject:
    """Return the pod to create for a Job.

    Args:
        job: the Job, as the API server returned it.
        index: the completion index of an Indexed Job, else ``None``.
        pod_group: the PodGroup it joins; empty leaves the template's schedulingGroup alone.
    """
    template = copy.deepcopy(job["spec"]["template"])
    metadata = template.get("metadata") or {}
    name = job["metadata"]["name"]
    pod: JsonObject = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": f"{name}-" if index is None else f"{name}-{index}-",
            "namespace": job["metadata"]["namespace"],
            "labels": dict(metadata.get("labels") or {}),
            "annotations": dict(metadata.get("annotations") or {}),
            "finalizers": [*(metadata.get("finalizers") or []), TRACKING_FINALIZER],
            "ownerReferences": [controller_reference(job)],
        },
        "spec": template["spec"],
    }
    if index is not None:
        _add_index(pod, name, index)
    if pod_group:
        pod["spec"]["schedulingGroup"] = {"podGroupName": pod_group}
    return pod


def _add_index(pod: JsonObject, job_name: str, index: int) -> None:
    pod["metadata"]["annotations"][COMPLETION_INDEX] = str(index)
    pod["metadata"]["labels"][COMPLETION_INDEX] = str(index)
    pod["spec"]["hostname"] = f"{job_name}-{index}"
    variable = {
        "name": "JOB_COMPLETION_INDEX",
        "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}},
    }
    for container in [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]:
        environment = container.setdefault("env", [])
        if all(entry["name"] != variable["name"] for entry in environment):
            environment.append(copy.deepcopy(variable))
