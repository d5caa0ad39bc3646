"""Volcano Jobs: one Job of Kubernetes for each task, all in one gang."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubegang.tools.converting.batch import Batch, Item
from kubegang.tools.converting.edits import Map, made, member, members, put, remove
from kubegang.tools.converting.foreign.linking import make_group
from kubegang.tools.converting.foreign.volcano import QUEUE_LOST, SCHEDULERS, TOPOLOGY_LOST

GROUP = "batch.volcano.sh"

_TASK_MINIMUM = "a group has one minimum; minima of single tasks need groups of their own"
_POLICIES = "a Job has no policies for events; podFailurePolicy comes closest"
_RETRY = "Volcano starts the whole job again, backoffLimit counts failed pods: choose it yourself"

_LOST: Mapping[str, str] = {
    "policies": _POLICIES,
    "plugins": "hosts, keys and variables that Volcano's plugins provide have to come otherwise",
    "maxRetry": _RETRY,
    "queue": QUEUE_LOST,
    "volumes": "volumes belong into the pod templates",
    "minSuccess": "successPolicy comes closest: choose it yourself",
    "networkTopology": TOPOLOGY_LOST,
    "runningEstimate": "Kubernetes plans with no estimates",
}
_TASK_LOST: Mapping[str, str] = {
    "policies": _POLICIES,
    "maxRetry": _RETRY,
    "dependsOn": "all tasks start together: an order needs another controller",
    "topologyPolicy": "NUMA is the kubelet's business",
    "partitionPolicy": "a group has no parts",
}
_TAKEN = ("tasks", "minAvailable", "schedulerName", "priorityClassName", "ttlSecondsAfterFinished")


def bring_in_volcano_jobs(batch: Batch) -> None:
    """Bring Jobs of Volcano to Jobs of Kubernetes."""
    for item in batch.of(GROUP, "Job"):
        tasks = members(item.spec.get("tasks"))
        if _is_understood(batch, item, tasks):
            _bring_in(batch, item, tasks)


def _is_understood(batch: Batch, item: Item, tasks: list[Map]) -> bool:
    if not member(item.body, "metadata").get("name"):
        batch.tell("refused", item, "metadata.name", "need a name: the Jobs are called after it")
        return False
    if not tasks:
        batch.tell("refused", item, "spec.tasks", "no tasks, so no pods")
    for position, task in enumerate(tasks):
        field = f"spec.tasks[{position}]"
        replicas = task.get("replicas")
        if not isinstance(replicas, int) or replicas < 1:
            batch.tell("refused", item, f"{field}.replicas", "need a number of pods, 1 or more")
            return False
        if not member(task, "template", "spec"):
            batch.tell("refused", item, f"{field}.template", "no pod template")
            return False
    return bool(tasks)


def _bring_in(batch: Batch, item: Item, tasks: list[Map]) -> None:
    spec, name = item.spec, item.name
    minimum = _minimum(batch, item, tasks)
    _tell_lost(batch, item, tasks)
    jobs = [_job_spec(spec, task) for task in tasks]
    alone = len(tasks) == 1
    if alone:
        put(jobs[0], "scheduling", {"schedulingPolicy": {"gang": {"minCount": minimum}}})
        jobs[0].move_to_end("template")
    else:
        make_group(batch, item, name, minimum=minimum)
        _take_class(batch, item, spec)
        for job in jobs:
            put(member(job, "template", "spec"), "schedulingGroup", {"podGroupName": name})
    _rewrite(item, jobs[0], name if alone else f"{name}-{tasks[0].get('name', '0')}")
    for position, (job, task) in enumerate(zip(jobs[1:], tasks[1:], strict=True), 1):
        metadata = dict(item.body["metadata"]) | {"name": f"{name}-{task.get('name', position)}"}
        body = made({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata})
        body["spec"] = job
        batch.add(body, item)


def _minimum(batch: Batch, item: Item, tasks: list[Map]) -> int:
    """Return the gang's minimum; without one it is that of all tasks, as Volcano fills it in."""
    for position, task in enumerate(tasks):
        if task.get("minAvailable") not in {None, task["replicas"]}:
            field = f"spec.tasks[{position}].minAvailable"
            batch.tell("loss", item, field, _TASK_MINIMUM)
    chosen = item.spec.get("minAvailable")
    if isinstance(chosen, int) and chosen > 0:
        return int(chosen)
    return sum(int(task.get("minAvailable") or task["replicas"]) for task in tasks)


def _tell_lost(batch: Batch, item: Item, tasks: list[Map]) -> None:
    if item.spec.get("queue") == "default":
        remove(item.spec, "queue")
    for key in [key for key in item.spec if key not in _TAKEN]:
        if item.spec[key]:
            batch.tell("loss", item, f"spec.{key}", _LOST.get(key, "has no counterpart"))
    for position, task in enumerate(tasks):
        for key in [key for key in _TASK_LOST if task.get(key)]:
            batch.tell("loss", item, f"spec.tasks[{position}].{key}", _TASK_LOST[key])


def _job_spec(spec: Map, task: Map) -> Any:
    """Return the spec of the Job for one task, with the task's own template in it."""
    replicas = int(task["replicas"])
    job = made({"parallelism": replicas, "completions": replicas, "completionMode": "Indexed"})
    if "ttlSecondsAfterFinished" in spec:
        job["ttlSecondsAfterFinished"] = spec["ttlSecondsAfterFinished"]
    pod = member(task, "template", "spec")
    if pod.get("schedulerName") in SCHEDULERS:
        remove(pod, "schedulerName")
    scheduler = spec.get("schedulerName")
    if scheduler and scheduler not in SCHEDULERS and "schedulerName" not in pod:
        put(pod, "schedulerName", scheduler)
    if spec.get("priorityClassName") and "priorityClassName" not in pod:
        put(pod, "priorityClassName", spec["priorityClassName"])
    job["template"] = task["template"]
    return job


def _take_class(batch: Batch, item: Item, spec: Map) -> None:
    group = batch.find("PodGroup", item.namespace, item.name)
    if group is not None and spec.get("priorityClassName"):
        put(group.spec, "priorityClassName", str(spec["priorityClassName"]))


def _rewrite(item: Item, spec: Map, name: str) -> None:
    put(item.body, "apiVersion", "batch/v1")
    remove(item.body, "status")
    if name != item.name:
        put(item.body["metadata"], "name", name)
    item.body["spec"] = spec
