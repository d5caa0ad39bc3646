"""A server for kubectl to talk to: the embedded API server, in processes of its own.

With ``KUBEGANG_TEST_KUBECONFIG`` in the environment the tests talk to that cluster instead,
which is how they are themselves checked against a real kube-apiserver.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.kubectl.running import Kubectl

OTHER_CLUSTER = "KUBEGANG_TEST_KUBECONFIG"


@pytest.fixture(scope="session")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The way to an API server alone, which runs until the last test has ended."""
    if OTHER_CLUSTER in os.environ:
        yield Path(os.environ[OTHER_CLUSTER]).absolute()
        return
    with serving(tmp_path_factory.mktemp("server")) as path:
        yield path


@pytest.fixture(scope="session")
def cluster_kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The way to a whole embedded cluster; it has no nodes but those that tests make."""
    components = ("apiserver", "controllers", "scheduler", "nodes")
    with serving(tmp_path_factory.mktemp("cluster"), *components) as path:
        yield path


@contextlib.contextmanager
def serving(directory: Path, *components: str) -> Iterator[Path]:
    """Run components while the block does; the way to them is its value."""
    command = [sys.executable, "-m", "tests.conformance.serve", str(directory), *components]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            wait_until_ready(process)
            yield directory / "kubeconfig"
        finally:
            process.terminate()


def wait_until_ready(process: subprocess.Popen[str]) -> None:
    """Read what the server says until it says that it is ready."""
    said = []
    for line in process.stdout or ():
        if line.startswith("ready"):
            return
        said.append(line)
    pytest.fail(f"the server did not start:\n{''.join(said)}")


@pytest.fixture
def word() -> str:
    """A word that no other test has, for names that all namespaces share."""
    return secrets.token_hex(4)


@pytest.fixture
def kubectl(kubeconfig: Path, tmp_path: Path, word: str) -> Kubectl:
    """kubectl in a namespace and a directory of its own, on an API server alone."""
    return in_own_namespace(Kubectl(kubeconfig, tmp_path, f"test-{word}"))


@pytest.fixture
def cluster_kubectl(cluster_kubeconfig: Path, tmp_path: Path, word: str) -> Kubectl:
    """kubectl in a namespace and a directory of its own, on a whole cluster."""
    return in_own_namespace(Kubectl(cluster_kubeconfig, tmp_path, f"test-{word}"))


def in_own_namespace(kubectl: Kubectl) -> Kubectl:
    created = kubectl("create", "namespace", kubectl.namespace)
    assert created.code == 0, created.stderr
    return kubectl
