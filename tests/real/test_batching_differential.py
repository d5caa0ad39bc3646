"""Equal streams of pods on the real schedulers and on ours: batching must count the same."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.batching_peer import Counters, Stage
from tests.real.batchingscenes import draw_scene
from tests.real.peer_plane import real_plane
from tests.real.planes import client_of

COUNT = "KUBEGANG_BATCHING_CASES"
"""In the environment: how many streams per release."""

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module", params=["37", "36", "35"])
def plane(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    directory = tmp_path_factory.mktemp("batching") / "plane"
    with real_plane(
        directory, request.param, NO_SCHED="1", NO_KCM="1", ETCD_NOFSYNC="true"
    ) as path:
        yield request.param, path


@pytest.mark.parametrize("seed", range(int(os.environ.get(COUNT, "6"))))
def test_batching_counts_as_the_real_one_does(
    plane: tuple[str, Path], seed: int, tmp_path: Path
) -> None:
    asyncio.run(compare(*plane, seed=seed, directory=tmp_path))


async def compare(version: str, kubeconfig: Path, *, seed: int, directory: Path) -> None:
    """Play a stream to both; what is bound and what is counted must be the same."""
    scene = draw_scene(seed, version=version)
    client = client_of(kubeconfig)
    try:
        stage = Stage(client, version=version, kubeconfig=kubeconfig)
        async with stage.scene(scene):
            real = await stage.play_real(directory)
        async with stage.scene(scene):
            ours = await stage.play_ours(seed)
    finally:
        await client.close()
    lucky = version != "37" and bool(scene.nominated)
    assert (without_luck(ours[0], lucky=lucky), ours[1]) == (
        without_luck(real[0], lucky=lucky),
        real[1],
    ), [pod["spec"] for pod in scene.pods]


def without_luck(counters: Counters, *, lucky: bool) -> Counters:
    """Return counters in which it does not show whether a full search found what was hinted at.

    Before 1.37 a pod to which a node is promised in vain gets a hint that is not followed.
    """
    prefix = "batch_attempts_total hint"
    if not lucky:
        return counters
    hints = sum(value for name, value in counters.items() if name.startswith(prefix))
    return {k: v for k, v in counters.items() if not k.startswith(prefix)} | {prefix: hints}
