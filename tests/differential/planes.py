"""The control planes that scenarios are played on."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

from prometheus_client import CollectorRegistry

from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import Clock, RealClock, VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.interface import Client
from kubegang.client.kubeconfig import load_kubeconfig
from kubegang.scheduler.framework.entities import (
    QueuedEntity,
    QueuedPodGroupInfo,
    QueuedPodInfo,
)
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.scheduler import Scheduler, SchedulerSettings
from kubegang.store.memory import MemoryStore
from tests.differential.guide import Guide, guided
from tests.differential.objects import Release
from tests.differential.player import Pace, Player
from tests.differential.scenario import Outcome, Scenario

PEER: Final = Path(__file__).resolve().parents[1] / "real" / "peer"
START: Final = 1_795_000_000.0
COMPLETING_FIRST: Final = 0.75
SOMEHOW: Final = 0.5
GUIDED_FROM: Final = 12
"""Plays with this seed and greater ones try equal members as the other scheduler may have."""
PHASE_SECONDS: Final = 0.3
BACKOFF: Final = BackoffPolicy(initial_seconds=1, max_seconds=1)


@contextlib.asynccontextmanager
async def peer_plane(
    release: Release, directory: Path, *, port: int, scheduler: bool
) -> AsyncIterator[Path]:
    """Run the real programs inside the block, without controllers; yields the kubeconfig."""
    environment = {
        **os.environ,
        "NO_KCM": "1",
        "BACKOFF_INIT": "1",
        "BACKOFF_MAX": "1",
        "ETCD_NOFSYNC": "true",
    }
    if not scheduler:
        environment["NO_SCHED"] = "1"
    # In threads, since other planes are being played on meanwhile.
    await _run("up", str(release.number), str(directory), str(port), environment=environment)
    try:
        yield directory / "kubeconfig"
    finally:
        await _run("down", str(directory), environment=environment)


async def _run(script: str, *arguments: str, environment: Mapping[str, str]) -> None:
    command = [str(PEER / script), *arguments]
    await asyncio.to_thread(
        subprocess.run, command, env=environment, check=True, stdout=subprocess.DEVNULL
    )


def ended(directory: Path) -> bool:
    """Return whether one of a plane's programs is no longer there."""
    pids = (directory / "pids").read_text().split()
    return not all((Path("/proc") / pid).exists() for pid in pids)


def client_of(kubeconfig: Path) -> ApiClient:
    """Return the API of a real plane as its administrator."""
    return ApiClient(HttpTransport(load_kubeconfig(kubeconfig)), user_agent="differential")


def our_scheduler(
    client: Client, release: Release, *, clock: Clock, seed: int, guide: Guide
) -> Scheduler:
    """Return our scheduler as its process has it, with the guide."""
    profile = profile_named(release.name).schedulers[0]
    scheduler = OrderedByChance(
        client,
        [guided(profile)],
        clock=clock,
        rng=random.Random(seed),
        registry=CollectorRegistry(),
        settings=SchedulerSettings(backoff=BACKOFF, plugins=guide.plugins()),
    )
    if profile.group_cycle != "entity":
        scheduler.order = random.Random(seed)
        scheduler.guide = guide if seed >= GUIDED_FROM else None
    return scheduler


