"""Random stories of claims under the real ResourceClaim controller and ours: both end alike."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator

import msgspec
import pytest

from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.resources import NAMESPACES, NODES
from tests.component.claimobjects import Json
from tests.real.claimstories import NODE, Step, World, make_story
from tests.real.planes import Planes, Setup, both_planes, client_of
from tests.real.seeds import chosen_seeds

COUNT = "KUBEGANG_CLAIM_CASES"
"""In the environment: how many cases; or seeds, as ``100-180,17,23``."""

AT_ONCE = 8
LOOK_SECONDS = 0.5
QUIET_LOOKS = 2
PATIENCE_SECONDS = 45.0
PLAYS = 2
"""So often a case that differs is played: of two workers of the real one either may be first."""

CLAIMS_GATE = ("DRAWorkloadResourceClaims",)
SETUPS = {
    "1.37": Setup(),
    "1.36": Setup(release="1.36"),
    "1.35": Setup(release="1.35"),
    "1.37 without the gate in the controllers": Setup(off_in_controllers=CLAIMS_GATE),
    "1.36 without the gate in the controllers": Setup(
        release="1.36", off_in_controllers=CLAIMS_GATE
    ),
}

SHORT = "1.37"
"""Played with few cases even where there is little time."""

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=() if name == SHORT else (pytest.mark.long,)) for name in SETUPS
    ],
)
def setup(request: pytest.FixtureRequest) -> Setup:
    return SETUPS[request.param]


@pytest.fixture(scope="module")
def planes(setup: Setup, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    with both_planes(tmp_path_factory.mktemp("claims"), setup) as started:
        yield started


async def test_random_claims_fare_the_same_with_both_controllers(
    planes: Planes, setup: Setup
) -> None:
    clients = [client_of(path) for path in planes]
    limit = asyncio.Semaphore(AT_ONCE)

    async def compare_one(seed: int) -> str:
        difference = ""
        async with limit:
            for _ in range(PLAYS):
                difference = await compare(seed, clients, setup)
                if not difference:
                    break
        return difference

    try:
        await asyncio.gather(*(_put_node(client) for client in clients))
        usual = 8 if setup == SETUPS[SHORT] else 16
        differences = await asyncio.gather(
            *(compare_one(seed) for seed in chosen_seeds(COUNT, usual))
        )
    finally:
        for client in clients:
            await client.close()

    told = [difference for difference in differences if difference]
    assert not told, f"{len(told)} cases differ\n" + "\n\n".join(told)


async def compare(seed: int, clients: list[ApiClient], setup: Setup) -> str:
    """Play a story on both planes; return the first difference, or an empty text."""
    version = profile_named(setup.release).schedulers[0].pod_group_version
    namespace = f"case-{seed}-{uuid.uuid4().hex[:6]}"
    worlds = [World(client, namespace, group_version=version) for client in clients]
    for client in clients:
        await _make_namespace(client, namespace)
    made = 3 if setup.release == "1.37" else 1
    story = make_story(seed, group_version=version, made_per_pod=made)
    difference = ""
    for number, step in enumerate(story):
        said = [await world.do(step) for world in worlds]
        if said[0] != said[1]:
            difference = f"answers: {said}"
        else:
            # After each step: what two of them become may depend on who sees which first.
            difference = await _settle(worlds)
        if difference:
            told = msgspec.json.encode(story[: number + 1]).decode()
            return f"seed {seed}, step {number} {_short(step)}:\n{difference}\nin {told}"
    for client in clients:
        await client.delete(NAMESPACES, namespace)
    return ""


async def _settle(worlds: list[World]) -> str:
    """Wait until both are alike and stay so; return the difference if that does not come."""
    clock = RealClock()
    started = clock.now()
    looks = 0
    while True:
        real, own = await asyncio.gather(*(world.see() for world in worlds))
        looks = looks + 1 if real == own else 0
        if looks == QUIET_LOOKS:
            return ""
        if clock.now() - started > PATIENCE_SECONDS and real != own:
            return _difference(real, own)
        await clock.sleep(LOOK_SECONDS)


def _difference(real: Json, own: Json) -> str:
    lines = []
    for key in sorted(real.keys() | own.keys()):
        if real.get(key) != own.get(key):
            lines += [f"- {key}: {real.get(key)}", f"+ {key}: {own.get(key)}"]
    return "\n".join(lines)


def _short(step: Step) -> str:
    return f"{step.what} {step.kind} {step.name} {step.phase}{' '.join(step.consumers)}"


async def _put_node(client: ApiClient) -> None:
    body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}
    await client.create(NODES, body)


async def _make_namespace(client: ApiClient, name: str) -> None:
    await client.create(
        NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    )
