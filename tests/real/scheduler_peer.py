"""The real kube-scheduler, run for the length of a block."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.real.peer_plane import is_free


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
    home = Path(os.environ.get("PEER_BIN", Path.home() / ".cache/kubegang-peer"))
    config, log = directory / "scheduler.yaml", directory / "scheduler.log"
    config.write_text(configuration)
    port = next(p for p in range(32100, 32300) if is_free(p))
    command = [
        str(home / f"k1{version}" / "bin/kube-scheduler"),
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