class OrderedByChance(Scheduler):
    """Tries members of a group in an order that kube-scheduler leaves to chance.

    1.36 takes the popped member first; in which order it gathers the others changes from play
    to play. In 1.35 the member that completes a gang is mostly tried before those that it
    lets go on, and sometimes after them; and these come into the queue one by one, in an
    order of chance, while the first are taken out of it (measured on 1.36.3 and 1.35.4).

    Attributes:
        order: that chance; ``None`` for releases that have an order of their own.
        guide: who knows how the other scheduler's members fared; they are tried in an order
            that may have led there.
    """

    order: random.Random | None = None
    guide: Guide | None = None

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._attempt_plainly = self._attempt
        self._attempt = self._attempt_by_chance

    def _attempt_by_chance(self, entity: QueuedEntity) -> None:
        if self.order is None:
            self._attempt_plainly(entity)
        elif isinstance(entity, QueuedPodGroupInfo):
            first, *others = entity.members
            entity.members = [first, *self.order.sample(others, len(others))]
            self._attempt_plainly(entity)
        else:
            for one in self._in_some_order(entity, self.order):
                self._attempt_plainly(one)

    def _in_some_order(self, pod: QueuedPodInfo, order: random.Random) -> list[QueuedEntity]:
        """Return a pod and, if it was held with its gang until now, the others in turn."""
        if pod.pod.pod_group is None or pod.attempts > 1:
            return [pod]
        turn: list[QueuedEntity] = [pod]
        while (other := self.queue.pop(now=self._clock.steady())) is not None:
            turn.append(other)
        together = [
            one
            for one in turn
            if isinstance(one, QueuedPodInfo)
            and one.pod.pod_group == pod.pod.pod_group
            and one.attempts == 1
        ]
        if len(together) > 1:
            last = max(together, key=lambda one: one.timestamp)
            others = [one for one in together if one is not last]
            if order.random() < SOMEHOW:
                others = order.sample(others, len(others))
            members = [last, *others] if order.random() < COMPLETING_FIRST else [*others, last]
            if self.guide is not None:
                turn_of = self.guide.turn_of
                members.sort(key=lambda one: turn_of(one.pod))
            turn = [*members, *(one for one in turn if one not in together)]
        return turn


@contextlib.asynccontextmanager
async def scheduling(scheduler: Scheduler) -> AsyncIterator[None]:
    """Run a scheduler inside the block, which begins when it knows the cluster."""
    running = asyncio.create_task(scheduler.run())
    try:
        await scheduler.wait_synced()
        yield
    finally:
        scheduler.stop()
        await running


async def play_ours(
    client: Client,
    scheduling_client: Client,
    release: Release,
    scenario: Scenario,
    *,
    model: Outcome,
    clock: Clock,
    pace: Pace,
    seed: int,
) -> Outcome:
    """Play a scenario with our scheduler on some API server, guided by another outcome."""
    guide = Guide()

    def look_at(phase: int) -> None:
        if phase < len(model.pictures):
            guide.look_at(model.pictures[phase])

    player = Player(client, release, clock=clock, pace=pace)
    scheduler = our_scheduler(scheduling_client, release, clock=clock, seed=seed, guide=guide)
    async with scheduling(scheduler):
        return await player.play(
            scenario, namespace=f"ours-{scenario.name}-{seed}", before_phase=look_at
        )


def play_embedded(
    release: Release, scenario: Scenario, *, model: Outcome, pace: Pace, seed: int
) -> Outcome:
    """Play a scenario with our scheduler and our API server, in virtual time."""

    async def main() -> Outcome:
        # Backoff ends with whole seconds, so when a scenario begins within one matters.
        clock = VirtualClock(START + seed * PHASE_SECONDS % 1.0)
        cluster = EmbeddedCluster(
            EmbeddedSettings(
                profile=profile_named(release.name),
                config=KubeSchedulerConfiguration(),
                components=("apiserver",),
            ),
            store=MemoryStore(),
            clock=clock,
            rng=random.Random(1),
        )
        async with cluster.running():
            return await play_ours(
                cluster.client,
                cluster.client_of("system:kube-scheduler", ("system:masters",)),
                release,
                scenario,
                model=model,
                clock=clock,
                pace=pace,
                seed=seed,
            )

    return run_virtual(main())


async def play_real(
    client: Client, release: Release, scenario: Scenario, *, pace: Pace, run: str
) -> Outcome:
    """Play a scenario on a plane where the real scheduler runs."""
    player = Player(client, release, clock=RealClock(), pace=pace)
    return await player.play(scenario, namespace=f"real-{scenario.name}-{run}")
