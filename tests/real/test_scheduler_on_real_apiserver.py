"""``kubegang scheduler`` in place of kube-scheduler, on the real API server and controllers."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.peer_plane import real_plane
from tests.system.upprocess import PROGRAM

CASES = Path(__file__).resolve().parent.parent / "conformance" / "cases"
CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: true, leaseDuration: 15s, renewDeadline: 10s, retryPeriod: 2s}
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 1
"""
# Gangs of every kind, ordinary pods, topology, and what is peculiar to a release.
PLAYED = {
    "1.37": (
        "gang-01",
        "gang-03",
        "gang-05",
        "gang-06",
        "gang-16",
        "gang-20",
        "gang-38",
        "gang-60",
    ),
    "1.36": (
        "gang-01",
        "gang-03",
        "gang-05",
        "gang-06",
        "topology-01",
        "preemption-03",
        "r136-01",
        "r136-03",
        "r136-05",
        "r136-06",
        "r136-08",
        "r136-11",
        "r136-20",
    ),
    "1.35": (
        "gang-01",
        "gang-03",
        "gang-05",
        "gang-11",
        "gang-28",
        "gang-50",
        "r135-01",
        "r135-03",
        "r135-05",
        "r135-06",
        "r135-08",
    ),
}

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]


@pytest.mark.parametrize("release", PLAYED)
def test_gangs_are_scheduled_as_by_the_real_scheduler(release: str, tmp_path: Path) -> None:
    configuration = tmp_path / "scheduler.yaml"
    configuration.write_text(CONFIGURATION)
    version = release.replace("1.", "")
    with real_plane(tmp_path / "plane", version, NO_SCHED="1") as kubeconfig:
        scheduler = subprocess.Popen(
            [
                *PROGRAM,
                "scheduler",
                f"--kubeconfig={kubeconfig}",
                f"--config={configuration}",
                "--scheduler-name=default-scheduler",
                f"--kubernetes-version={release}",
            ]
        )
        try:
            played = subprocess.run(
                [
                    sys.executable,
                    str(CASES / "runner.py"),
                    f"--kubeconfig={kubeconfig}",
                    f"--only={','.join(PLAYED[release])}",
                    str(CASES / "public"),
                ],
                capture_output=True,
                text=True,
                check=False,
            )
        finally:
            scheduler.send_signal(signal.SIGTERM)
            status = scheduler.wait(timeout=10)

    assert re.search(rf"^{len(PLAYED[release])} passed, 0 failed", played.stdout, re.MULTILINE), (
        played.stdout + played.stderr
    )
    assert status == 0
