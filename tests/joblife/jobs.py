"""Jobs of any shape, made by chance, and what stands around them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.names import pod_group_name

PRIORITY_CLASSES: list[JsonObject] = [
    {"metadata": {"name": "high"}, "value": 1000},
    {"metadata": {"name": "polite"}, "value": 500, "preemptionPolicy": "Never"},
]
TEMPLATE_NAME = "scheduling.k8s.io/group-template-name"
OWNER: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "boss"}}
OWNER_REFERENCE = {"apiVersion": "v1", "kind": "ConfigMap", "name": "boss", "controller": True}
BOSS_WORKLOAD: JsonObject = {
    "kind": "Workload",
    "metadata": {"name": "boss"},
    "spec": {
        "controllerRef": {"apiGroup": "", "kind": "ConfigMap", "name": "boss"},
        "podGroupTemplates": [
            {"name": "workers", "schedulingPolicy": {"gang": {"minCount": 2}}},
            {"name": "driver", "schedulingPolicy": {"basic": {}}},
        ],
    },
}
TAKEN_GROUP: JsonObject = {
    "kind": "PodGroup",
    "metadata": {"name": pod_group_name("boss", "workers")},
    "spec": {"schedulingPolicy": {"basic": {}}},
}
MINE = {"mine": "yes"}
STRAY: JsonObject = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "stray", "labels": MINE},
    "spec": {"containers": [{"name": "c", "image": "registry.example/app:1"}]},
}


def random_job(chance: random.Random, *, late_class: str) -> JsonObject:
    """Return a Job.

    Args:
        chance: decides everything.
        late_class: a PriorityClass that is not there yet.
    """
    metadata: JsonObject = {"name": _name(chance), "annotations": {}, "labels": {"team": "a"}}
    spec: JsonObject = {"template": _template(chance, late_class)}
    _numbers(chance, spec)
    _options(chance, metadata, spec)
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def surroundings(chance: random.Random, job: JsonObject) -> list[JsonObject]:
    """Return what is to be there before the Job."""
    found: list[JsonObject] = []
    if "ownerReferences" in job["metadata"]:
        found = [OWNER, BOSS_WORKLOAD]
        if chance.random() < 0.25:
            found.append(TAKEN_GROUP)
    if job["spec"].get("manualSelector") and chance.random() < 0.6:
        found.append(STRAY)
    return found


def _name(chance: random.Random) -> str:
    if chance.random() < 0.9:
        return "train"
    return chance.choice(("train.v2", "t" * 58, "t" * 57, "t" * 63))


def _numbers(chance: random.Random, spec: JsonObject) -> None:
    """Add how many pods are to run, to succeed, and may fail."""
    parallelism = chance.choice((0, 1, 2, 2, 2, 3, 3, 4))
    spec["parallelism"] = parallelism
    if parallelism == 1 and chance.random() < 0.5:
        del spec["parallelism"]
    if chance.random() < 0.9:
        spec["backoffLimit"] = chance.choice((0, 1, 2, 2, 6))
    if chance.random() < 0.5:
        spec["completionMode"] = "Indexed"
        spec["completions"] = parallelism + chance.choice((0, 0, 0, 1))
    elif chance.random() < 0.7:
        spec["completions"] = max(0, parallelism + chance.choice((-1, 0, 0, 1, 2)))


def _template(chance: random.Random, late_class: str) -> JsonObject:
    container: JsonObject = {"name": "c", "image": "registry.example/app:1"}
    spec: JsonObject = {
        "restartPolicy": chance.choice(("Never", "Never", "OnFailure")),
        "containers": [container],
    }
    if chance.random() < 0.2:
        container["env"] = [{"name": "JOB_COMPLETION_INDEX", "value": "mine"}]
    if chance.random() < 0.3:
        spec["initContainers"] = [{"name": "i", "image": "registry.example/init:1"}]
    if chance.random() < 0.25:
        spec["priorityClassName"] = chance.choice(
            ("high", "high", "polite", "system-node-critical", late_class)
        )
    if chance.random() < 0.1:
        spec["schedulingGroup"] = {"podGroupName": "mine"}
    if chance.random() < 0.1:
        spec["subdomain"] = "workers"
    metadata: JsonObject = {}
    if chance.random() < 0.3:
        metadata = {
            "labels": {"app": "train"},
            "annotations": {"note": "x"},
            "finalizers": ["example.com/mine"],
        }
    return {"metadata": metadata, "spec": spec}


def _options(chance: random.Random, metadata: JsonObject, spec: JsonObject) -> None:
    """Add what a Job may have besides."""

    def maybe(probability: float, add: Callable[[], Any]) -> None:
        if chance.random() < probability:
            add()

    maybe(0.2, lambda: spec.update(suspend=True))
    maybe(0.15, lambda: spec.update(activeDeadlineSeconds=chance.choice((6, 3600, 3600))))
    maybe(0.15, lambda: spec.update(ttlSecondsAfterFinished=chance.choice((0, 5, 3600))))
    maybe(0.05, lambda: spec.update(managedBy=chance.choice(MANAGERS)))
    maybe(0.3, lambda: spec.update(podReplacementPolicy=chance.choice(REPLACEMENTS)))
    maybe(0.6, lambda: spec.update(scheduling=_scheduling(chance, spec, metadata)))
    if spec["template"]["spec"]["restartPolicy"] == "Never":
        maybe(0.3, lambda: spec.update(podFailurePolicy=_failure_policy(chance, spec)))
    if spec.get("completionMode") == "Indexed" and spec["completions"]:
        maybe(0.25, lambda: _per_index(chance, spec))
        maybe(0.25, lambda: spec.update(successPolicy=_success_policy(chance, spec)))
    maybe(0.15, lambda: metadata.update(ownerReferences=[dict(OWNER_REFERENCE)]))
    maybe(0.06, lambda: _choose_selector(spec))
    if "ownerReferences" in metadata:
        name = chance.choice(("", "workers", "workers", "driver", "nobody"))
        if name:
            metadata["annotations"][TEMPLATE_NAME] = name


MANAGERS = ("example.com/other", "kubernetes.io/job-controller")
REPLACEMENTS = ("Failed", "Failed", "TerminatingOrFailed")


def _choose_selector(spec: JsonObject) -> None:
    spec.update(manualSelector=True, selector={"matchLabels": MINE})
    metadata = spec["template"]["metadata"]
    metadata["labels"] = {**metadata.get("labels", {}), **MINE}


def _scheduling(chance: random.Random, spec: JsonObject, metadata: JsonObject) -> JsonObject:
    parallelism = max(1, spec.get("parallelism", 1))
    gang: JsonObject = chance.choice(({}, {"minCount": chance.randint(1, parallelism)}))
    scheduling: JsonObject = chance.choice(
        ({}, {"schedulingPolicy": {"basic": {}}}, *[{"schedulingPolicy": {"gang": gang}}] * 4)
    )
    if "gang" in scheduling.get("schedulingPolicy", {}) and chance.random() < 0.4:
        scheduling["disruptionMode"] = chance.choice(({"all": {}}, {"single": {}}))
    if chance.random() < 0.3:
        scheduling["schedulingConstraints"] = {"topology": [{"key": "example.com/rack"}]}
    if chance.random() < 0.15:
        scheduling["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "shared"}]
    if chance.random() < 0.05:
        # Says nothing to a Job without a controller.
        metadata["annotations"][TEMPLATE_NAME] = "workers"
    return scheduling


def _failure_policy(chance: random.Random, spec: JsonObject) -> JsonObject:
    if spec.get("podReplacementPolicy") == "TerminatingOrFailed":
        del spec["podReplacementPolicy"]
    rules = [_failure_rule(chance, spec) for _ in range(chance.choice((1, 1, 2)))]
    disrupted = {"type": "DisruptionTarget", "status": "True"}
    if chance.random() < 0.6:
        action = chance.choice(("Ignore", "Ignore", "Count", "FailJob"))
        rules.append({"action": action, "onPodConditions": [disrupted]})
    return {"rules": rules}


def _failure_rule(chance: random.Random, spec: JsonObject) -> JsonObject:
    actions = ["FailJob", "Ignore", "Count"]
    if spec.get("completionMode") == "Indexed" and spec["completions"]:
        actions.append("FailIndex")
    action = chance.choice(actions)
    if chance.random() < 0.2:
        broken = {"type": "ConfigIssue", "status": chance.choice(("True", "False"))}
        return {"action": action, "onPodConditions": [broken]}
    codes: JsonObject = chance.choice(
        (
            {"operator": "In", "values": [42]},
            {"operator": "In", "values": [42, 137]},
            {"operator": "NotIn", "values": [1]},
        )
    )
    containers = ["c", *["i" for _ in spec["template"]["spec"].get("initContainers", ())]]
    if chance.random() < 0.3:
        codes = {**codes, "containerName": chance.choice(containers)}
    return {"action": action, "onExitCodes": codes}


def _per_index(chance: random.Random, spec: JsonObject) -> None:
    spec["template"]["spec"]["restartPolicy"] = "Never"
    spec["backoffLimitPerIndex"] = chance.choice((0, 1))
    if chance.random() < 0.5:
        spec["maxFailedIndexes"] = chance.choice((0, 1))
        spec.pop("backoffLimit", None)


def _success_policy(chance: random.Random, spec: JsonObject) -> JsonObject:
    rules: list[JsonObject] = [{"succeededIndexes": "0"}, {"succeededCount": 1}]
    if spec["completions"] > 1:
        rules += [
            {"succeededCount": 2},
            {"succeededIndexes": "0-1", "succeededCount": 1},
            {"succeededIndexes": "0,1"},
        ]
    return {"rules": chance.sample(rules, chance.choice((1, 1, 2)))}
