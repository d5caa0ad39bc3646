"""Random clusters with device claims on the real scheduler and on ours, each on a real plane.

Pods, groups and claims must settle alike: who is where, what those without a node are told,
which devices each claim has, and for whom it is reserved. Where timing decides upstream, as
between pods that share a claim which is just being allocated, a scene is played again on both
sides until what one does was also seen on the other, three times at most.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kubegang.client.resources import pod_groups_in
from tests.real.claim_player import Outcome, Stage
from tests.real.claim_scenes import Painter
from tests.real.peer_plane import real_plane
from tests.real.planes import DEFAULT, Setup, client_of
from tests.system.upprocess import PROGRAM

COUNT = "KUBEGANG_CLAIM_SCENES"
"""In the environment: how many scenes to play, per release."""

FIRST = "KUBEGANG_CLAIM_SEED"
"""In the environment: the first scene's seed."""

RUNNING = "KUBEGANG_CLAIM_PLANES"
"""In the environment: a release, and the kubeconfigs of planes of it that run already."""

ROUNDS = 5
RELEASES = ("1.37", "1.36", "1.35")
GROUP_VERSIONS = {"1.37": "v1beta1", "1.36": "v1alpha2"}

CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {qps: 5000, burst: 10000}
leaderElection: {leaderElect: false}
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 1
"""

pytestmark = [pytest.mark.real, pytest.mark.timeout(7200)]


class Sides(NamedTuple):
    """A release, and the kubeconfigs of its two planes."""

    release: str
    theirs: Path
    ours: Path


@pytest.fixture(scope="module", params=RELEASES)
def sides(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sides]:
    release: str = request.param
    if RUNNING in os.environ:
        wanted, *paths = os.environ[RUNNING].split(",")
        if wanted != release:
            pytest.skip("not the release that runs")
        yield Sides(release, Path(paths[0]), Path(paths[1]))
        return
    directory = tmp_path_factory.mktemp("claims")
    version = release.replace("1.", "")
    with (
        real_plane(directory / "theirs", version, BACKOFF_MAX="1", ETCD_NOFSYNC="true") as theirs,
        real_plane(directory / "ours", version, NO_SCHED="1", ETCD_NOFSYNC="true") as ours,
        our_scheduler(directory, ours, release),
    ):
        yield Sides(release, theirs, ours)


@contextlib.contextmanager
def our_scheduler(directory: Path, kubeconfig: Path, release: str) -> Iterator[None]:
    """Run our scheduler in place of the real one."""
    configuration = directory / "scheduler.yaml"
    configuration.write_text(CONFIGURATION)
    setup = Setup(release=release)
    command = [
        "scheduler",
        f"--kubeconfig={kubeconfig}",
        f"--config={configuration}",
        f"--kubernetes-version={release}",
        f"--feature-gates={setup.gates(DEFAULT.off_in_apiserver)}",
        "--scheduler-name=default-scheduler",
        "--secure-port=0",
    ]
    scheduler = subprocess.Popen([*PROGRAM, *command])
    try:
        yield
    finally:
        scheduler.send_signal(signal.SIGTERM)
        scheduler.wait(timeout=10)


def seeds() -> range:
    """Return the seeds of the scenes to play."""
    first = int(os.environ.get(FIRST, "3"))
    return range(first, first + int(os.environ.get(COUNT, "6")))


@pytest.mark.parametrize("seed", seeds())
def test_claims_settle_alike(sides: Sides, seed: int) -> None:
    differences = asyncio.run(play(sides, seed))
    assert not differences, "\n".join(differences)


async def play(sides: Sides, seed: int) -> list[str]:
    """Return how the two sides differ on a scene, whatever timing does."""
    clients = [client_of(sides.theirs), client_of(sides.ours)]
    version = GROUP_VERSIONS.get(sides.release)
    stages = [Stage(client, pod_groups_in(version) if version else None) for client in clients]
    seen: tuple[list[list[Outcome]], list[list[Outcome]]] = ([], [])
    differences: list[str] = []
    try:
        for number in range(ROUNDS):
            groups = version is not None
            scene = Painter(seed, number=number, with_groups=groups, full=groups).scene()
            namespace = f"claims-{seed}-{number}-{os.getpid()}"
            played = await asyncio.gather(*(s.play(scene, namespace) for s in stages))
            for outcomes, outcome in zip(seen, played, strict=True):
                outcomes.append(outcome)
            pairs = [(a, b) for a in seen[0] for b in seen[1]]
            differences = min((compare(a, b) for a, b in pairs), key=len)
            if not differences:
                break
    finally:
        for client in clients:
            await client.close()
    return differences


def compare(theirs: list[Outcome], ours: list[Outcome]) -> list[str]:
    """Return what is not alike, at first or in the end."""
    return [
        f"{moment}: {name}: theirs {a.get(name)!r}, ours {b.get(name)!r}"
        for moment, a, b in zip(("first", "end"), theirs, ours, strict=True)
        for name in sorted({*a, *b})
        if a.get(name) != b.get(name)
    ]
