"""Plays fresh scenarios on the real scheduler and on ours, each beside a real API server.

``python -m tests.differential.live --release 37 --seeds 1-24``
With ``--recorded FILE`` only ours is played, guided by what was recorded.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from kubegang.base.clock import RealClock
from kubegang.base.logging import configure_logging
from kubegang.client.api import ApiClient
from tests.differential.compare import Comparison, Judge
from tests.differential.generator import FAMILIES, scenario
from tests.differential.objects import RELEASES, Release
from tests.differential.planes import (
    GUIDED_FROM,
    client_of,
    ended,
    peer_plane,
    play_ours,
    play_real,
)
from tests.differential.player import Pace
from tests.differential.record import PORTS_OF_A_PLANE, numbers, say
from tests.differential.scenario import GROUPS, Outcome, Recording, Scenario, load_recordings

ATTEMPTS: Final = 3
"""A difference must show every time; the clock on the wall decides some plays."""


class Live:
    """Compares scenarios on one pair of planes after the other."""

    def __init__(self, release: Release, wanted: Sequence[Recording], *, pace: Pace) -> None:
        self.comparisons: list[Comparison] = []
        self._release = release
        self._pace = pace
        self._left: Iterator[Recording] = iter(wanted)

    async def work(self, directory: Path, port: int, *, with_real: bool) -> None:
        """Compare on one pair of planes until nothing is left."""
        async with AsyncExitStack() as stack:
            own = await stack.enter_async_context(
                peer_plane(self._release, directory / "ours", port=port, scheduler=False)
            )
            pair = Pair(self._release, client_of(own), pace=self._pace)
            stack.push_async_callback(pair.ours.close)
            if with_real:
                place, first = directory / "real", port + PORTS_OF_A_PLANE
                real = await stack.enter_async_context(
                    peer_plane(self._release, place, port=first, scheduler=True)
                )
                pair.real = client_of(real)
                stack.push_async_callback(pair.real.close)
            for recording in self._left:
                if with_real and ended(directory / "real"):
                    say("the real scheduler ended; this pair of planes is done")
                    return
                self._note(await pair.compare(recording))

    def _note(self, comparison: Comparison) -> None:
        self.comparisons.append(comparison)
        say(f"{comparison.name} {comparison.theme}: {comparison.verdict}")
        for line in comparison.differences:
            say(f"    {line}")


class Pair:
    """A real API server for our scheduler, and maybe a whole real plane.

    Attributes:
        ours: the API that our scheduler works on.
        real: the API that kube-scheduler works on.
    """

    def __init__(self, release: Release, ours: ApiClient, *, pace: Pace) -> None:
        self.ours = ours
        self.real: ApiClient | None = None
        self._release = release
        self._pace = pace

    async def compare(self, recording: Recording) -> Comparison:
        """Play a scenario until both agree, or differ every time."""
        played = recording.scenario
        judge = Judge(played)
        outcomes = list(recording.outcomes)
        for attempt in range(ATTEMPTS):
            if self.real is not None:
                outcomes.append(await self._play_real(self.real, played, attempt))
            model = outcomes[-1]
            if judge.agrees(model, await self._play_ours(played, model, attempt)):
                break
        return judge.verdict(Recording(scenario=played, outcomes=tuple(outcomes)))

    async def _play_real(self, client: ApiClient, played: Scenario, attempt: int) -> Outcome:
        return await play_real(client, self._release, played, pace=self._pace, run=str(attempt))

    async def _play_ours(self, played: Scenario, model: Outcome, attempt: int) -> Outcome:
        return await play_ours(
            self.ours,
            self.ours,
            self._release,
            played,
            model=model,
            clock=RealClock(),
            pace=self._pace,
            seed=attempt if attempt < ATTEMPTS - 1 else GUIDED_FROM,
        )


async def compare_live(
    release: Release,
    wanted: Sequence[Recording],
    *,
    pairs: int,
    port: int,
    with_real: bool,
) -> list[Comparison]:
    """Compare scenarios on several pairs of planes at a time."""
    live = Live(release, wanted, pace=Pace())
    ports = 2 * PORTS_OF_A_PLANE
    with tempfile.TemporaryDirectory() as scratch:
        await asyncio.gather(
            *(
                live.work(Path(scratch) / str(index), port + index * ports, with_real=with_real)
                for index in range(pairs)
            )
        )
    return live.comparisons


def fresh(release: int, seeds: Sequence[int], family: str = GROUPS) -> list[Recording]:
    """Return scenarios that were never played."""
    return [Recording(scenario=scenario(release, seed, family), outcomes=()) for seed in seeds]


def main() -> None:
    """Read the arguments and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", type=int, required=True, choices=sorted(RELEASES))
    parser.add_argument("--seeds", default="1-20")
    parser.add_argument("--family", default=GROUPS, choices=sorted(FAMILIES))
    parser.add_argument("--recorded", type=Path, default=None)
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument("--port", type=int, default=28200)
    arguments = parser.parse_args()
    configure_logging(component="differential", json=False, level="error")
    seeds = numbers(arguments.seeds)
    if arguments.recorded is None:
        wanted = fresh(arguments.release, seeds, arguments.family)
    else:
        known = load_recordings(arguments.recorded)
        wanted = [recording for recording in known if recording.scenario.seed in seeds]
    comparisons = asyncio.run(
        compare_live(
            RELEASES[arguments.release],
            wanted,
            pairs=arguments.pairs,
            port=arguments.port,
            with_real=arguments.recorded is None,
        )
    )
    counts = Counter(comparison.verdict for comparison in comparisons)
    say(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
