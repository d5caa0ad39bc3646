"""Stories of Jobs, and a way to play them with faults, in virtual time."""

from __future__ import annotations

import re
from typing import Any

from tests.component import faultyplay
from tests.component.controllersharness import ControlledCluster
from tests.component.faultyplay import SETTLE_SECONDS, Objects, Played
from tests.joblife.player import Player, prepare
from tests.joblife.steps import Case, DeleteJob, MovePods, PatchJob, Step

NAMESPACE = "ml"
GANG: dict[str, Any] = {"schedulingPolicy": {"gang": {}}}


def job(**spec: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "registry.example/app:1"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train"},
        "spec": {
            "parallelism": 2,
            "completions": 2,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
            **spec,
        },
    }


def story(*steps: Step, **spec: Any) -> Case:
    return Case(seed=0, others=[], job=job(**spec), steps=list(steps))


RUN, SUCCEED = MovePods("run", 99), MovePods("succeed", 99)
FAIL_ONE, END = MovePods("fail", 1), MovePods("end-deletion", 99)

STORIES = {
    "a gang completes": story(RUN, SUCCEED, scheduling=GANG),
    "an indexed job loses a pod and completes": story(
        RUN, FAIL_ONE, RUN, SUCCEED, completionMode="Indexed"
    ),
    "a job fails at its limit": story(RUN, FAIL_ONE, END, backoffLimit=0),
    "indexes fail one by one": story(
        RUN, FAIL_ONE, FAIL_ONE, completionMode="Indexed", backoffLimitPerIndex=0
    ),
    "a success policy ends a job early": story(
        RUN,
        MovePods("succeed", 1),
        END,
        completionMode="Indexed",
        successPolicy={"rules": [{"succeededCount": 1}]},
    ),
    "a job is suspended and resumed": story(
        RUN, PatchJob({"spec": {"suspend": True}}), END, PatchJob({"spec": {"suspend": False}})
    ),
    "a gang grows": story(
        PatchJob({"spec": {"parallelism": 3, "completions": 3}}), scheduling=GANG
    ),
    "a job is deleted with its pods": story(RUN, DeleteJob("Background"), END, scheduling=GANG),
    "a job is deleted after its pods": story(RUN, DeleteJob("Foreground"), END, scheduling=GANG),
    "a job is deleted without its pods": story(RUN, DeleteJob("Orphan")),
    "a finished job is cleaned up": story(RUN, SUCCEED, ttlSecondsAfterFinished=5),
}


async def play(case: Case, **faults: Any) -> Played:
    """Play the life of a Job with a fault."""

    async def story(cluster: ControlledCluster) -> Objects:
        await prepare(cluster.user)
        player = Player(cluster.user, case, NAMESPACE, clock=cluster.clock)
        await player.begin()
        await cluster.wait(SETTLE_SECONDS)
        for step in case.steps:
            await player.do(step, await player.see())
            await cluster.wait(SETTLE_SECONDS)
        view = await player.see()
        del view.objects["Event"]
        return view.objects

    return await faultyplay.play(story, **faults)


def created_pods(played: Played) -> int:
    """Return how many pods the controllers made."""
    return sum(1 for write in played.writes if re.fullmatch("POST .*/pods", write))
