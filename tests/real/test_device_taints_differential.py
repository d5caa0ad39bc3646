"""Devices with taints under the real eviction controller and ours: the same pods go."""

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
from tests.real.planes import Planes, Setup, both_planes, client_of
from tests.real.seeds import chosen_seeds
from tests.real.taintstories import NODE, World, make_story

COUNT = "KUBEGANG_TAINT_CASES"
"""In the environment: how many cases; or seeds, as ``100-180,17,23``."""

AT_ONCE = 10
LOOK_SECONDS = 0.5
QUIET_SECONDS = 2.0
"""So long both have to be alike; rules may be reported ten seconds late."""

PATIENCE_SECONDS = 60.0

SETUPS = {
    "1.37": Setup(),
    "1.36": Setup(release="1.36"),
    "1.35": Setup(release="1.35", further_gates=("DRADeviceTaints",)),
    "1.36 with rules": Setup(
        release="1.36",
        further_gates=("DRADeviceTaintRules",),
        further_versions=("resource.k8s.io/v1beta2",),
    ),
    "1.35 with rules": Setup(
        release="1.35",
        further_gates=("DRADeviceTaints", "DRADeviceTaintRules"),
        further_versions=("resource.k8s.io/v1alpha3",),
    ),
}

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=() if name == "1.37" else (pytest.mark.long,)) for name in SETUPS
    ],
)
def setup(request: pytest.FixtureRequest) -> Setup:
    return SETUPS[request.param]


@pytest.fixture(scope="module")
def planes(setup: Setup, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    with both_planes(tmp_path_factory.mktemp("taints"), setup) as started:
        yield started


async def test_the_same_pods_go_when_their_devices_are_tainted(
    planes: Planes, setup: Setup
) -> None:
    clients = [client_of(path) for path in planes]
    limit = asyncio.Semaphore(AT_ONCE)

    async def compare_one(seed: int) -> str:
        async with limit:
            return await compare(seed, clients, setup)

    try:
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}
        for client in clients:
            await client.create(NODES, node)
        differences = await asyncio.gather(*(compare_one(seed) for seed in chosen_seeds(COUNT, 8)))
    finally:
        for client in clients:
            await client.close()

    told = [difference for difference in differences if difference]
    assert not told, f"{len(told)} cases differ\n" + "\n\n".join(told)


async def compare(seed: int, clients: list[ApiClient], setup: Setup) -> str:
    """Play a story on both planes; return the first difference, or an empty text."""
    profile = profile_named(setup.release)
    rules = setup.release == "1.37" or bool(setup.further_versions)
    namespace = f"case-{seed}-{uuid.uuid4().hex[:6]}"
    worlds = [
        World(
            client,
            namespace,
            rules_version=profile.controller_rules.device_taints.rules_version,
            group="g" if setup.release != "1.35" else "",
        )
        for client in clients
    ]
    for client in clients:
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        await client.create(NAMESPACES, body)
    story = make_story(seed, rules=rules)
    for number, step in enumerate(story):
        said = [await world.do(step) for world in worlds]
        difference = f"answers: {said}" if said[0] != said[1] else ""
        difference = difference or await _settle(worlds, rules=rules)
        if difference:
            told = msgspec.json.encode(story[: number + 1]).decode()
            return f"seed {seed}, step {number} {step}:\n{difference}\nin {told}"
    for client, world in zip(clients, worlds, strict=True):
        if rules:
            await world.end()
        await client.delete(NAMESPACES, namespace)
    return ""


async def _settle(worlds: list[World], *, rules: bool) -> str:
    """Wait until both are alike and stay so; return the difference if that does not come."""
    clock = RealClock()
    started = alike_since = clock.now()
    while True:
        real, own = await asyncio.gather(*(world.see(rules=rules) for world in worlds))
        now = clock.now()
        if real != own:
            alike_since = now
            if now - started > PATIENCE_SECONDS:
                return _difference(real, own)
        elif now - alike_since >= QUIET_SECONDS:
            return ""
        await clock.sleep(LOOK_SECONDS)


def _difference(real: Json, own: Json) -> str:
    lines = []
    for key in sorted(real.keys() | own.keys()):
        if real.get(key) != own.get(key):
            lines += [f"- {key}: {real.get(key)}", f"+ {key}: {own.get(key)}"]
    return "\n".join(lines)
