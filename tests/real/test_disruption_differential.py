"""Random budgets and pods under the real disruption controller and ours: the same status."""

from __future__ import annotations

import asyncio
import os
import random
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
import pytest

from kubegang.apimachinery.conditions import is_true
from kubegang.apimachinery.errors import TooManyRequestsError, UnexplainedError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import RealClock
from kubegang.client.interface import Client
from kubegang.client.resources import (
    CORE_EVENTS,
    NAMESPACES,
    PODDISRUPTIONBUDGETS,
    PODS,
    REPLICASETS,
)
from tests.real.planes import Planes, both_planes, client_of

COUNT = "KUBEGANG_DISRUPTION_CASES"
"""In the environment: how many stories."""

AT_ONCE = 5
PATIENCE_SECONDS = 40.0
STEP_SECONDS = 0.7

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]

_LABELS = {"app": "a"}
_SPEC: JsonObject = {
    "containers": [{"name": "c", "image": "i"}],
    # So that nobody but the story moves them.
    "schedulingGates": [{"name": "example.com/held"}],
}

REASONS = ("UnmanagedPods", "CalculateExpectedPodCountFailed")

Deed = Literal["ready", "unready", "delete", "evict", "relabel", "scale"]


class Act(msgspec.Struct, frozen=True):
    """What somebody does to one of the pods, or to the owner."""

    deed: Deed
    pod: int
    number: int = 0


class Story(msgspec.Struct, frozen=True):
    """A budget over some pods, and what happens to them.

    One budget: of several over one pod, the real controller recounts one at random.

    Attributes:
        owned: whether a ReplicaSet owns the pods, and replaces them.
        pods: how many there are at first.
        spec: of the budget, without its selector.
    """

    seed: int
    owned: bool
    pods: int
    spec: JsonObject
    acts: tuple[Act, ...]


def make_story(seed: int) -> Story:
    """Return the story of a seed."""
    chance = random.Random(seed)
    pods = chance.randint(0, 5)

    def spec() -> JsonObject:
        amount = chance.choice((0, 1, 2, "20%", "50%", "100%"))
        made: JsonObject = {chance.choice(("minAvailable", "maxUnavailable")): amount}
        if chance.random() < 0.3:
            made["unhealthyPodEvictionPolicy"] = "AlwaysAllow"
        return made

    deeds: tuple[Deed, ...] = ("ready", "ready", "unready", "delete", "evict", "relabel", "scale")
    return Story(
        seed=seed,
        owned=chance.random() < 0.7,
        pods=pods,
        spec=spec(),
        acts=tuple(
            Act(chance.choice(deeds), chance.randrange(max(pods, 1)), chance.randint(0, 6))
            for _ in range(chance.randint(2, 6))
        ),
    )


