"""Servers for the clients: an API server alone, and a whole cluster of each release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conformance.conftest import kubeconfig, kubectl, word
from tests.system.upprocess import up

__all__ = ["kubeconfig", "kubectl", "word"]

NODES = 2


@pytest.fixture(scope="session")
def cluster_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Path]]:
    """Return the way to a running ``kubegang up`` of a release, started when first wanted."""
    started: dict[str, Path] = {}
    with ExitStack() as running:

        def start(release: str) -> Path:
            if release not in started:
                flags = ("--in-memory", f"--nodes={NODES}", f"--kubernetes-version={release}")
                directory = tmp_path_factory.mktemp("cluster")
                started[release] = running.enter_context(up(directory, *flags)).kubeconfig
            return started[release]

        yield start
