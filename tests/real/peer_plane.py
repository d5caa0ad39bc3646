"""The real control plane, started and stopped by the scripts in ``peer``."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

PEER = Path(__file__).resolve().parent / "peer"
PROGRAMS = Path(os.environ.get("PEER_BIN", Path.home() / ".cache/kubegang-peer"))
PORTS_OF_A_PLANE = 5
PORTS_OF_A_WORKER = 500
"""Test processes that run side by side look for ports in ranges of their own: a port is free
until the program that was told to take it has started."""


def peer_program(name: str, version: str) -> Path:
    """Return the path of a real program of a release: 37, 36 or 35."""
    return PROGRAMS / f"k1{version}" / "bin" / name


def free_port() -> int:
    """Return a port of the loopback address that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def five_free_ports() -> int:
    """Return the first of five consecutive ports that nobody listens on."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    start = 24000 + worker % 8 * PORTS_OF_A_WORKER
    for first in range(start, start + PORTS_OF_A_WORKER, PORTS_OF_A_PLANE):
        if all(is_free(first + offset) for offset in range(PORTS_OF_A_PLANE)):
            return first
    raise RuntimeError("no five free ports in a row")


def is_free(port: int) -> bool:
    """Return whether a port of the loopback address can be bound."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@contextlib.contextmanager
def real_plane(directory: Path, version: str = "37", **environment: str) -> Iterator[Path]:
    """Run the real programs inside the block; yields the path of their kubeconfig.

    Args:
        directory: where they keep their files.
        version: 37, 36 or 35.
        environment: as ``peer/up`` documents: NO_SCHED, NO_KCM, BACKOFF_INIT …
    """
    subprocess.run(
        [str(PEER / "up"), version, str(directory), str(five_free_ports())],
        env={**os.environ, **environment},
        check=True,
    )
    try:
        yield directory / "kubeconfig"
    finally:
        subprocess.run([str(PEER / "down"), str(directory)], check=True)
