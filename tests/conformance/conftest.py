"""A server for kubectl to talk to: the embedded API server, in processes of its own.

With ``KUBEGANG_TEST_KUBECONFIG`` in the environment the tests talk to that cluster instead,
which is how they are themselves checked against a real kube-apiserver.
"""

from __future__ import annotations

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
    """The way to the API server, which runs until the last test has ended."""
    if OTHER_CLUSTER in os.environ:
        yield Path(os.environ[OTHER_CLUSTER]).absolute()
        return
    directory = tmp_path_factory.mktemp("server")
    command = [sys.executable, "-m", "tests.conformance.serve", str(directory)]
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
    """kubectl in a namespace and a directory of its own."""
    kubectl = Kubectl(kubeconfig, tmp_path, f"test-{word}")
    created = kubectl("create", "namespace", kubectl.namespace)
    assert created.code == 0, created.stderr
    return kubectl
