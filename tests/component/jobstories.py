"""Stories of Jobs, and a way to play them with faults, in virtual time."""

from __future__ import annotations

import asyncio
import re
from typing import Any, NamedTuple

from kubegang.client.api import ApiClient
from tests.component.apiharness import Api
from tests.component.controllersharness import ControlledCluster
from tests.component.faultytransport import FaultyTransport
from tests.joblife.cases import Case, DeleteJob, MovePods, PatchJob, Step
from tests.joblife.player import Player, prepare

SETTLE_SECONDS = 60.0
"""Longer than any pause of the controllers in these stories."""

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


class Played(NamedTuple):
    """What is there at the end of a story, and what the controllers wrote."""

    objects: dict[str, list[Any]]
    writes: list[str]

    def created_pods(self) -> int:
        return sum(1 for write in self.writes if re.fullmatch("POST .*/pods", write))


async def play(case: Case, **faults: Any) -> Played:
    """Play a story with a fault; controllers that crash are started again without."""
    cluster = ControlledCluster(await Api.start())
    transport = FaultyTransport(cluster.transport(), clock=cluster.clock, **faults)
    await cluster.start(ApiClient(transport, user_agent="controllers"))

    async def replace() -> None:
        await transport.crashed.wait()
        await cluster.kill()
        await cluster.start()

    replacing = asyncio.create_task(replace())
    await prepare(cluster.user)
    player = Player(cluster.user, case, NAMESPACE, clock=cluster.clock)
    await player.begin()
    await cluster.wait(SETTLE_SECONDS)
    for step in case.steps:
        await player.do(step, await player.see())
        await cluster.wait(SETTLE_SECONDS)
    view = await player.see()
    replacing.cancel()
    await cluster.kill()
    del view.objects["Event"]
    return Played(view.objects, transport.writes)
