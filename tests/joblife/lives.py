"""What happens to a Job, made by chance: what users, schedulers and kubelets do."""

from __future__ import annotations

import copy
import random

from kubegang.apimachinery.objects import JsonObject
from tests.joblife.jobs import PRIORITY_CLASSES
from tests.joblife.steps import (
    HAPPENINGS,
    CreateOther,
    DeleteJob,
    MovePods,
    PatchJob,
    Step,
    SubmitAgain,
    TouchGroup,
)

POLICIES = ("Background", "Foreground", "Orphan")


def random_life(chance: random.Random, job: JsonObject) -> list[Step]:
    """Return the steps of a Job's life."""
    steps: list[Step] = []
    if job["spec"].get("suspend"):
        while chance.random() < 0.4:
            steps.append(PatchJob({"spec": {"template": _template_patch(chance, job)}}))
        if chance.random() < 0.8:
            steps.append(PatchJob({"spec": {"suspend": False}}))
    steps += _what_was_missing(chance, job)
    if chance.random() < 0.8:
        steps.append(MovePods("run", 99))
    steps += [_step(chance, job) for _ in range(chance.randint(2, 5))]
    if chance.random() < 0.5:
        steps.append(MovePods("succeed", 99))
    if chance.random() < 0.4:
        steps.append(DeleteJob(chance.choice(POLICIES)))
        steps.append(MovePods("end-deletion", 99))
        if chance.random() < 0.4:
            steps += [SubmitAgain(), MovePods("run", 99), MovePods("succeed", 99)]
    return steps


def _what_was_missing(chance: random.Random, job: JsonObject) -> list[Step]:
    name = job["spec"]["template"]["spec"].get("priorityClassName", "")
    known = {"", "system-node-critical", *(kind["metadata"]["name"] for kind in PRIORITY_CLASSES)}
    if name in known or chance.random() < 0.3:
        return []
    return [CreateOther({"kind": "PriorityClass", "metadata": {"name": name}, "value": 7})]


def _step(chance: random.Random, job: JsonObject) -> Step:
    kind = chance.random()
    if kind < 0.3:
        return PatchJob(_patch(chance, job))
    if kind < 0.36:
        return _touch(chance)
    what = chance.choice(HAPPENINGS)
    return MovePods(
        what,
        chance.choice((1, 1, 1, 2, 99)),
        from_the_end=chance.random() < 0.3,
        exit_code=chance.choice((1, 42)),
    )


def _touch(chance: random.Random) -> TouchGroup:
    if chance.random() < 0.4:
        return TouchGroup(chance.choice(("Workload", "PodGroup")), None)
    return TouchGroup("PodGroup", {"spec": {"schedulingPolicy": {"gang": {"minCount": 1}}}})


def _patch(chance: random.Random, job: JsonObject) -> JsonObject:
    spec = job["spec"]
    indexed = spec.get("completionMode") == "Indexed"
    patches: list[JsonObject] = [{"suspend": True}, {"suspend": False}]
    patches += [
        {"activeDeadlineSeconds": 5},
        {"activeDeadlineSeconds": None},
        {"backoffLimit": chance.choice((0, 3))},
        {"ttlSecondsAfterFinished": chance.choice((0, 3600, None))},
    ]
    for parallelism in (0, 1, 2, 5):
        if not indexed or parallelism == 0:
            patches.append({"parallelism": parallelism})
        elif "successPolicy" not in spec:
            patches.append({"parallelism": parallelism, "completions": parallelism})
            patches.append({"parallelism": parallelism})
    if "scheduling" in spec:
        gang = {"minCount": chance.choice((1, 2, None))}
        patches += [{"scheduling": {"schedulingPolicy": {"gang": gang}}}] * 2
    if chance.random() < 0.15:
        return {"spec": {"suspend": True, "template": _template_patch(chance, job)}}
    return {"spec": chance.choice(patches)}


def _template_patch(chance: random.Random, job: JsonObject) -> JsonObject:
    """Return a change of what may change while the Job is suspended, or may not."""
    containers = copy.deepcopy(job["spec"]["template"]["spec"]["containers"])
    containers[0]["resources"] = {"requests": {"cpu": "2"}}
    changes: list[JsonObject] = [
        {"spec": {"nodeSelector": {"pool": "a"}}},
        {"spec": {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}},
        {"spec": {"schedulingGates": [{"name": "example.com/wait"}]}},
        {"metadata": {"labels": {"more": "yes"}, "annotations": {"more": "yes"}}},
        {"spec": {"containers": containers}},
    ]
    return chance.choice(changes)
