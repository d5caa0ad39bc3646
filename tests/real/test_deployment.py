"""The manifests in ``deploy``, applied to a real API server that checks every right."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.real.deployed import (
    KUBECTL,
    NAMESPACE,
    ROOT,
    Cluster,
    container_arguments,
    node,
    pod,
    rendered,
    scheduler_process,
    wait_for,
)
from tests.real.helm_program import helm
from tests.real.peer_plane import free_port, real_plane

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

KINDS = {
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "Deployment",
    "Role",
    "RoleBinding",
    "Service",
    "ServiceAccount",
}


def kustomized() -> str:
    base = ROOT / "deploy/kustomize/base"
    return _printed(str(KUBECTL), "kustomize", str(base))


def charted() -> str:
    chart = ROOT / "deploy/helm/kubegang-scheduler"
    return _printed(str(helm()), "template", "kubegang-scheduler", str(chart), "-n", NAMESPACE)


def _printed(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def gang(name: str, size: int, cpu: str) -> list[dict[str, object]]:
    group = {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": {"gang": {"minCount": size}}},
    }
    members = [
        pod(
            f"{name}-{index}",
            cpu,
            scheduler="kubegang",
            schedulingGroup={"podGroupName": name},
        )
        for index in range(size)
    ]
    return [group, *members]


@pytest.mark.parametrize("render", [kustomized, charted])
def test_the_service_accounts_rights_suffice(render: Callable[[], str], tmp_path: Path) -> None:
    """Single pods, a gang and preemption; nothing is refused to the scheduler."""
    objects, configuration = rendered(render())
    assert {found["kind"] for found in objects} - {"Namespace"} == KINDS
    log = tmp_path / "log"
    with real_plane(tmp_path / "plane", NO_SCHED="1", AUTHZ="Node,RBAC") as kubeconfig:
        cluster = Cluster(kubeconfig)
        if not any(found["kind"] == "Namespace" for found in objects):
            cluster.kubectl("create", "namespace", NAMESPACE)
        cluster.kubectl("apply", "-f", "-", text=yaml.safe_dump_all(objects))
        account = cluster.account_kubeconfig(tmp_path / "kubeconfig")
        config = tmp_path / "scheduler.yaml"
        config.write_text(configuration)
        replaced = {"--config": str(config), "--secure-port": str(free_port())}
        arguments = [
            f"{name}={replaced.get(name, value)}" if value else name
            for name, _, value in (text.partition("=") for text in container_arguments(objects))
        ]
        with scheduler_process([*arguments, f"--kubeconfig={account}"], log):
            play(cluster)
        holder = cluster.kubectl(
            "get", "lease", "kubegang-scheduler", "-n", NAMESPACE, "-o", "name"
        )
        assert holder.strip()
        events = cluster.items("events", "-n", "default")
        assert {"Scheduled", "FailedScheduling", "Preempted"} <= {e["reason"] for e in events}
    assert "orbidden" not in log.read_text()
    assert "cannot" not in log.read_text()


def play(cluster: Cluster) -> None:
    """A small day: pods, a gang, and somebody more important."""
    cluster.create(
        node("n1", "4"),
        node("n2", "4"),
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "high"},
            "value": 1000,
        },
    )
    cluster.create(pod("alone", "1", scheduler="kubegang"))
    wait_for(lambda: "alone" in cluster.bound(), "a pod is bound")
    cluster.create(*gang("g", 3, "2"))
    wait_for(lambda: {"g-0", "g-1", "g-2"} <= cluster.bound(), "a gang is bound")
    cluster.create(pod("late", "2", scheduler="kubegang"))
    wait_for(
        lambda: any(e["reason"] == "FailedScheduling" for e in cluster.items("events")),
        "somebody is told that it does not fit",
    )
    cluster.create(pod("urgent", "2", scheduler="kubegang", priorityClassName="high"))
    wait_for(lambda: "urgent" in cluster.bound(), "room was made")
