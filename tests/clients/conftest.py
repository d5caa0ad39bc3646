"""Servers for the clients: an API server alone, and a whole cluster of each release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.conformance.conftest import kubeconfig, kubectl, word
from tests.system.upprocess import Up, up

__all__ = ["kubeconfig", "kubectl", "word"]

API_FLAGS = ("--in-memory", "--components=apiserver")
FLAGS = ("--in-memory", "--nodes=2", "--components=apiserver,controllers,scheduler,nodes")


@pytest.fixture(scope="session")
def cluster_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Path]]:
    """Return the way to a running ``kubegang up`` of a release, started when first wanted."""
    with _started_when_wanted(tmp_path_factory, FLAGS) as start:
        yield start


@pytest.fixture(scope="session")
def api_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Path]]:
    """Return the way to an API server alone of a release, started when first wanted."""
    with _started_when_wanted(tmp_path_factory, API_FLAGS) as start:
        yield start


@contextmanager
def _started_when_wanted(
    tmp_path_factory: pytest.TempPathFactory, flags: tuple[str, ...]
) -> Iterator[Callable[[str], Path]]:
    started: dict[str, Up] = {}
    with ExitStack() as running:

        def start(release: str) -> Path:
            if release not in started:
                directory = tmp_path_factory.mktemp("cluster")
                arguments = (*flags, f"--kubernetes-version={release}")
                started[release] = running.enter_context(up(directory, *arguments))
            cluster = started[release]
            if cluster.process.poll() is not None:
                said = cluster.process.stdout.read() if cluster.process.stdout else ""
                pytest.fail(f"the cluster has ended: {said[-4000:]}")
            return cluster.kubeconfig

        yield start
