"""The recorded scenarios, each validated on real Kubernetes, played against ``kubegang up``.

One cluster at a time per test process, of the release whose turn it is; scenarios make and
remove their own nodes. What cannot pass yet stands in ``cases_not_yet.yaml`` with its reason,
and must fail: one that passes is taken off.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.system.upprocess import Up, up

HERE = Path(__file__).resolve().parent
RUNNER = HERE / "cases" / "runner.py"
PUBLIC = HERE / "cases" / "public"
NOT_YET: dict[str, str] = yaml.safe_load((HERE / "cases_not_yet.yaml").read_text()) or {}
RELEASES = ("1.35", "1.36", "1.37")
CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 1
"""

pytestmark = [pytest.mark.cases, pytest.mark.timeout(300)]


def scenarios() -> list[object]:
    """Return one parameter per release and scenario that is about it."""
    listed = subprocess.run(
        [sys.executable, str(RUNNER), "--list", str(PUBLIC)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.findall(r"^([a-z0-9]+-\d+)\b +(\S+)", listed.stdout, re.MULTILINE)
    return [
        pytest.param(release, name, marks=marks_of(release, name), id=f"{release}-{name}")
        for release in RELEASES
        for name, versions in found
        if is_about(versions, release)
    ]


def marks_of(release: str, name: str) -> list[pytest.MarkDecorator]:
    """Expect a scenario to fail that stands in the list, for all releases or for this one."""
    reason = NOT_YET.get(name) or NOT_YET.get(f"{release}/{name}")
    return [pytest.mark.xfail(reason=reason, strict=True)] if reason else []


def is_about(versions: str, release: str) -> bool:
    """Return whether ``any``, ``35``, ``35+``, ``35-36`` or ``[35,37]`` names a release."""
    minor = int(release.removeprefix("1."))
    for part in versions.strip("[]").split(","):
        first, dash, last = part.partition("-")
        if part == "any" or (part.endswith("+") and minor >= int(part[:-1])):
            return True
        if part.isdigit() and minor == int(part):
            return True
        if dash and int(first) <= minor <= int(last):
            return True
    return False


class Clusters:
    """The cluster of one release; asking for another release replaces it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._stack = contextlib.ExitStack()
        self._running: tuple[str, Up] | None = None

    def of(self, release: str) -> Up:
        """Return the running cluster of a release."""
        if self._running is None or self._running[0] != release:
            self.close()
            self._running = (release, self._start(release))
        return self._running[1]

    def close(self) -> None:
        """Stop whatever runs."""
        self._running = None
        self._stack.close()

    def _start(self, release: str) -> Up:
        directory = self._directory / release
        directory.mkdir(exist_ok=True)
        configuration = directory / "scheduler.yaml"
        configuration.write_text(CONFIGURATION)
        return self._stack.enter_context(
            up(
                directory,
                "--in-memory",
                f"--kubernetes-version={release}",
                "--components=apiserver,controllers,scheduler",
                f"--config={configuration}",
            )
        )


@pytest.fixture(scope="session")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clusters]:
    with contextlib.closing(Clusters(tmp_path_factory.mktemp("clusters"))) as clusters:
        yield clusters


def play(name: str, kubeconfig: Path) -> subprocess.CompletedProcess[str]:
    """Play one scenario to its end."""
    return subprocess.run(
        [sys.executable, str(RUNNER), f"--kubeconfig={kubeconfig}", f"--only={name}", str(PUBLIC)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("release", "name"), scenarios())
def test_scenario(release: str, name: str, clusters: Clusters) -> None:
    cluster = clusters.of(release)
    played = play(name, cluster.kubeconfig)
    if played.returncode and not marks_of(release, name):
        # Scenarios go by the clock on the wall, and a busy machine can stand still for longer
        # than they wait; what is wrong is wrong twice.
        played = play(name, cluster.kubeconfig)
    skipped = re.search(rf"SKIP {name}: (.*)", played.stdout)
    if skipped:
        # The scenario asks for what the release does not have.
        pytest.skip(skipped.group(1))
    assert played.returncode == 0, played.stdout + played.stderr
