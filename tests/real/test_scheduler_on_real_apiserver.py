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
# Gangs of every kind, ordinary pods, topology: one or two of each.
PLAYED = ("gang-01", "gang-03", "gang-05", "gang-06", "gang-16", "gang-20", "gang-38", "gang-60")

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]


def test_gangs_are_scheduled_as_by_the_real_scheduler(tmp_path: Path) -> None:
    configuration = tmp_path / "scheduler.yaml"
    configuration.write_text(CONFIGURATION)
    with real_plane(tmp_path / "plane", NO_SCHED="1") as kubeconfig:
        scheduler = subprocess.Popen(
            [
                *PROGRAM,
                "scheduler",
                f"--kubeconfig={kubeconfig}",
                f"--config={configuration}",
                "--scheduler-name=default-scheduler",
            ]
        )
        try:
            played = subprocess.run(
                [
                    sys.executable,
                    str(CASES / "runner.py"),
                    f"--kubeconfig={kubeconfig}",
                    f"--only={','.join(PLAYED)}",
                    str(CASES / "public" / "gang.yaml"),
                ],
                capture_output=True,
                text=True,
                check=False,
            )
        finally:
            scheduler.send_signal(signal.SIGTERM)
            status = scheduler.wait(timeout=10)

    assert re.search(rf"^{len(PLAYED)} passed, 0 failed", played.stdout, re.MULTILINE), (
        played.stdout + played.stderr
    )
    assert status == 0
