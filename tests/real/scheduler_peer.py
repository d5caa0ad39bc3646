"""The real kube-scheduler, run for the length of a block."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.real.peer_plane import free_port, peer_program


class RealScheduler(NamedTuple):
    """One that runs.

    Attributes:
        port: where it serves.
        log: what it says, while it says it.
    """

    port: int
    log: Path


@contextlib.contextmanager
def real_scheduler(
    directory: Path, version: str, *, configuration: str, verbosity: int, gates: str = ""
) -> Iterator[RealScheduler]:
    """Run it inside the block.

    Args:
        directory: where it keeps its files.
        version: 37, 36 or 35.
        configuration: a KubeSchedulerConfiguration.
        verbosity: of the log.
        gates: feature gates.
    """
    config, log = directory / "scheduler.yaml", directory / "scheduler.log"
    config.write_text(configuration)
    port = free_port()
    command = [
        str(peer_program("kube-scheduler", version)),
        f"--config={config}",
        f"--secure-port={port}",
        "--bind-address=127.0.0.1",
        f"--cert-dir={directory}",
        "--authorization-always-allow-paths=/metrics",
        f"--feature-gates={gates}",
        f"-v={verbosity}",
    ]
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as peer:
        try:
            yield RealScheduler(port, log)
        finally:
            peer.terminate()
