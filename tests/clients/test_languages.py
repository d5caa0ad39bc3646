"""Suites of other languages' and Python's clients, each run with its own interpreter.

The suites' own reports are shown if one fails. They are installed by ``make test-clients``.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.kubectl.running import Kubectl

HERE = Path(__file__).parent
INSTALLED = HERE.parents[1] / ".clients"
PROGRAMS = INSTALLED / "python/bin"
PYTHON_SUITES = ("kopf", "kr8s", "kubernetes", "kubernetes_asyncio", "lightkube")
RELEASES = ("1.37", "1.36", "1.35")
SUITE_SECONDS = 110

pytestmark = [pytest.mark.clients, pytest.mark.timeout(SUITE_SECONDS + 60)]


def run_suite(command: list[str], directory: Path, kubeconfig: Path, namespace: str) -> None:
    """Run a suite to its end in a namespace of its own."""
    created = Kubectl(kubeconfig, directory, namespace)("create", "namespace", namespace)
    assert created.code == 0, created.stderr
    environment = {
        **os.environ,
        "KUBECONFIG": str(kubeconfig),
        "KUBEGANG_CLIENT_NAMESPACE": namespace,
        # The suites' pytest has its own options and plug-ins.
        "PYTEST_ADDOPTS": "",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SUITE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", PYTHON_SUITES)
def test_a_client_for_python_works(
    cluster_of: Callable[[str], Path], word: str, name: str, release: str
) -> None:
    command = [str(PROGRAMS / "python"), "-m", "pytest", "-q", f"suite_{name}.py"]

    run_suite(command, HERE / "python", cluster_of(release), f"python-{word}")


@pytest.mark.parametrize("release", RELEASES)
def test_the_client_for_javascript_works(
    cluster_of: Callable[[str], Path], word: str, release: str
) -> None:
    command = [str(PROGRAMS / "node"), "--test", "--test-timeout=60000", "suite.test.mjs"]

    run_suite(command, INSTALLED / "javascript", cluster_of(release), f"javascript-{word}")
