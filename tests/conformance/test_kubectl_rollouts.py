"""kubectl's commands for Deployments and their like, on a whole embedded cluster."""

from __future__ import annotations

import json

import pytest

from tests.conformance.kubectl.running import Kubectl
from tests.conformance.test_kubectl_cluster import SECONDS, create, node, wait

__all__ = ["node"]

IMAGE, NEWER = "registry.example/app:1", "registry.example/app:2"


@pytest.fixture
def deployed(cluster_kubectl: Kubectl, node: str, word: str) -> str:
    """A Deployment of two pods that run on this test's node."""
    deployment = json.loads(
        cluster_kubectl(
            *("create", "deployment", "web", f"--image={IMAGE}", "--replicas=2"),
            *("--dry-run=client", "-o", "json"),
        ).stdout
    )
    deployment["spec"]["template"]["spec"]["nodeSelector"] = {"test": word}
    create(cluster_kubectl, deployment)
    assert cluster_kubectl("rollout", "status", "deployment/web", SECONDS).code == 0
    return node


def test_a_rollout_has_a_history_and_can_be_undone(cluster_kubectl: Kubectl, deployed: str) -> None:
    changed = cluster_kubectl("set", "image", "deployment/web", f"app={NEWER}")
    done = cluster_kubectl("rollout", "status", "deployment/web", SECONDS)
    history = cluster_kubectl("rollout", "history", "deployment/web").stdout
    undone = cluster_kubectl("rollout", "undo", "deployment/web")
    again = cluster_kubectl("rollout", "status", "deployment/web", SECONDS)
    pods = cluster_kubectl("get", "pods", "-o", "jsonpath={..image}").stdout

    assert deployed
    assert changed.stdout == "deployment.apps/web image updated\n"
    assert done.stdout.endswith('deployment "web" successfully rolled out\n')
    assert [line.split()[0] for line in history.splitlines()[2:] if line] == ["1", "2"]
    assert undone.stdout == "deployment.apps/web rolled back\n"
    assert again.code == 0
    assert IMAGE in pods


def test_scale_and_restart_are_rolled_out(cluster_kubectl: Kubectl, deployed: str) -> None:
    scaled = cluster_kubectl("scale", "deployment/web", "--replicas=3")
    refused = cluster_kubectl("scale", "deployment/web", "--current-replicas=7", "--replicas=1")
    restarted = cluster_kubectl("rollout", "restart", "deployment/web")
    done = cluster_kubectl("rollout", "status", "deployment/web", SECONDS)
    row = cluster_kubectl("get", "deployment", "web", "--no-headers").stdout.split()

    assert deployed
    assert scaled.stdout == "deployment.apps/web scaled\n"
    assert "Expected replicas to be 7, was 3" in refused.stderr
    assert restarted.stdout == "deployment.apps/web restarted\n"
    assert (done.code, row[1]) == (0, "3/3")


def test_a_paused_rollout_waits(cluster_kubectl: Kubectl, deployed: str) -> None:
    paused = cluster_kubectl("rollout", "pause", "deployment/web")
    cluster_kubectl("set", "image", "deployment/web", f"app={NEWER}")
    sets = cluster_kubectl("get", "replicasets", "-o", "name").stdout.splitlines()
    resumed = cluster_kubectl("rollout", "resume", "deployment/web")
    done = cluster_kubectl("rollout", "status", "deployment/web", SECONDS)

    assert deployed
    assert paused.stdout == "deployment.apps/web paused\n"
    assert len(sets) == 1
    assert resumed.stdout == "deployment.apps/web resumed\n"
    assert done.code == 0


def test_a_deleted_deployment_leaves_nothing(cluster_kubectl: Kubectl, deployed: str) -> None:
    deleted = cluster_kubectl("delete", "deployment", "web")
    wait(cluster_kubectl, "delete", "pods", "--all")
    left = cluster_kubectl("get", "all", "-o", "name").stdout

    assert deployed
    assert deleted.stdout.startswith('deployment.apps "web" deleted')
    assert left == ""


def test_stateful_and_daemon_sets_have_rollouts_too(
    cluster_kubectl: Kubectl, node: str, word: str
) -> None:
    for kind, extra in (("StatefulSet", {"replicas": 1, "serviceName": "s"}), ("DaemonSet", {})):
        labels = {"app": kind.lower()}
        spec = {"nodeSelector": {"test": word}, "containers": [{"name": "app", "image": IMAGE}]}
        template = {"metadata": {"labels": labels}, "spec": spec}
        create(
            cluster_kubectl,
            {
                "apiVersion": "apps/v1",
                "kind": kind,
                "metadata": {"name": "s"},
                "spec": {"selector": {"matchLabels": labels}, "template": template, **extra},
            },
        )
        name = f"{kind.lower()}/s"
        first = cluster_kubectl("rollout", "status", name, SECONDS)
        cluster_kubectl("set", "image", name, f"app={NEWER}")
        done = cluster_kubectl("rollout", "status", name, SECONDS)
        history = cluster_kubectl("rollout", "history", name).stdout

        assert node
        assert (first.code, done.code) == (0, 0)
        assert [line.split()[0] for line in history.splitlines()[2:] if line] == ["1", "2"]
