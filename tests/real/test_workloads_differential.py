"""Random Deployments and their like on the real controllers and on ours: no difference."""

from __future__ import annotations

import asyncio
import difflib
import uuid
from collections.abc import Iterator, Sequence

import msgspec
import pytest

from kubegang.base.clock import RealClock
from kubegang.client.interface import Client
from tests.real.planes import Planes, Setup, both_planes, client_of
from tests.real.seeds import chosen_seeds
from tests.workloadlife.player import Player, prepare
from tests.workloadlife.stories import Step, Story, make_story
from tests.workloadlife.view import View, as_text

STORIES = "KUBEGANG_WORKLOAD_STORIES"
"""In the environment: how many stories; or seeds, as ``100-180,17,23``."""

AT_ONCE = 10
QUIET_SECONDS = 2.0
"""Nothing changes for so long."""

LOOK_SECONDS = 0.7
PATIENCE_SECONDS = 30.0

SHORT = "1.37"
"""Played even where there is little time."""

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(release, marks=() if release == SHORT else (pytest.mark.long,))
        for release in ("1.37", "1.36", "1.35")
    ],
)
def planes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Planes]:
    with both_planes(tmp_path_factory.mktemp("planes"), Setup(release=request.param)) as started:
        yield started


async def test_random_workloads_fare_the_same_with_both_controllers(planes: Planes) -> None:
    clients = [client_of(path) for path in planes]
    limit = asyncio.Semaphore(AT_ONCE)

    async def compare_one(seed: int) -> str:
        async with limit:
            return await compare(make_story(seed), clients)

    try:
        await asyncio.gather(*(prepare(client) for client in clients))
        differences = await asyncio.gather(
            *(compare_one(seed) for seed in chosen_seeds(STORIES, 10))
        )
    finally:
        for client in clients:
            await client.close()
    told = [difference for difference in differences if difference]
    assert not told, f"{len(told)} stories differ\n" + "\n\n".join(told)


async def compare(story: Story, clients: Sequence[Client]) -> str:
    """Play a story on both clusters; return the first difference, or an empty text."""
    namespace = f"story-{story.seed}-{uuid.uuid4().hex[:6]}"
    players = [Player(client, story, namespace, clock=RealClock()) for client in clients]
    await asyncio.gather(*(player.begin() for player in players))
    done: list[Step] = []
    difference, views = await settle(players)
    for step in story.steps:
        if difference:
            break
        pairs = zip(players, views, strict=True)
        await asyncio.gather(*(player.do(step, view) for player, view in pairs))
        done.append(step)
        difference, views = await settle(players)
    await asyncio.gather(*(player.end() for player in players))
    if not difference:
        return ""
    told = msgspec.json.encode(msgspec.structs.replace(story, steps=tuple(done))).decode()
    return f"seed {story.seed}, real - and ours +:\n{difference}\nin {told}"


async def settle(players: list[Player]) -> tuple[str, list[View]]:
    """Wait until nothing changes any more; return the difference, and what is seen."""
    clock = RealClock()
    started = quiet_since = clock.now()
    views = [await player.see() for player in players]
    while True:
        await clock.sleep(LOOK_SECONDS)
        seen = [await player.see() for player in players]
        now = clock.now()
        if [view.versions for view in seen] != [view.versions for view in views]:
            quiet_since = now
        views = seen
        if now - quiet_since < QUIET_SECONDS:
            continue
        told = difference_of(players, views)
        if not told or now - started > PATIENCE_SECONDS:
            return told, views


def difference_of(players: list[Player], views: list[View]) -> str:
    """Return how the second differs from the first, or an empty text."""
    real, own = (
        as_text({**view.objects, "refused": player.refused}).splitlines()
        for player, view in zip(players, views, strict=True)
    )
    return "\n".join(difflib.unified_diff(real, own, "real", "ours", lineterm="", n=4))
