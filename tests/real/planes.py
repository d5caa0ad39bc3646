"""The two control planes that are compared: the real programs, and ours."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.kubeconfig import load_kubeconfig
from tests.system.upprocess import up

PEER = Path(__file__).parent / "peer"
BINARIES = Path.home() / ".cache" / "kubegang-peer" / "k137" / "bin"

RUNNING_PEER = "KUBEGANG_PEER_KUBECONFIG"
"""In the environment: the way to a real control plane that runs already."""

PORT = "KUBEGANG_PEER_PORT"
"""In the environment: the first of five free ports for a real control plane."""


@contextlib.contextmanager
def real_plane(directory: Path) -> Iterator[Path]:
    """Run the real API server and controllers inside the block; its value is the kubeconfig."""
    if RUNNING_PEER in os.environ:
        yield Path(os.environ[RUNNING_PEER])
        return
    if not (BINARIES / "kube-apiserver").exists():
        # Missing programs must not look like a comparison that went well.
        pytest.fail(f"no programs in {BINARIES}: run tests/real/peer/build 37")
    port = os.environ.get(PORT, "22300")
    environment = {**os.environ, "NO_SCHED": "1", "ETCD_NOFSYNC": "true"}
    subprocess.run([PEER / "up", "37", directory, port], env=environment, check=True)
    try:
        yield directory / "kubeconfig"
    finally:
        subprocess.run([PEER / "down", directory], check=True)


@contextlib.contextmanager
def own_plane(directory: Path) -> Iterator[Path]:
    """Run our API server and controllers inside the block; its value is the kubeconfig."""
    directory.mkdir(exist_ok=True)
    with up(directory, "--in-memory", "--components=apiserver,controllers") as started:
        yield started.kubeconfig


def client_of(kubeconfig: Path) -> ApiClient:
    """Return the API as its administrator."""
    return ApiClient(HttpTransport(load_kubeconfig(kubeconfig)), user_agent="kubectl")