class Home:
    """One story in one cluster, in a namespace of its own."""

    def __init__(self, client: Client, story: Story, namespace: str) -> None:
        self._client = client
        self._story = story
        self._namespace = namespace
        self.answers: list[str] = []

    async def settle_in(self) -> None:
        """Make namespace, pods and budgets."""
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self._namespace}}
        await self._client.create(NAMESPACES, namespace)
        if self._story.owned:
            await self._client.create(REPLICASETS, self._replica_set(), self._namespace)
        else:
            for number in range(self._story.pods):
                metadata = {"name": f"p{number}", "labels": _LABELS}
                body = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": _SPEC}
                await self._client.create(PODS, body, self._namespace)
        budget: JsonObject = {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "b"},
            "spec": {"selector": {"matchLabels": _LABELS}, **self._story.spec},
        }
        await self._client.create(PODDISRUPTIONBUDGETS, budget, self._namespace)

    def _replica_set(self) -> JsonObject:
        return {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": "rs"},
            "spec": {
                "replicas": self._story.pods,
                "selector": {"matchLabels": _LABELS},
                "template": _template(),
            },
        }

    async def play(self, act: Act) -> None:
        """Do one deed; what an eviction answers is remembered."""
        pods = await self._pods()
        if act.deed == "scale" and self._story.owned:
            patch: JsonObject = {"spec": {"replicas": act.number}}
            await self._client.patch(REPLICASETS, "rs", self._namespace, patch=patch)
        elif pods and act.deed != "scale":
            await self._do(act, pods[act.pod % len(pods)]["metadata"]["name"])

    async def _do(self, act: Act, name: str) -> None:
        match act.deed:
            case "ready" | "unready":
                await self._report(name, ready=act.deed == "ready")
            case "delete":
                await self._client.delete(PODS, name, self._namespace, grace_period_seconds=0)
            case "evict":
                await self._evict(name)
            case "relabel":
                patch = {"metadata": {"labels": {"app": "b"}}}
                await self._client.patch(PODS, name, self._namespace, patch=patch)

    async def _pods(self) -> list[JsonObject]:
        """Return the pods that count, in an order that is the same in both clusters."""
        pods = (await self._client.list(PODS, self._namespace, label_selector="app=a")).items
        return sorted(pods, key=lambda pod: (_is_ready(pod), pod["metadata"]["name"]))

    async def _report(self, name: str, *, ready: bool) -> None:
        condition = {
            "type": "Ready",
            "status": "True" if ready else "False",
            "lastTransitionTime": format_time(RealClock().now()),
        }
        patch = {"status": {"phase": "Running", "conditions": [condition]}}
        await self._client.patch(
            PODS, name, self._namespace, patch=patch, patch_type="strategic", subresource="status"
        )

    async def _evict(self, name: str) -> None:
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
        try:
            await self._client.create(
                PODS, body, self._namespace, subresource="eviction", name=name
            )
            self.answers.append("evicted")
        except TooManyRequestsError as error:
            causes = error.details.causes if error.details is not None else ()
            self.answers.append(str([cause.message for cause in causes]))
        except UnexplainedError as error:
            self.answers.append(str(error))

    async def look(self) -> dict[str, Any]:
        """Return what the budgets and their events say, without times."""
        budgets = (await self._client.list(PODDISRUPTIONBUDGETS, self._namespace)).items
        events = (await self._client.list(CORE_EVENTS, self._namespace)).items
        return {
            "budgets": {one["metadata"]["name"]: _status(one) for one in budgets},
            "events": sorted({_text(one) for one in events if one["reason"] in REASONS}),
            "answers": self.answers,
        }

    async def leave(self) -> None:
        """Remove everything."""
        await self._client.delete(NAMESPACES, self._namespace)


def _template() -> JsonObject:
    return {"metadata": {"labels": _LABELS}, "spec": _SPEC}


def _is_ready(pod: JsonObject) -> bool:
    return is_true((pod.get("status") or {}).get("conditions") or [], "Ready")


def _text(event: JsonObject) -> str:
    """Return an event without the names of its pod and namespace."""
    about = event["involvedObject"]
    text = f"{event['reason']}: {event['message']}"
    return text.replace(about["name"], "NAME").replace(about["namespace"], "NAMESPACE")


def _status(budget: JsonObject) -> JsonObject:
    status = dict(budget.get("status") or {})
    status["disruptedPods"] = len(status.get("disruptedPods") or ())
    status["conditions"] = [
        {key: value for key, value in one.items() if key != "lastTransitionTime"}
        for one in status.get("conditions") or ()
    ]
    return status


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    directory = tmp_path_factory.mktemp("planes")
    with both_planes(directory) as started:
        yield started


async def test_random_stories_end_the_same_with_both_controllers(planes: Planes) -> None:
    clients = [client_of(path) for path in planes]
    limit = asyncio.Semaphore(AT_ONCE)

    async def compare_one(seed: int) -> str:
        async with limit:
            return await compare(make_story(seed), clients)

    try:
        seeds = range(int(os.environ.get(COUNT, "8")))
        differences = await asyncio.gather(*(compare_one(seed) for seed in seeds))
    finally:
        for client in clients:
            await client.close()
    told = [difference for difference in differences if difference]
    assert not told, f"{len(told)} stories differ\n" + "\n\n".join(told)


async def compare(story: Story, clients: Sequence[Client]) -> str:
    """Play a story in both clusters; return the first difference."""
    namespace = f"story-{story.seed}-{uuid.uuid4().hex[:6]}"
    homes = [Home(client, story, namespace) for client in clients]
    await asyncio.gather(*(home.settle_in() for home in homes))
    difference = await settle(homes)
    for act in story.acts:
        if difference:
            break
        await asyncio.gather(*(home.play(act) for home in homes))
        difference = await settle(homes)
    await asyncio.gather(*(home.leave() for home in homes))
    return f"{difference}\nin {msgspec.json.encode(story).decode()}" if difference else ""


async def settle(homes: Sequence[Home]) -> str:
    """Wait until both say the same for a while; return the difference if they never do."""
    clock = RealClock()
    until, before = clock.now() + PATIENCE_SECONDS, None
    while True:
        await clock.sleep(STEP_SECONDS)
        views = [await home.look() for home in homes]
        if views[0] == views[1] and views == before:
            return ""
        if clock.now() > until:
            return f"real: {views[0]}\nours: {views[1]}"
        before = views
