"""Two processes of ``kubegang scheduler`` and one Lease, on a real API server."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.real.deployed import Cluster, node, pod, scheduler_process, wait_for
from tests.real.peer_plane import real_plane

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

# Nobody waits for the end of this Lease: who takes over in this test found it released.
CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaseDuration: 600s
  renewDeadline: 4s
  retryPeriod: 0.5s
"""


RENEWALS = 6
"""After so many the stand-by, which tries as often as the leader, has tried several times."""


def lease(cluster: Cluster) -> dict[str, Any]:
    """Return what the Lease says; empty if there is none."""
    leases = cluster.items("leases", "-n", "kube-system")
    own = [lease for lease in leases if lease["metadata"]["name"] == "kubegang-scheduler"]
    return dict(own[0]["spec"]) if own else {}


def holder(cluster: Cluster) -> str:
    """Return who holds the Lease; empty if nobody does, or there is none."""
    return str(lease(cluster).get("holderIdentity") or "")


def wait_for_renewals(cluster: Cluster) -> None:
    """Return when the Lease was seen renewed so many times."""
    seen: set[str] = set()

    def renewed_often() -> bool:
        seen.add(lease(cluster)["renewTime"])
        return len(seen) > RENEWALS

    wait_for(renewed_often, "the Lease is renewed")


def test_one_leads_the_other_takes_over_and_who_loses_ends(tmp_path: Path) -> None:
    config = tmp_path / "scheduler.yaml"
    config.write_text(CONFIGURATION)
    with real_plane(tmp_path / "plane", NO_SCHED="1", NO_KCM="1") as kubeconfig:
        cluster = Cluster(kubeconfig)
        cluster.create(node("n1", "4"))
        arguments = [
            "scheduler",
            f"--kubeconfig={kubeconfig}",
            f"--config={config}",
            "--secure-port=0",
        ]
        with scheduler_process(arguments, tmp_path / "first") as first:
            wait_for(lambda: bool(holder(cluster)), "somebody leads")
            one = holder(cluster)
            with scheduler_process(arguments, tmp_path / "second", ends_with=1) as second:
                cluster.create(pod("a", "1", scheduler="default-scheduler"))
                wait_for(lambda: "a" in cluster.bound(), "the leader binds")
                wait_for_renewals(cluster)
                assert holder(cluster) == one
                assert "became the leader" not in log(tmp_path / "second")

                first.send_signal(signal.SIGTERM)
                assert first.wait(timeout=20) == 0
                wait_for(lambda: holder(cluster) not in {"", one}, "the second leads")
                cluster.create(pod("b", "1", scheduler="default-scheduler"))
                wait_for(lambda: "b" in cluster.bound(), "the new leader binds")

                stolen = json.dumps({"spec": {"holderIdentity": "somebody"}})
                cluster.kubectl(
                    "patch", "lease", "kubegang-scheduler", "-n", "kube-system", "-p", stolen
                )
                assert second.wait(timeout=20) == 1
        assert "Leaderelection lost" in log(tmp_path / "second")
        told = [event["message"] for event in cluster.items("events", "-n", "kube-system")]
        assert sum(text.endswith("became leader") for text in told) == 2
        assert f"{one} stopped leading" in told


def log(path: Path) -> str:
    return path.read_text()
