"""Jobs of any shape, and what happens to them, made by chance from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from kubegang.apimachinery.objects import JsonObject

Happening = Literal[
    "run", "succeed", "fail", "disrupt", "restart", "delete", "end-deletion", "unlabel", "relabel"
]
HAPPENINGS: tuple[Happening, ...] = (
    *("run", "succeed", "succeed", "fail", "fail", "disrupt", "restart", "delete"),
    *("end-deletion", "unlabel", "relabel"),
)


class MovePods(msgspec.Struct, frozen=True, tag=True):
    """Something happens to some of the pods, counted from one end of them all."""

    what: Happening
    count: int
    from_the_end: bool = False
    exit_code: int = 1


class PatchJob(msgspec.Struct, frozen=True, tag=True):
    """A user changes the Job by a merge patch."""

    patch: JsonObject


class DeleteJob(msgspec.Struct, frozen=True, tag=True):
    """A user deletes the Job."""

    policy: str


Step = MovePods | PatchJob | DeleteJob


class Case(msgspec.Struct, frozen=True):
    """A Job and its life, in a namespace of its own."""

    seed: int
    others: list[JsonObject]
    job: JsonObject
    steps: list[Step]


PRIORITY_CLASSES: list[JsonObject] = [
    {"metadata": {"name": "high"}, "value": 1000},
    {"metadata": {"name": "polite"}, "value": 500, "preemptionPolicy": "Never"},
]
OWNER: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "boss"}}
OWNER_REFERENCE = {"apiVersion": "v1", "kind": "ConfigMap", "name": "boss", "controller": True}
BOSS_WORKLOAD: JsonObject = {
    "apiVersion": "scheduling.k8s.io/v1beta1",
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


def make_case(seed: int) -> Case:
    """Return the case of a seed."""
    chance = random.Random(seed)
    job = _job(chance)
    others: list[JsonObject] = []
    if "ownerReferences" in job["metadata"]:
        others = [OWNER, BOSS_WORKLOAD]
    return Case(seed, others, job, _steps(chance, job))


def _job(chance: random.Random) -> JsonObject:
    metadata: JsonObject = {"name": _name(chance), "annotations": {}, "labels": {"team": "a"}}
    spec: JsonObject = {
        "parallelism": chance.choice((1, 2, 2, 3, 4)),
        "backoffLimit": chance.choice((0, 1, 2, 2, 6)),
        "template": _template(chance),
    }
    if chance.random() < 0.5:
        spec["completionMode"] = "Indexed"
        spec["completions"] = spec["parallelism"] + chance.choice((0, 0, 0, 1))
    elif chance.random() < 0.7:
        spec["completions"] = spec["parallelism"] + chance.choice((-1, 0, 0, 1, 2))
    if spec.get("completions") == 0:
        spec["completions"] = 1
    _options(chance, metadata, spec)
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _name(chance: random.Random) -> str:
    if chance.random() < 0.9:
        return "train"
    return chance.choice(("train.v2", "t" * 58, "t" * 57))


def _template(chance: random.Random) -> JsonObject:
    container: JsonObject = {"name": "c", "image": "registry.example/app:1"}
    spec: JsonObject = {
        "restartPolicy": chance.choice(("Never", "Never", "OnFailure")),
        "containers": [container],
    }
    if chance.random() < 0.2:
        container["env"] = [{"name": "JOB_COMPLETION_INDEX", "value": "mine"}]
    if chance.random() < 0.2:
        spec["initContainers"] = [{"name": "i", "image": "registry.example/init:1"}]
    if chance.random() < 0.2:
        spec["priorityClassName"] = chance.choice(("high", "high", "polite"))
    if chance.random() < 0.1:
        spec["schedulingGroup"] = {"podGroupName": "mine"}
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

    maybe(0.15, lambda: spec.update(suspend=True))
    maybe(0.15, lambda: spec.update(activeDeadlineSeconds=chance.choice((6, 3600, 3600))))
    maybe(0.15, lambda: spec.update(ttlSecondsAfterFinished=chance.choice((0, 5, 3600))))
    maybe(0.05, lambda: spec.update(managedBy="example.com/other"))
    maybe(0.2, lambda: spec.update(podReplacementPolicy="Failed"))
    maybe(0.6, lambda: spec.update(scheduling=_scheduling(chance, spec["parallelism"])))
    if spec["template"]["spec"]["restartPolicy"] == "Never":
        maybe(0.2, lambda: spec.update(podFailurePolicy=_failure_policy(chance, spec)))
    if spec.get("completionMode") == "Indexed":
        maybe(0.25, lambda: _per_index(chance, spec))
        maybe(0.2, lambda: spec.update(successPolicy=_success_policy(chance, spec)))
    maybe(0.15, lambda: metadata.update(ownerReferences=[dict(OWNER_REFERENCE)]))
    if "ownerReferences" in metadata:
        name = chance.choice(("", "workers", "driver", "nobody"))
        if name:
            metadata["annotations"]["scheduling.k8s.io/group-template-name"] = name


def _scheduling(chance: random.Random, parallelism: int) -> JsonObject:
    gang: JsonObject = chance.choice(({}, {"minCount": chance.randint(1, parallelism)}))
    scheduling: JsonObject = chance.choice(
        ({}, {"schedulingPolicy": {"basic": {}}}, *[{"schedulingPolicy": {"gang": gang}}] * 4)
    )
    if "gang" in scheduling.get("schedulingPolicy", {}) and chance.random() < 0.4:
        scheduling["disruptionMode"] = chance.choice(({"all": {}}, {"single": {}}))
    if chance.random() < 0.3:
        scheduling["schedulingConstraints"] = {"topology": [{"key": "example.com/rack"}]}
    return scheduling


def _failure_policy(chance: random.Random, spec: JsonObject) -> JsonObject:
    spec.pop("podReplacementPolicy", None)
    codes = {"operator": "In", "values": [42]}
    disrupted = {"type": "DisruptionTarget", "status": "True"}
    actions = ["FailJob", "Ignore", "Count"]
    if spec.get("completionMode") == "Indexed" and "backoffLimitPerIndex" in spec:
        actions.append("FailIndex")
    return {
        "rules": [
            {"action": chance.choice(actions), "onExitCodes": codes},
            {"action": "Ignore", "onPodConditions": [disrupted]},
        ]
    }


def _per_index(chance: random.Random, spec: JsonObject) -> None:
    spec["template"]["spec"]["restartPolicy"] = "Never"
    spec["backoffLimitPerIndex"] = chance.choice((0, 1))
    if chance.random() < 0.5:
        spec["maxFailedIndexes"] = chance.choice((0, 1))
        del spec["backoffLimit"]


def _success_policy(chance: random.Random, spec: JsonObject) -> JsonObject:
    rules: list[JsonObject] = [{"succeededIndexes": "0"}, {"succeededCount": 1}]
    if spec["completions"] > 1:
        rules += [
            {"succeededCount": 2},
            {"succeededIndexes": "0-1", "succeededCount": 1},
        ]
    return {"rules": [chance.choice(rules)]}


def _steps(chance: random.Random, job: JsonObject) -> list[Step]:
    steps: list[Step] = []
    if job["spec"].get("suspend") and chance.random() < 0.8:
        steps.append(PatchJob({"spec": {"suspend": False}}))
    if chance.random() < 0.8:
        steps.append(MovePods("run", 99))
    steps += [_step(chance, job) for _ in range(chance.randint(2, 5))]
    if chance.random() < 0.5:
        steps.append(MovePods("succeed", 99))
    if chance.random() < 0.4:
        steps.append(DeleteJob(chance.choice(("Background", "Foreground", "Orphan"))))
        steps.append(MovePods("end-deletion", 99))
    return steps


def _step(chance: random.Random, job: JsonObject) -> Step:
    kind = chance.random()
    if kind < 0.3:
        return PatchJob(_patch(chance, job))
    what = chance.choice(HAPPENINGS)
    return MovePods(
        what,
        chance.choice((1, 1, 1, 2, 99)),
        from_the_end=chance.random() < 0.3,
        exit_code=chance.choice((1, 42)),
    )


def _patch(chance: random.Random, job: JsonObject) -> JsonObject:
    spec = job["spec"]
    indexed = spec.get("completionMode") == "Indexed"
    patches: list[JsonObject] = [{"suspend": True}, {"suspend": False}]
    patches.append({"activeDeadlineSeconds": 5})
    for parallelism in (0, 2, 5):
        if not indexed or parallelism == 0:
            patches.append({"parallelism": parallelism})
        elif "successPolicy" not in spec:
            patches.append({"parallelism": parallelism, "completions": parallelism})
    if "scheduling" in spec:
        gang = {"minCount": chance.choice((1, 2, None))}
        patches += [{"scheduling": {"schedulingPolicy": {"gang": gang}}}] * 2
    return {"spec": chance.choice(patches)}
