"""The recorded scenarios, each validated on real Kubernetes, played against ``kubegang up``.

One cluster per test process; scenarios make and remove their own nodes. What cannot pass yet
stands in ``cases_not_yet.yaml`` with its reason, and must fail: one that passes is taken off.
"""

from __future__ import annotations

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
CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 1
"""

pytestmark = [pytest.mark.cases, pytest.mark.timeout(300)]


def scenarios() -> list[object]:
    """Return one parameter per scenario of 1.37."""
    listed = subprocess.run(
        [sys.executable, str(RUNNER), "--list", str(PUBLIC)],
        capture_output=True,
        text=True,
        check=True,
    )
    ids = re.findall(r"^([a-z0-9]+-\d+)\b", listed.stdout, re.MULTILINE)
    return [
        pytest.param(
            name,
            marks=[pytest.mark.xfail(reason=NOT_YET[name], strict=True)] if name in NOT_YET else [],
        )
        for name in ids
    ]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    directory = tmp_path_factory.mktemp("cluster")
    configuration = directory / "scheduler.yaml"
    configuration.write_text(CONFIGURATION)
    with up(
        directory,
        "--in-memory",
        "--components=apiserver,controllers,scheduler",
        f"--config={configuration}",
    ) as running:
        yield running


def play(name: str, kubeconfig: Path) -> subprocess.CompletedProcess[str]:
    """Play one scenario to its end."""
    return subprocess.run(
        [sys.executable, str(RUNNER), f"--kubeconfig={kubeconfig}", f"--only={name}", str(PUBLIC)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", scenarios())
def test_scenario(name: str, cluster: Up) -> None:
    played = play(name, cluster.kubeconfig)
    if played.returncode and name not in NOT_YET:
        # Scenarios go by the clock on the wall, and a busy machine can stand still for longer
        # than they wait; what is wrong is wrong twice.
        played = play(name, cluster.kubeconfig)
    skipped = re.search(rf"SKIP {name}: (.*)", played.stdout)
    if skipped:
        # The scenario is about another release, or asks for what 1.37 does not have.
        pytest.skip(skipped.group(1))
    assert played.returncode == 0, played.stdout + played.stderr
