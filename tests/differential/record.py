"""Records what comes of scenarios on real Kubernetes.

``python -m tests.differential.record --release 37 --seeds 1-300 --out FILE.yaml``
Plays on several planes at a time. With ``--again`` the scenarios of FILE are played once
more and their outcomes added. Where the real scheduler ended by itself, its plane is started
anew and the scenario left out.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from kubegang.apimachinery.errors import ApiError
from kubegang.client.api import ApiClient
from kubegang.client.interface import UnreachableError
from tests.differential.generator import FAMILIES, scenario
from tests.differential.objects import RELEASES, Release
from tests.differential.planes import client_of, ended, peer_plane, play_real
from tests.differential.player import Pace
from tests.differential.scenario import GROUPS, Recording, load_recordings, save_recordings

PORTS_OF_A_PLANE = 5


class Recorder:
    """Plays what is left to play on several planes, and keeps what came of it."""

    def __init__(
        self,
        release: Release,
        wanted: Sequence[Recording],
        *,
        known: Sequence[Recording],
        out: Path,
        pace: Pace,
    ) -> None:
        self._kept = {recording.scenario.name: recording for recording in known}
        self._out = out
        self._release = release
        self._pace = pace
        self._left: Iterator[Recording] = iter(wanted)

    async def work(self, directory: Path, port: int) -> None:
        """Play on one plane until nothing is left, starting it again when it broke."""
        run = 0
        while True:
            run += 1
            place = directory / str(run)
            plane = peer_plane(self._release, place, port=port, scheduler=True)
            async with plane as kubeconfig:
                if await self._play(kubeconfig):
                    return

    async def _play(self, kubeconfig: Path) -> bool:
        """Return whether nothing is left; otherwise the plane broke."""
        client = client_of(kubeconfig)
        try:
            for recording in self._left:
                if not await self._play_one(client, recording, kubeconfig.parent):
                    return False
            return True
        finally:
            await client.close()

    async def _play_one(self, client: ApiClient, recording: Recording, directory: Path) -> bool:
        played = recording.scenario
        try:
            outcome = await play_real(
                client,
                self._release,
                played,
                pace=self._pace,
                run=str(len(recording.outcomes)),
            )
        except (ApiError, UnreachableError) as error:
            say(f"drop {played.name}: {error!r}")
            return not isinstance(error, UnreachableError)
        if ended(directory):
            say(f"drop {played.name}: the real scheduler ended")
            return False
        outcomes = (*recording.outcomes, outcome)
        self._kept[played.name] = msgspec.structs.replace(recording, outcomes=outcomes)
        save_recordings(self._out, [self._kept[name] for name in sorted(self._kept)])
        say(f"{played.name} {played.theme}{' restless' if outcome.restless else ''}")
        return True


def say(line: str) -> None:
    """Print for whoever waits."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def numbers(text: str) -> range:
    """Return ``1-300`` or ``7`` as numbers."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


async def record(arguments: argparse.Namespace, known: Sequence[Recording]) -> None:
    """Play everything that was asked for.

    Args:
        arguments: of the command.
        known: what the file holds already.
    """
    if arguments.again:
        chosen = set(arguments.again.split(",")) - {"all"}
        wanted = [r for r in known if not chosen or r.scenario.name in chosen]
    else:
        seen = {recording.scenario.seed for recording in known}
        wanted = [
            Recording(scenario=scenario(arguments.release, seed, arguments.family), outcomes=())
            for seed in numbers(arguments.seeds)
            if seed not in seen
        ]
    recorder = Recorder(
        RELEASES[arguments.release],
        wanted,
        known=known,
        out=arguments.out,
        pace=Pace(between=arguments.between),
    )
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as scratch:
        await asyncio.gather(
            *(
                recorder.work(Path(scratch) / str(i), arguments.port + i * PORTS_OF_A_PLANE)
                for i in range(arguments.planes)
            )
        )


def main() -> None:
    """Read the arguments and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", type=int, required=True, choices=sorted(RELEASES))
    parser.add_argument("--seeds", default="1-20")
    parser.add_argument("--family", default=GROUPS, choices=sorted(FAMILIES))
    parser.add_argument("--again", default="", help="names, or all")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--planes", type=int, default=2)
    parser.add_argument("--port", type=int, default=28000)
    parser.add_argument("--between", type=float, default=Pace().between)
    parser.add_argument("--scratch", default=None)
    arguments = parser.parse_args()
    known = load_recordings(arguments.out) if arguments.out.exists() else []
    asyncio.run(record(arguments, known))


if __name__ == "__main__":
    main()
