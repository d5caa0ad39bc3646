"""The two control planes whose controllers are compared: the real programs', and ours."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.kubeconfig import load_kubeconfig
from tests.real.peer_plane import real_plane
from tests.system.upprocess import up

RUNNING_PEER = "KUBEGANG_PEER_KUBECONFIG"
"""In the environment: the way to a real control plane that runs already."""

Planes = tuple[Path, Path]
"""The kubeconfigs of the real plane and of ours."""


@contextlib.contextmanager
def both_planes(directory: Path) -> Iterator[Planes]:
    """Run both inside the block, API server and controllers, without any scheduler."""
    with _real(directory / "real") as real, _own(directory / "own") as own:
        yield real, own


@contextlib.contextmanager
def _real(directory: Path) -> Iterator[Path]:
    if RUNNING_PEER in os.environ:
        yield Path(os.environ[RUNNING_PEER])
        return
    with real_plane(directory, NO_SCHED="1", ETCD_NOFSYNC="true") as kubeconfig:
        yield kubeconfig


@contextlib.contextmanager
def _own(directory: Path) -> Iterator[Path]:
    directory.mkdir(exist_ok=True)
    with up(directory, "--in-memory", "--components=apiserver,controllers") as started:
        yield started.kubeconfig


def client_of(kubeconfig: Path) -> ApiClient:
    """Return the API as its administrator."""
    return ApiClient(HttpTransport(load_kubeconfig(kubeconfig)), user_agent="kubectl")
