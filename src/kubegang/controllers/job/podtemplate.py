"""Pods made from a Job's template, with the marks by which the Job knows them. Pure."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.indexes import COMPLETION_INDEX
from kubegang.controllers.job.perindex import failure_annotations
from kubegang.controllers.job.pods import TRACKING_FINALIZER
from kubegang.controllers.owners import controller_reference

LONGEST_PREFIX = 58
"""Of a generated name, so that five random characters still fit into a label."""


def pods_for(
    job: JsonObject,
    indexes: Sequence[int | None],
    *,
    pod_group: str,
    last_failures: Mapping[int, JsonObject] | None,
) -> list[JsonObject]:
    """Return the pods to create for a Job.

    Args:
        job: the Job, as the API server returned it.
        indexes: completion indexes of an Indexed Job, else ``None`` for each pod.
        pod_group: the PodGroup they join; empty leaves the template's schedulingGroup alone.
        last_failures: the failed pod that each replaces, if the Job counts by index.
    """
    pods = []
    for index in indexes:
        pod = _pod(job, pod_group)
        if index is not None:
            _add_index(pod, job, index)
            if last_failures is not None:
                carried = failure_annotations(job, last_failures.get(index))
                pod["metadata"]["annotations"].update(carried)
        pods.append(pod)
    return pods


def _pod(job: JsonObject, pod_group: str) -> JsonObject:
    template = copy.deepcopy(job["spec"]["template"])
    metadata = template.get("metadata") or {}
    finalizers = metadata.get("finalizers") or []
    if TRACKING_FINALIZER not in finalizers:
        finalizers = [*finalizers, TRACKING_FINALIZER]
    pod: JsonObject = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": f"{job['metadata']['name']}-",
            "namespace": job["metadata"]["namespace"],
            "labels": dict(metadata.get("labels") or {}),
            "annotations": dict(metadata.get("annotations") or {}),
            "finalizers": finalizers,
            "ownerReferences": [controller_reference(job)],
        },
        "spec": template["spec"],
    }
    if pod_group:
        pod["spec"]["schedulingGroup"] = {"podGroupName": pod_group}
    return pod


def _add_index(pod: JsonObject, job: JsonObject, index: int) -> None:
    name = job["metadata"]["name"]
    end = f"-{index}-"
    pod["metadata"]["generateName"] = f"{name[: LONGEST_PREFIX - len(end)]}{end}"
    pod["metadata"]["annotations"][COMPLETION_INDEX] = str(index)
    pod["metadata"]["labels"][COMPLETION_INDEX] = str(index)
    pod["spec"]["hostname"] = f"{name}-{index}"
    variable = {
        "name": "JOB_COMPLETION_INDEX",
        "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}},
    }
    for container in [*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]]:
        environment = container.setdefault("env", [])
        if all(entry["name"] != variable["name"] for entry in environment):
            environment.append(copy.deepcopy(variable))
