"""A fault at each write of the ResourceClaim controller in turn: the end is always the same."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import pytest

from kubegang.app.controllers.claims import PROTECTION, RESOURCE_CLAIM
from kubegang.base.clock import run_virtual
from kubegang.client.resources import PODGROUPS, PODS, RESOURCECLAIMS, RESOURCECLAIMTEMPLATES
from tests.component.claimobjects import (
    FINALIZER,
    NAMESPACE,
    allocation,
    by_name,
    by_template,
    claim,
    group_with,
    pod_with,
    reservation,
    template,
)
from tests.component.controllersharness import ControlledCluster, start_cluster
from tests.component.faultytransport import FaultyTransport

SETTLE_SECONDS = 60.0
"""Longer than any pause of the controller."""

CHOSEN = frozenset({RESOURCE_CLAIM, PROTECTION})
KINDS = (PODS, PODGROUPS, RESOURCECLAIMS)

Json = dict[str, Any]


class World:
    """What users, the scheduler and kubelets do; after each deed the controller settles."""

    def __init__(self, cluster: ControlledCluster) -> None:
        self._cluster = cluster
        self._user = cluster.user

    async def create(self, *objects: Json) -> None:
        kinds = {kind.kind: kind for kind in (*KINDS, RESOURCECLAIMTEMPLATES)}
        for obj in objects:
            await self._user.create(kinds[obj["kind"]], obj, NAMESPACE)
        await self.settle()

    async def allocate(self, claims: str, *consumers: Json) -> None:
        """Give a device to every claim whose name begins so."""
        listed = [reservation(consumer) for consumer in consumers]
        for found in (await self._user.list(RESOURCECLAIMS, NAMESPACE)).items:
            if found["metadata"]["name"].startswith(claims):
                found["metadata"]["finalizers"] = [FINALIZER]
                held = await self._user.update(RESOURCECLAIMS, found)
                held["status"] = {"allocation": allocation(), "reservedFor": listed}
                await self._user.update(RESOURCECLAIMS, held, subresource="status")
        await self.settle()

    async def finish(self, pod: str) -> None:
        patch = {"status": {"phase": "Succeeded"}}
        await self._user.patch(PODS, pod, NAMESPACE, patch=patch, subresource="status")
        await self.settle()

    async def delete(self, obj: Json) -> None:
        kind = {kind.kind: kind for kind in KINDS}[obj["kind"]]
        await self._user.delete(kind, obj["metadata"]["name"], NAMESPACE, grace_period_seconds=0)
        await self.settle()

    async def get(self, obj: Json) -> Json:
        kind = {kind.kind: kind for kind in KINDS}[obj["kind"]]
        return await self._user.get(kind, obj["metadata"]["name"], NAMESPACE)

    async def settle(self) -> None:
        await self._cluster.wait(SETTLE_SECONDS)

    async def see(self) -> Json:
        """Return everything, without what chance or time made."""
        seen: Json = {}
        for kind in KINDS:
            objects = (await self._user.list(kind, NAMESPACE)).items
            seen[kind.kind] = sorted((_timeless(obj) for obj in objects), key=str)
        return seen


async def pods_and_claims(world: World) -> None:
    """Claims of pods are made, used and freed; one of them is shared by its name."""
    first = pod_with("p1", by_template("x"), by_template("y"), by_name("z", "shared"), node="n1")
    second = pod_with("p2", by_name("z", "shared"), node="n1")
    await world.create(template(), claim("shared"), first, second)
    await world.allocate("p1-x", await world.get(first))
    await world.allocate("shared")
    await world.finish("p1")
    await world.delete(second)


async def group_and_claim(world: World) -> None:
    """A group's claims are made, used by its pods, and freed when the group goes."""
    group = group_with("g", by_template("x"), by_name("z", "shared"))
    pod = pod_with("p", by_template("x"), by_name("z", "shared"), group="g", node="n1")
    await world.create(template(), claim("shared"), group, pod)
    await world.allocate("g-x", await world.get(group))
    await world.allocate("shared")
    await world.finish("p")
    await world.delete(group)


async def claim_that_goes(world: World) -> None:
    """An allocated claim that nobody uses is deleted."""
    await world.create(claim("c"))
    await world.allocate("c")
    await world.delete(claim("c"))


Story = Callable[[World], Awaitable[None]]
STORIES: tuple[Story, ...] = (pods_and_claims, group_and_claim, claim_that_goes)


class Played(NamedTuple):
    """What is there at the end of a story, and what the controllers wrote."""

    objects: Json
    writes: list[str]

    def made_claims(self) -> int:
        return sum(1 for write in self.writes if re.fullmatch("POST .*/resourceclaims", write))


async def play(story: Story, **faults: Any) -> Played:
    """Play a story with a fault; controllers that crash are started again without."""
    cluster = await start_cluster()
    transport = FaultyTransport(cluster.transport(), clock=cluster.clock, **faults)
    await cluster.start(transport, chosen=CHOSEN)

    async def replace() -> None:
        await transport.crashed.wait()
        await cluster.kill()
        await cluster.start(chosen=CHOSEN)

    replacing = asyncio.create_task(replace())
    world = World(cluster)
    await story(world)
    objects = await world.see()
    replacing.cancel()
    await cluster.kill()
    return Played(objects, transport.writes)


@pytest.mark.parametrize("story", STORIES)
def test_a_crash_after_any_write_changes_nothing_in_the_end(story: Story) -> None:
    want = run_virtual(play(story))
    assert len(want.writes) > 1

    for number, write in enumerate(want.writes, 1):
        found = run_virtual(play(story, crash_after=number))
        assert found.objects == want.objects, f"after write {number}: {write}"


@pytest.mark.parametrize("story", STORIES)
def test_a_lost_answer_to_any_write_changes_nothing_in_the_end(story: Story) -> None:
    want = run_virtual(play(story))

    for number, write in enumerate(want.writes, 1):
        found = run_virtual(play(story, lose_answer_of=number))
        assert found.objects == want.objects, f"answer to write {number}: {write}"
        assert found.made_claims() == want.made_claims(), f"answer to write {number}: {write}"


def test_a_user_s_change_just_before_a_write_changes_nothing_in_the_end() -> None:
    want = run_virtual(play(group_and_claim))

    for number, write in enumerate(want.writes, 1):
        found = run_virtual(play(group_and_claim, change_before=number))
        assert found.objects == want.objects, f"before write {number}: {write}"


@pytest.mark.parametrize("resource", ["pods", "podgroups", "resourceclaims"])
def test_late_news_of_one_kind_changes_nothing_in_the_end(resource: str) -> None:
    want = run_virtual(play(group_and_claim))

    found = run_virtual(play(group_and_claim, late_news={resource: 2.5}))

    assert found.objects == want.objects
    assert found.made_claims() == want.made_claims()


def _timeless(obj: Json) -> Json:
    """Return what is not made by chance: names that were generated are cut."""
    metadata = obj["metadata"]
    status = obj.get("status") or {}
    seen: Json = {
        "name": metadata.get("generateName") or metadata["name"],
        "owners": [owner["name"] for owner in metadata.get("ownerReferences", ())],
        "finalizers": metadata.get("finalizers", []),
        "terminating": "deletionTimestamp" in metadata,
        "phase": status.get("phase"),
        "allocated": "allocation" in status,
        "reservedFor": [entry["name"] for entry in status.get("reservedFor", ())],
        "claims": [
            (entry["name"], entry["resourceClaimName"][:-5])
            for entry in status.get("resourceClaimStatuses", ())
        ],
    }
    return seen
