"""Random families of objects under the real garbage collector and ours: the same must stay."""

from __future__ import annotations

import asyncio
import os
import random
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import CONFIGMAPS, NAMESPACES, SERVICEACCOUNTS
from tests.real.planes import Planes, both_planes, client_of

COUNT = "KUBEGANG_GC_CASES"
"""In the environment: how many cases."""

AT_ONCE = 10
QUIET_SECONDS = 2.0
PATIENCE_SECONDS = 30.0
HOLD = "example.com/hold"
KINDS = (CONFIGMAPS, SERVICEACCOUNTS)

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


class Member(msgspec.Struct, frozen=True):
    """An object, and which earlier ones own it; the second value: whether it blocks them."""

    name: str
    kind: str
    owners: tuple[tuple[int, bool], ...]
    held: bool
    elsewhere: bool


class Removal(msgspec.Struct, frozen=True):
    """A member is deleted, or its finalizer is taken off (empty policy)."""

    member: int
    policy: str


class Family(msgspec.Struct, frozen=True):
    """Objects, and what happens to them."""

    seed: int
    members: tuple[Member, ...]
    removals: tuple[Removal, ...]


def make_family(seed: int) -> Family:
    """Return the family of a seed."""
    chance = random.Random(seed)
    members: list[Member] = []
    for number in range(chance.randint(3, 7)):
        owners = [
            (owner, chance.random() < 0.7) for owner in range(number) if chance.random() < 0.4
        ]
        members.append(
            Member(
                name=f"m{number}",
                kind=chance.choice(KINDS).kind,
                owners=tuple(owners),
                held=chance.random() < 0.25,
                elsewhere=chance.random() < 0.1,
            )
        )
    removals = [
        Removal(
            chance.randrange(len(members)),
            chance.choice(("Background", "Foreground", "Orphan", "")),
        )
        for _ in range(chance.randint(1, 4))
    ]
    return Family(seed, tuple(members), tuple(removals))


class Home:
    """One family in one cluster."""

    def __init__(self, client: Client, family: Family, name: str) -> None:
        self._client = client
        self._family = family
        self._namespaces = (name, f"{name}-elsewhere")
        self._uids: list[str] = []

    async def settle_in(self) -> None:
        """Make the members, oldest first."""
        for name in self._namespaces:
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            await self._client.create(NAMESPACES, namespace)
        for member in self._family.members:
            made = await self._client.create(
                _resource(member), self._object(member), self._namespace(member)
            )
            self._uids.append(made["metadata"]["uid"])

    async def remove(self, removal: Removal) -> None:
        """Delete a member, or take its finalizer off."""
        member = self._family.members[removal.member]
        resource, namespace = _resource(member), self._namespace(member)
        try:
            if removal.policy:
                await self._client.delete(
                    resource, member.name, namespace, propagation_policy=removal.policy
                )
            else:
                patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": [HOLD]}}
                await self._client.patch(
                    resource, member.name, namespace, patch=patch, patch_type="strategic"
                )
        except NotFoundError:
            return

    async def look(self) -> dict[str, Any]:
        """Return who is there, and in which state."""
        found = {}
        for namespace in self._namespaces:
            for resource in KINDS:
                for obj in (await self._client.list(resource, namespace)).items:
                    if obj["metadata"]["name"].startswith("m"):
                        found[obj["metadata"]["name"]] = _state(obj)
        going = {name for name, state in found.items() if state["going"]}
        for state in found.values():
            # Which references an object loses on its way out, and when the last one to an
            # owner on its way out is lost, are races among the workers.
            state["owners"] = [] if state["going"] else sorted({*state["owners"]} - going)
        return found

    async def leave(self) -> None:
        """Remove everything."""
        for number in range(len(self._family.members)):
            await self.remove(Removal(number, ""))
        for namespace in self._namespaces:
            await self._client.delete(NAMESPACES, namespace)

    def _namespace(self, member: Member) -> str:
        return self._namespaces[member.elsewhere]

    def _object(self, member: Member) -> JsonObject:
        references = [
            {
                "apiVersion": "v1",
                "kind": self._family.members[owner].kind,
                "name": self._family.members[owner].name,
                "uid": self._uids[owner],
                "blockOwnerDeletion": blocks,
            }
            for owner, blocks in member.owners
        ]
        metadata: JsonObject = {"name": member.name, "ownerReferences": references}
        if member.held:
            metadata["finalizers"] = [HOLD]
        return {"apiVersion": "v1", "kind": member.kind, "metadata": metadata}


def _resource(member: Member) -> Resource:
    return next(resource for resource in KINDS if resource.kind == member.kind)


def _state(obj: JsonObject) -> JsonObject:
    metadata = obj["metadata"]
    going = bool(metadata.get("deletionTimestamp"))
    owners = [owner["name"] for owner in metadata.get("ownerReferences") or ()]
    return {
        "going": going,
        "finalizers": sorted(metadata.get("finalizers") or ()),
        "owners": owners,
    }


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    directory = tmp_path_factory.mktemp("planes")
    with both_planes(directory) as started:
        yield started


async def test_random_families_end_the_same_with_both_collectors(
    planes: Planes,
) -> None:
    clients = [client_of(path) for path in planes]
    limit = asyncio.Semaphore(AT_ONCE)

    async def compare_one(seed: int) -> str:
        async with limit:
            return await compare(make_family(seed), clients)

    try:
        seeds = range(int(os.environ.get(COUNT, "12")))
        differences = await asyncio.gather(*(compare_one(seed) for seed in seeds))
    finally:
        for client in clients:
            await client.close()

    told = [difference for difference in differences if difference]
    assert not told, f"{len(told)} families differ\n" + "\n\n".join(told)


async def compare(family: Family, clients: Sequence[Client]) -> str:
    """Play a family's life in both clusters; return the first difference."""
    name = f"family-{family.seed}-{uuid.uuid4().hex[:6]}"
    homes = [Home(client, family, name) for client in clients]
    await asyncio.gather(*(home.settle_in() for home in homes))
    difference = await settle(homes)
    done: list[Removal] = []
    for removal in family.removals:
        if difference:
            break
        await asyncio.gather(*(home.remove(removal) for home in homes))
        done.append(removal)
        difference = await settle(homes)
    await asyncio.gather(*(home.leave() for home in homes))
    if not difference:
        return ""
    story = msgspec.structs.replace(family, removals=tuple(done))
    return f"{difference}\nin {msgspec.json.encode(story).decode()}"


async def settle(homes: Sequence[Home]) -> str:
    """Wait until nothing changes any more; return the difference."""
    clock = RealClock()
    started = quiet_since = clock.now()
    views = [await home.look() for home in homes]
    while True:
        await clock.sleep(0.7)
        seen = [await home.look() for home in homes]
        now = clock.now()
        if seen != views:
            quiet_since = now
        views = seen
        if now - quiet_since < QUIET_SECONDS:
            continue
        real, own = views
        if real == own:
            return ""
        if now - started > PATIENCE_SECONDS:
            return f"real: {real}\nours: {own}"
